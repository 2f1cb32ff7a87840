// The updates that wait for a run.
import type { Thread } from "threadfold";
import type { PendingUpdate } from "../thread-types.js";

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** The ids of the updates that wait for a run: not those made with `{ manual: true }`, which no run takes along. */
export function waitingIn<S extends object, U extends object>(thread: Thread<S, U>): Set<string> {
  const waiting = new Set(thread.pending.filter(isPending).map(({ id }) => id));
  if (waiting.size === 0) return waiting;
  // Which ones are manual is only in the thread's record.
  const { pending } = thread.toJSON().core as { readonly pending: readonly { id: string; manual?: boolean }[] };
  for (const { id, manual } of pending) if (manual) waiting.delete(id);
  return waiting;
}

/** Begins a run that takes nothing along: what waits goes on waiting. */
export function beginEmpty<S extends object, U extends object>(thread: Thread<S, U>, runId?: string): void {
  const waiting = [...waitingIn(thread)].map((id) => thread.optimisticUpdate(id));
  // No run takes along what has failed, also where it is joined from its start.
  for (const update of waiting) update.fail(undefined);
  thread.receive({ type: "run-started", runId, joined: false });
  for (const update of waiting) update.retry();
}
