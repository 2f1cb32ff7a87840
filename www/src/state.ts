// The state of the demo's threads, and the functions that fold a run into it.
import { defineSchema, field, type InferState, type InferUpdate } from "threadfold";
import type { RunEvent } from "./recording";

export interface ThreadState {
  readonly messages: readonly object[];
  readonly [key: string]: unknown;
}

/** Takes a run's events in order; after each, `state` is an immutable snapshot. */
export interface Fold {
  readonly state: ThreadState;
  receive(event: RunEvent): void;
}

/** The messages themselves are kept by a `MessageList`; updates of the other fields go through the schema. */
const schema = defineSchema({
  messages: field.messages<object>(),
  tools: field.tools({ prefer: "first" }),
  todos: field.todos(),
  files: field.files(),
  custom: field.replace(),
});

export const initial = (messages: readonly object[]): ThreadState => ({ ...schema.initial(), messages });

/** A server's values have no type; the fields of the schema check them as they fold. */
export function merge(state: ThreadState, values: object): ThreadState {
  return schema.merge(state as InferState<typeof schema>, values as InferUpdate<typeof schema>);
}

/** `fresh`, with every part that says the same as before replaced by the object that was there before. */
export function reuse<T>(before: unknown, fresh: T): T {
  if (before === fresh || !isObject(before) || !isObject(fresh)) return fresh;
  if (Array.isArray(before) !== Array.isArray(fresh)) return fresh;
  const made: Record<string, unknown> = {};
  const keys = Object.keys(fresh);
  let same = keys.length === Object.keys(before).length;
  for (const key of keys) {
    made[key] = reuse(before[key], fresh[key]);
    same &&= key in before && made[key] === before[key];
  }
  if (same) return before as T;
  return (Array.isArray(fresh) ? Object.values(made) : made) as T;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
