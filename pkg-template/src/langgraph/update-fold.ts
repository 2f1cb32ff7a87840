import { overwrite } from "../state/fields.js";
import type { Schema } from "../state/schema.js";
import { pointerPart } from "../shared/json-pointer.js";
import { INSIDE } from "../thread/inside.js";
import type { Doubt } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import type { Conversation } from "./conversation.js";
import { isDict, type Dict } from "./merge.js";
import { plainMessages } from "./message-form.js";
import { readyMade } from "./ready-made.js";
import { isOverwrite, type StepWindow } from "./step-window.js";
import type { Write } from "./write-order.js";

/** Folds the updates of a graph's nodes into a thread, and notes the doubts that they leave. */
export class UpdateFold {
  readonly #conversation: Conversation;
  readonly #thread: AnyThread;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#thread = conversation.thread as AnyThread;
  }

  get #schema(): Schema<unknown> {
    return (this.#thread.schema as Schema<unknown> | undefined) ?? readyMade();
  }

  get #state(): Dict {
    return this.#thread.getConfirmedState() as Dict;
  }

  /** Notes a doubt about these fields. */
  doubt(fields: Iterable<string>, reason: Doubt["reason"]): void {
    for (const field of fields) this.#thread[INSIDE].doubt({ field, reason });
  }

  /** Notes a doubt about every field. */
  doubtAll(reason: Doubt["reason"]): void {
    this.doubt(new Set([...Object.keys(this.#schema.fields as object), ...Object.keys(this.#state)]), reason);
  }

  /** Without a schema all fields matter; with one, those others that a state brought are shown, too. */
  doubtUnknown(update: Dict): void {
    const shown = this.#state;
    const fields = this.#schema.fields as object;
    const isShown = (name: string) => !this.#thread.schema || shown[name] !== undefined;
    this.doubt(
      Object.keys(update).filter((name) => isShown(name) && !Object.hasOwn(fields, name)),
      "unknown-reducer",
    );
  }

  /** A super-step may have cleared a field that it did not write, if the field is ephemeral. */
  doubtCleared(): void {
    if (!this.#thread.schema) this.doubtUnknown(this.#state);
  }

  /** Returns an update's fields whose reducers are known. */
  known(update: Dict): Dict {
    const fields = this.#schema.fields as object;
    this.doubtUnknown(update);
    const known = Object.entries(update).filter(([name]) => Object.hasOwn(fields, name));
    return Object.fromEntries(known.map(([name, value]) => [name, name === "messages" ? plainMessages(value) : value]));
  }

  /** Folds the input of a run: a super-step of its own. */
  foldInput(updates: readonly Dict[], window: StepWindow): void {
    this.#clearEphemeral(window);
    for (const update of updates) {
      this.doubtUnknown(update);
      if (!this.#conversation.send({ type: "update", update })) this.doubt(Object.keys(update), "unreadable");
    }
  }

  /** Folds the last update of a window. */
  fold(update: Dict, window: StepWindow): void {
    const inTurn: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(update)) {
      // The order of messages is looked at once, when the super-step is saved.
      if (name === "messages" || window.isLast(name, this.#schema)) inTurn[name] = value;
      else this.set(name, window.folded(name, this.#schema)?.value);
    }
    const { messages } = inTurn;
    const list = isOverwrite(messages) ? messages.__overwrite__ : messages;
    if (list !== undefined && ![list].flat().every(hasId)) this.doubt(["messages"], "unreadable");
    const names = Object.keys(inTurn);
    if (names.length > 0 && !this.#conversation.update(inTurn)) this.doubt(names, "unreadable");
  }

  /** Sets a field to a value; one that is undefined is removed. */
  set(name: string, value: unknown): void {
    if (name === "messages") this.#conversation.update({ messages: overwrite(value) });
    else if (value === undefined) this.#patch({ op: "remove", path: `/${pointerPart(name)}` });
    else this.#patch({ op: "add", path: `/${pointerPart(name)}`, value });
  }

  #patch(operation: object): void {
    this.#conversation.send({ type: "delta", operations: [operation] });
  }

  /** Sets the fields, but for the messages, to those of a state. */
  restore(state: Dict): void {
    const now = this.#state;
    for (const name of Object.keys(now)) {
      if (name !== "messages" && now[name] !== state[name]) this.set(name, state[name]);
    }
  }

  /**
   * Settles a window that is saved. Messages that no task wrote are removed, unless the stream has no updates at all.
   */
  settle(window: StepWindow, hasUpdates: boolean): void {
    if (hasUpdates) {
      this.#conversation.remove(window.unwrittenIds());
      this.orderMessages(window);
    }
    for (const name of window.fields) {
      if (name !== "messages" && window.folded(name, this.#schema)?.isSure === false) this.doubt([name], "order");
    }
    // Each super-step has a part.
    if (window.writes.length > 0) this.#clearEphemeral(window);
  }

  /** Brings the messages into the order in which the server has them. */
  orderMessages(window: StepWindow): void {
    const written = window.writtenIds();
    const isWritten = new Set(written);
    const writers = window.writersOf("messages");
    if (writers.length === 0) return;
    const shown = [...window.shown].filter((id) => isWritten.has(id));
    const isInOrder = shown.every((id, at) => id === written[at]);
    if (writers.length === 1 && isInOrder) return;
    const folded = window.folded("messages", this.#schema);
    if (!folded?.isSure) this.doubt(["messages"], folded ? "order" : "unreadable");
    if (folded && !(isInOrder && writers.every(isPlain))) this.set("messages", folded.value);
  }

  /** A super-step clears the ephemeral fields that it does not write. */
  #clearEphemeral(window: StepWindow): void {
    const state = this.#state;
    for (const [name, { kind }] of Object.entries(this.#schema.fields as Record<string, { kind: string }>)) {
      if (kind !== "ephemeral" || state[name] === undefined) continue;
      const steps = new Set(window.writes.map(({ step }) => step));
      if (window.writersOf(name).length === 0) this.set(name, undefined);
      else if (steps.size > 1 || steps.has(undefined)) this.doubt([name], "order");
    }
  }
}

const hasId = (message: unknown): boolean => isDict(message) && typeof message["id"] === "string";

/** Whether a task only added messages or changed some: removals and overwrites act on what is there. */
const isPlain = ({ updates }: Write): boolean =>
  updates.every(({ messages }) =>
    [messages]
      .flat()
      .every((message) => message === undefined || (hasId(message) && (message as Dict)["type"] !== "remove")),
  );
