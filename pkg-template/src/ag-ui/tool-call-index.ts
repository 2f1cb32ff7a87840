import type { FoldingThread } from "./folding-thread.js";
import type { HeldMessage, HeldToolCall } from "./event-types.js";

interface Entry {
  /** The message that the call stands in. */
  owner?: string;
  /** The message with its result. */
  result?: string;
}

/** A tool call where it stands. */
export interface PlacedCall {
  readonly message: HeldMessage;
  readonly call: HeldToolCall;
  readonly at: number;
}

/**
 * Which message holds which tool call: found at once, however long the thread is. Made by one pass at the first need,
 * kept by what is folded, and made anew after the messages were changed by something else.
 */
export class ToolCallIndex {
  readonly #thread: FoldingThread;
  #entries: Map<string, Entry> | undefined;

  constructor(thread: FoldingThread) {
    this.#thread = thread;
  }

  /** The messages were changed by something else than single events. */
  forget(): void {
    this.#entries = undefined;
  }

  /** The tool call of this id, in the first message that has it. */
  find(callId: string): PlacedCall | undefined {
    const found = this.#look(callId);
    if (found !== "stale") return found;
    this.forget();
    const again = this.#look(callId);
    return again === "stale" ? undefined : again;
  }

  /** The message that holds a call's result. */
  result(callId: string): HeldMessage | undefined {
    const id = this.#known().get(callId)?.result;
    const message = id === undefined ? undefined : (this.#thread.message(id) as HeldMessage | undefined);
    return message?.role === "tool" && message.toolCallId === callId ? message : undefined;
  }

  /** Takes note of a message that is put into the thread. */
  note(message: HeldMessage): void {
    if (this.#entries) enter(this.#entries, message);
  }

  #look(callId: string): PlacedCall | "stale" | undefined {
    const owner = this.#known().get(callId)?.owner;
    if (owner === undefined) return undefined;
    const message = this.#thread.message(owner) as HeldMessage | undefined;
    const at = message?.toolCalls?.findIndex((call) => call.id === callId) ?? -1;
    const call = message?.toolCalls?.[at];
    return message && call ? { message, call, at } : "stale";
  }

  #known(): Map<string, Entry> {
    if (!this.#entries) {
      this.#entries = new Map();
      const { messages } = this.#thread.confirmed as { messages?: readonly HeldMessage[] };
      for (const message of messages ?? []) enter(this.#entries, message);
    }
    return this.#entries;
  }
}

function enter(entries: Map<string, Entry>, message: HeldMessage): void {
  const calls = Array.isArray(message.toolCalls) ? (message.toolCalls as readonly HeldToolCall[]) : [];
  for (const call of calls) at(entries, call.id).owner ??= message.id;
  if (message.role === "tool" && message.toolCallId !== undefined) at(entries, message.toolCallId).result ??= message.id;
}

function at(entries: Map<string, Entry>, callId: string): Entry {
  let entry = entries.get(callId);
  if (!entry) entries.set(callId, (entry = {}));
  return entry;
}
