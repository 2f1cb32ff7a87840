import type { FoldingThread } from "./folding-thread.js";
import type { HeldMessage, HeldToolCall } from "./event-types.js";

interface Entry {
  /** The message that has the call, and its place there when last seen. */
  owner?: string;
  at?: number;
  /** The message with its result. */
  result?: string;
}

/** A tool call with its place. */
export interface PlacedCall {
  readonly message: HeldMessage;
  readonly call: HeldToolCall;
  readonly at: number;
}

/**
 * Finds the message that has a tool call, however long the thread is. Built in one pass when first needed, and kept up
 * to date by folding. It is rebuilt after the messages changed in another way.
 */
export class ToolCallIndex {
  readonly #thread: FoldingThread;
  #entries: Map<string, Entry> | undefined;

  constructor(thread: FoldingThread) {
    this.#thread = thread;
  }

  /** Forgets all: the messages changed by something else than single events. */
  forget(): void {
    this.#entries = undefined;
  }

  /** Returns the tool call with this id, in the first message that has it. */
  find(callId: string): PlacedCall | undefined {
    const found = this.#look(callId);
    if (found !== "stale") return found;
    this.forget();
    const again = this.#look(callId);
    return again === "stale" ? undefined : again;
  }

  /** Returns the message with a call's result. */
  result(callId: string): HeldMessage | undefined {
    const id = this.#known().get(callId)?.result;
    const message = id === undefined ? undefined : (this.#thread.getConfirmedMessage(id) as HeldMessage | undefined);
    return message?.role === "tool" && message.toolCallId === callId ? message : undefined;
  }

  /** Takes note of a call that was added to a message. */
  noteCall(callId: string, owner: string, at: number): void {
    if (this.#entries) enterCall(this.#entries, callId, owner, at);
  }

  /** Takes note of a message that was added. */
  noteMessage(message: HeldMessage): void {
    if (this.#entries) enter(this.#entries, message);
  }

  #look(callId: string): PlacedCall | "stale" | undefined {
    const entry = this.#known().get(callId);
    if (entry?.owner === undefined) return undefined;
    const message = this.#thread.getConfirmedMessage(entry.owner) as HeldMessage | undefined;
    const at = entry.at ?? -1;
    const call = message?.toolCalls?.[at];
    return message && call?.id === callId ? { message, call, at } : "stale";
  }

  #known(): Map<string, Entry> {
    if (!this.#entries) {
      this.#entries = new Map();
      const { messages } = this.#thread.getConfirmedState() as { messages?: readonly HeldMessage[] };
      for (const message of messages ?? []) enter(this.#entries, message);
    }
    return this.#entries;
  }
}

function enter(entries: Map<string, Entry>, message: HeldMessage): void {
  const calls = Array.isArray(message.toolCalls) ? (message.toolCalls as readonly HeldToolCall[]) : [];
  calls.forEach((call, at) => enterCall(entries, call.id, message.id, at));
  if (message.role === "tool" && message.toolCallId !== undefined)
    entryOf(entries, message.toolCallId).result ??= message.id;
}

/** Enters a call. The first message that has it is its owner. */
function enterCall(entries: Map<string, Entry>, callId: string, owner: string, at: number): void {
  const entry = entryOf(entries, callId);
  if (entry.owner !== undefined) return;
  entry.owner = owner;
  entry.at = at;
}

function entryOf(entries: Map<string, Entry>, callId: string): Entry {
  let entry = entries.get(callId);
  if (!entry) entries.set(callId, (entry = {}));
  return entry;
}
