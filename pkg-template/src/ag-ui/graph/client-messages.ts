// The messages that a folding client has: a snapshot leaves out those at its beginning.
import { sameJson } from "../../shared/same-json.js";
import type { GraphEvent } from "./graph-event.js";
import { jsonForm } from "./json-form.js";
import { agUiMessage, isOfChat } from "./message-told.js";
import { Places } from "./places.js";
import { REPEATS, WHOLE } from "./whole.js";

interface Held {
  readonly id: string;
  readonly role: string;
  content?: unknown;
  toolCalls?: { readonly id: string; readonly type: "function"; function: { name: unknown; arguments: string } }[];
  readonly toolCallId?: unknown;
}

type Calls = NonNullable<Held["toolCalls"]>;

/** Tracks the messages of a client that folds, by its input and the run's events. */
export class ClientMessages {
  /** The messages that the client has, as the graph has them; undefined while unknown. */
  #base: readonly unknown[] | undefined;
  /** The messages that the run's input and its events put after them, in the client's order. */
  readonly #told = new Map<unknown, Held>();
  readonly #calls = new Map<unknown, Calls[number]>();
  /** The first place of `base` where an event changed the client's message, or put one before it. */
  #changedAt = Infinity;
  #places: Places;

  /**
   * @param base - The messages at the checkpoint that the client has; undefined if it has none, or another one.
   * @param sent - The messages of the run's input.
   */
  constructor(base: readonly unknown[] | undefined, sent: readonly object[]) {
    this.#base = base;
    this.#places = new Places(base ?? []);
    const known = new Set(base?.map(idOf));
    for (const message of sent as readonly Held[])
      if (!known.has(message.id) && message.role !== "reasoning" && message.role !== "activity")
        this.#told.set(message.id, message);
  }

