// The updates that wait for a run.
import type { Thread } from "threadfold";
import type { PendingUpdate } from "../thread-types.js";

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** The updates that a run carries: not those made with `{ manual: true }`. */
export function carried<S extends object, U extends object>(thread: Thread<S, U>): readonly PendingUpdate<U>[] {
  const all = thread.pending;
  if (all.length === 0) return all;
  const manual = manualIn(thread);
  return all.filter(({ id }) => !manual.has(id));
}

/** Which updates are manual is only in the thread's record, which one that goes in a circle does not have. */
function manualIn<S extends object, U extends object>(thread: Thread<S, U>): ReadonlySet<string> {
  try {
    const { pending } = thread.toJSON().core as { readonly pending: readonly { id: string; manual?: boolean }[] };
    return new Set(pending.filter((one) => one.manual).map(({ id }) => id));
  } catch (error) {
    if ((error as { code?: unknown }).code === "DISPOSED") throw error;
    return new Set();
  }
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
