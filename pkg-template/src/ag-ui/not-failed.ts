import { Thread } from "threadfold";
import type { Schema } from "../schema.js";

/** What {@link withoutFailed} asks of a thread. The package's `Thread` has it all. */
export interface FailingThread {
  readonly schema?: { readonly fields: object } | undefined;
  readonly pending: readonly { readonly id: string; readonly update: object; readonly status: string }[];
  getState(): object;
  /** Returns what `Thread.fromJSON` makes the same thread of. */
  toJSON(): object;
}

/** What a thread shows, and what of it is pending. */
export interface Shown {
  readonly state: object;
  readonly pending: readonly { readonly update: object }[];
}

/** Returns what to send: what the thread shows, without updates that failed, which wait for a retry. */
export function withoutFailed(thread: FailingThread): Shown {
  const { pending } = thread;
  const failed = pending.filter(({ status }) => status === "failed");
  if (failed.length === 0) return { state: thread.getState(), pending };
  const other = Thread.fromJSON(thread.toJSON(), { schema: thread.schema as Schema<never> | undefined });
  try {
    for (const { id } of failed) other.optimisticUpdate(id).rollback();
    return { state: other.getState(), pending: pending.filter((update) => !failed.includes(update)) };
  } finally {
    other.free();
  }
}
