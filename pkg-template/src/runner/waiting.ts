// The updates waiting for a run.
import type { Thread } from "../thread/thread.js";
import type { PendingUpdate } from "../thread/thread-types.js";

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** Returns the updates that a run carries: not those made with `{ manual: true }`. */
export const carried = <S extends object, U extends object>(thread: Thread<S, U>): readonly PendingUpdate<U>[] =>
  thread.pending.filter(({ manual }) => !manual);

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
