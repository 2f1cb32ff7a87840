import { overwrite } from "../state/fields.js";
import { REMOVE_ALL_MESSAGES } from "../state/messages.js";
import type { Schema } from "../state/schema.js";
import { pointerPart } from "../shared/json-pointer.js";
import { INSIDE } from "../thread/inside.js";
import type { Doubt } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import type { Conversation } from "./conversation.js";
import { isDict, type Dict } from "../shared/dict.js";
import { plainMessages, typedMessages } from "./message-form.js";
import { doubtAll } from "./doubt-all.js";
import { readyMade } from "./ready-made.js";
import { isOverwrite, messageIds, type StepWindow } from "./step-window.js";
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
    doubtAll(this.#thread, reason);
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

  /** Notes a doubt about fields that a part has otherwise, and about hidden ones that the page's schema shows. */
  doubtUntold(inexact: readonly string[] = [], hidden: readonly string[] = []): void {
    if (inexact.length + hidden.length === 0) return;
    const fields = this.#schema.fields as Record<string, { private?: boolean; output?: boolean }>;
    const isDeclared = (name: string) => Object.hasOwn(fields, name);
    const isShown = (name: string) => isDeclared(name) && !fields[name]?.private && fields[name]?.output !== false;
    const mayShow = (name: string) => !this.#thread.schema || isDeclared(name) || this.#state[name] !== undefined;
    this.doubt([...inexact.filter(mayShow), ...hidden.filter(isShown)], "unreadable");
  }

  /** A super-step may have cleared a field that it did not write, if the field is ephemeral. */
  doubtCleared(): void {
    this.doubtUnknown(this.#state);
  }

  /** Returns an update's fields whose reducers are known. */
  known(update: Dict, isMarked: boolean): Dict {
    const fields = this.#schema.fields as object;
    this.doubtUnknown(update);
    const known = Object.entries(update).filter(([name]) => Object.hasOwn(fields, name));
    const own = (name: string, value: unknown) => (name === "messages" ? this.#messages(value, isMarked) : value);
    return Object.fromEntries(known.map(([name, value]) => [name, own(name, value)]));
  }

  /** A server that marks its parts sends messages as its state has them. Others convert those with a role, most of them. */
  #messages(value: unknown, isMarked: boolean): unknown {
    const plain = plainMessages(value);
    if (isMarked) return plain;
    const typed = typedMessages(plain);
    if (typed !== plain) this.doubt(["messages"], "unreadable");
    return typed;
  }

  /** Returns the parts of updates that a checkpoint keeps. */
  saved(updates: readonly Dict[]): readonly Dict[] {
    const fields = this.#schema.fields as Record<string, { kind: string }>;
    const isKept = (name: string) => fields[name]?.kind !== "untracked";
    return updates
      .map((update) => Object.fromEntries(Object.entries(update).filter(([name]) => isKept(name))))
      .filter((update) => Object.keys(update).length > 0);
  }

  /** Folds the input of a run: a super-step of its own. Returns whether the thread took all of it. */
  foldInput(updates: readonly Dict[], window: StepWindow): boolean {
    this.#clearEphemeral(window);
    let isFolded = true;
    for (const update of updates) {
      this.doubtUnknown(update);
      if (this.#conversation.send({ type: "update", update })) continue;
      this.doubt(Object.keys(update), "unreadable");
      isFolded = false;
    }
    return isFolded;
  }

  /** Folds an update as it comes. The order of a super-step's writes is looked at once, when it is saved. */
  fold(update: Dict): void {
    const { messages } = update;
    const list = isOverwrite(messages) ? messages.__overwrite__ : messages;
    if (list !== undefined && ![list].flat().every(hasId)) this.doubt(["messages"], "unreadable");
    const names = Object.keys(update);
    if (names.length > 0 && !this.#conversation.update(update)) this.doubt(names, "unreadable");
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

  /**
   * Settles a window that is saved. Messages that no task wrote are removed, unless the stream has no updates at all.
   */
  settle(window: StepWindow, hasUpdates: boolean): void {
    if (hasUpdates) {
      this.#conversation.remove(window.unwrittenIds());
      this.order(window);
    }
    // Each super-step has a part.
    if (window.writes.length > 0) this.#clearEphemeral(window);
  }

  /** Brings the writes into the server's order, and doubts the fields whose order is unknown. */
  order(window: StepWindow): void {
    this.#orderMessages(window);
    for (const name of window.fields) {
      if (name === "messages") continue;
      const folded = window.folded(name, this.#schema);
      if (!folded?.isSure) this.doubt([name], folded ? "order" : "unreadable");
      if (folded && !folded.isInTurn) this.set(name, folded.value);
    }
  }

  #orderMessages(window: StepWindow): void {
    const { ids, isSure } = window.written;
    const isWritten = new Set(ids);
    const shown = [...window.shown].filter((id) => isWritten.has(id));
    const isInOrder = shown.every((id, at) => id === ids[at]);
    if (isSure && isInOrder && areApart(window.writersOf("messages"))) return;
    const folded = window.folded("messages", this.#schema);
    if (!folded?.isSure) this.doubt(["messages"], folded ? "order" : "unreadable");
    if (folded) this.set("messages", folded.value);
  }

  /** An ephemeral field has what the last super-step wrote to it. */
  #clearEphemeral(window: StepWindow): void {
    const state = this.#state;
    const last = window.lastStep;
    for (const [name, { kind }] of Object.entries(this.#schema.fields as Record<string, { kind: string }>)) {
      if (kind !== "ephemeral" || state[name] === undefined) continue;
      const writers = window.writersOf(name);
      if (!writers.some((write) => last?.includes(write) ?? true)) this.set(name, undefined);
      else if (!last) this.doubt([name], "order");
    }
  }
}

const hasId = (message: unknown): boolean => isDict(message) && typeof message["id"] === "string";

/** Whether each message was written once. Then the order of the tasks matters to new messages alone. */
function areApart(writers: readonly Write[]): boolean {
  const updates = writers.flatMap((write) => write.updates.filter(({ messages }) => messages !== undefined));
  const ids = updates.flatMap(messageIds);
  const isWhole = (update: Dict) => isOverwrite(update["messages"]) || messageIds(update).includes(REMOVE_ALL_MESSAGES);
  return new Set(ids).size === ids.length && (updates.length < 2 || !updates.some(isWhole));
}
