// The updates that wait for a run.
import type { Thread } from "threadfold";
import type { PendingUpdate } from "../thread-types.js";

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** The updates that a run carries: not those made with `{ manual: true }`. */
export function carried<S extends object, U extends object>(thread: Thread<S, U>): readonly PendingUpdate<U>[] {
  const all = thread.pending;
  if (all.length === 0) return all;
  // Which ones are manual is only in the thread's record.
  const { pending } = thread.toJSON().core as { readonly pending: readonly { id: string; manual?: boolean }[] };
  const manual = new Set(pending.filter((one) => one.manual).map(({ id }) => id));
  return all.filter(({ id }) => !manual.has(id));
}

/** Begins a run that takes nothing along: what waits goes on waiting. */
export function beginEmpty<S extends object, U extends object>(thread: Thread<S, U>, runId?: string): void {
  const waiting = carried(thread)
    .filter(isPending)
    .map(({ id }) => thread.optimisticUpdate(id));
  // No run takes along what has failed, also where it is joined from its start.
  for (const update of waiting) update.fail(undefined);
  thread.receive({ type: "run-started", runId, joined: false });
  for (const update of waiting) update.retry();
}
