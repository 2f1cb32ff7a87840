import { INSIDE } from "../thread/inside.js";
import type { Thread } from "../thread/thread.js";
import { carried, isPending } from "./messages-in.js";

/** Begins a run that sends no updates: those waiting stay. */
export function beginEmpty<S extends object, U extends object>(thread: Thread<S, U>, runId?: string): void {
  const waiting = carried(thread)
    .filter(isPending)
    .map(({ id }) => thread[INSIDE].update(id));
  // A run sends no failed updates, also when it is rejoined from its start. Listeners see those that wait as pending.
  thread[INSIDE].now(() => {
    for (const update of waiting) update.fail(undefined);
    thread.receive({ type: "run-started", runId, joined: false });
    for (const update of waiting) update.retry();
  });
}
