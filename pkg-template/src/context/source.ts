// Where a full track and a record are: in a thread, in a state, or by themselves.
import { isDict } from "../shared/dict.js";
import { type ContextRecord, recordOf } from "./record.js";
import { wrong } from "./options.js";

/** A state as deepagents' graphs have it, or one with a list of its own for the full history. */
export interface ContextState<M = object> {
  readonly messages?: readonly M[] | undefined;
  readonly full_messages?: readonly M[] | undefined;
  readonly _summarization_event?: unknown;
}

/** The source of a {@link Context}: a list of messages, a thread, or a graph's state. */
export type ContextSource<M = object> =
  | readonly M[]
  | { getState(): ContextState<M>; readonly history?: readonly M[] | undefined; readonly context?: unknown }
  | ContextState<M>;

/** A full track and the record that belongs to it. */
export interface Track<M> {
  readonly messages: readonly M[];
  readonly record: ContextRecord | null;
}

/** Finds the full track and the record. A record that is given counts, null too. */
export function trackOf<M>(source: ContextSource<M>, record?: ContextRecord | null): Track<M> {
  const given: unknown = source;
  if (record !== undefined && record !== null && !recordOf(record))
    throw wrong("record", "a record of a compaction, or null");
  if (Array.isArray(given)) return { messages: given as M[], record: record ?? null };
  if (!isDict(given)) throw wrong("source", "a list of messages, a thread or a state");
  const isThread = typeof given["getState"] === "function";
  const state: unknown = isThread ? (given["getState"] as () => unknown).call(given) : given;
  const own = isDict(state) ? state : {};
  // An object that holds a state instead of being one: a promise, or a snapshot of `getState`. As a state it would be
  // empty.
  const isEmpty = own["messages"] === undefined && own["full_messages"] === undefined;
  if (isEmpty && ("values" in own || typeof own["then"] === "function"))
    throw wrong("source", "a list of messages, a thread or a state: await a promise, take a snapshot's `values`");
  const messages: unknown = (isThread ? given["history"] : own["full_messages"]) ?? own["messages"] ?? [];
  if (!Array.isArray(messages)) throw wrong("messages", "a list of messages");
  const known = (isThread ? given["context"] : undefined) ?? own["_summarization_event"];
  return { messages: messages as M[], record: record === undefined ? recordOf(known) : record };
}