  /** The messages of the input and of the events. */
  get told(): readonly object[] {
    return [...this.#told.values()];
  }

  /** Follows an event as the client folds it. */
  observe({ type, messageId, parentMessageId, toolCallId, toolCallName, delta, content }: GraphEvent): void {
    switch (type) {
      case "TEXT_MESSAGE_START": {
        const message = this.#assistant(messageId);
        if (message.content === undefined) message.content = "";
        else this.#changed();
        break;
      }
      case "TEXT_MESSAGE_CONTENT": {
        const message = this.#told.get(messageId);
        if (message) message.content = (message.content as string) + (delta as string);
        else this.#changed(this.#places.message(messageId));
        break;
      }
      case "TOOL_CALL_START": {
        // The client has a call once: under an id that is used again it is the earlier one.
        if (this.#calls.has(toolCallId)) this.#changed();
        const earlier = this.#places.call(toolCallId);
        if (earlier !== undefined) this.#changed(earlier);
        const { toolCalls = [], ...rest } = this.#assistant(parentMessageId);
        const call = {
          id: toolCallId as string,
          type: "function",
          function: { name: toolCallName, arguments: "" },
        } as const;
        this.#calls.set(toolCallId, call);
        this.#told.set(parentMessageId, { ...rest, toolCalls: [...toolCalls, call] });
        break;
      }
      case "TOOL_CALL_ARGS": {
        const call = this.#calls.get(toolCallId);
        if (call) call.function.arguments += delta as string;
        else this.#changed(this.#places.call(toolCallId));
        break;
      }
      case "TOOL_CALL_RESULT": {
        // The client puts it after its call, and replaces an earlier result.
        const earlier = this.#places.result(toolCallId);
        if (earlier !== undefined) this.#changed(earlier);
        const owner = this.#places.call(toolCallId);
        if (this.#told.has(messageId) || this.#isAnswered(toolCallId) || !this.#isAfterCall(toolCallId))
          this.#changed(owner === undefined ? undefined : owner + 1);
        this.#told.set(messageId, { id: messageId as string, role: "tool", content, toolCallId });
      }
    }
  }

  /** Returns how many messages at the list's beginning the client has. */
  common(list: readonly unknown[]): number {
    const base = this.#base ?? [];
    let at = 0;
    while (at < base.length && at < list.length && isSame(base[at], list[at])) at++;
    // The same objects are compared faster the next time.
    if (at > 0) this.#base = [...list.slice(0, at), ...base.slice(at)];
    return at;
  }

  /** Returns the snapshot that gives the client this list. */
  snapshot(list: readonly unknown[]): GraphEvent {
    let from = Math.min(this.common(list), this.#changedAt);
    while (from > 0 && !isTold(list[from - 1])) from--;
    const now = new Set(list.map(idOf));
    // The client keeps what is still being streamed to it, somewhere among the snapshot's messages.
    this.#changedAt = [...this.#told.keys()].some((id) => !now.has(id)) ? from : Infinity;
    this.#told.clear();
    this.#calls.clear();
    this.#base = list;
    this.#places = new Places(list);
    return {
      ...snapshotOf(list.slice(from)),
      ...(from > 0 && { metadata: { threadfold: { after: idOf(list[from - 1]), ...keeps(list.slice(0, from)) } } }),
      [WHOLE]: () => snapshotOf(list),
    };
  }

  /** Returns the last snapshot of a run, which repeats the events if the client has this very list. */
  closing(list: readonly unknown[]): GraphEvent {
    if (this.has(list)) return { ...snapshotOf([]), [WHOLE]: () => snapshotOf(list), [REPEATS]: true };
    const event = this.snapshot(list);
    // No message is being streamed any more.
    this.#changedAt = Infinity;
    return event;
  }

  /** Whether the client has this very list. */
  has(list: readonly unknown[]): boolean {
    const length = this.#base?.length;
    if (
      length === undefined ||
      this.#changedAt < Infinity ||
      list.length !== length + this.#told.size ||
      this.common(list) < length
    )
      return false;
    return [...this.#told.values()].every((message, at) => sameJson(message, agUiMessage(list[length + at])));
  }

  #assistant(id: unknown): Held {
    const known = this.#told.get(id);
    if (known) return known;
    const fresh: Held = { id: id as string, role: "assistant" };
    // More of a message that was there before has another place.
    const place = this.#places.message(id);
    if (place !== undefined) this.#changed(place);
    this.#told.set(id, fresh);
    return fresh;
  }

  /** Notes that an event changed the message at a place of `base`, or put one before it; without a place, what was told. */
  #changed(at = this.#base?.length ?? 0): void {
    this.#changedAt = Math.min(this.#changedAt, at);
  }

  #isAnswered(callId: unknown): boolean {
    return [...this.#told.values()].some(({ role, toolCallId }) => role === "tool" && toolCallId === callId);
  }

  /** Whether only other results stand between a call and the end of the list. */
  #isAfterCall(id: unknown): boolean {
    const told = [...this.#told.values()].filter(isNoResult).at(-1);
    if (told) return hasCall(told, id);
    const base = this.#base ?? [];
    for (let at = base.length - 1; at >= 0; at--) {
      const message = agUiMessage(base[at]) as Held | undefined;
      if (message && isNoResult(message)) return hasCall(message, id);
    }
    return false;
  }
}

const isNoResult = ({ role }: Held) => role !== "tool";

const hasCall = ({ toolCalls = [] }: Held, id: unknown) => toolCalls.some((call) => call.id === id);

const idOf = (message: unknown): unknown => (message as { id?: unknown } | null)?.id;

/** Whether the client's list of the conversation has the message, under its id. */
function isTold(given: unknown): boolean {
  const { id, role } = (agUiMessage(given) ?? {}) as Partial<Held>;
  return id === idOf(given) && id !== undefined && role !== "reasoning" && role !== "activity";
}

/** Returns how many messages a client keeps, if their kinds show that it has them all. */
function keeps(kept: readonly unknown[]): { keeps?: number } {
  return kept.every(isOfChat) ? { keeps: kept.length } : {};
}

/** Whether two messages of a graph are equal, as a saver may have made them anew. */
const isSame = (one: unknown, other: unknown): boolean => one === other || sameJson(jsonForm(one), jsonForm(other));

export const snapshotOf = (list: readonly unknown[]) => ({
  type: "MESSAGES_SNAPSHOT",
  messages: list.flatMap((given) => agUiMessage(given) ?? []),
});
