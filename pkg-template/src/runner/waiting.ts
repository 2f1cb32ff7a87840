// The updates waiting for a run.
import type { Thread } from "threadfold";
import type { PendingUpdate } from "../thread-types.js";

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** Returns the updates that a run carries: not those made with `{ manual: true }`. */
export function carried<S extends object, U extends object>(thread: Thread<S, U>): readonly PendingUpdate<U>[] {
  const all = thread.pending;
  if (all.length === 0) return all;
  // Only the thread's record tells which ones are manual.
  const { pending } = thread.toJSON().core as { readonly pending: readonly { id: string; manual?: boolean }[] };
  const manual = new Set(pending.filter((one) => one.manual).map(({ id }) => id));
  return all.filter(({ id }) => !manual.has(id));
}

/** Begins a run that sends no updates: those waiting stay. */
export function beginEmpty<S extends object, U extends object>(thread: Thread<S, U>, runId?: string): void {
  const waiting = carried(thread)
    .filter(isPending)
    .map(({ id }) => thread.optimisticUpdate(id));
  // A run sends no failed updates, also when it is rejoined from its start.
  for (const update of waiting) update.fail(undefined);
  thread.receive({ type: "run-started", runId, joined: false });
  for (const update of waiting) update.retry();
}
