// Where a stream is joined whose last parts were a sub-agent's.
import { isOpen } from "../thread/run-status.js";
import { INSIDE } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";
import type { Delivery, Position } from "./delivery.js";

/** Notes the part that a sub-agent of the thread has had. */
export function hadBySubagent(thread: AnyThread, { id }: Position): void {
  const subagents = thread[INSIDE].subagents();
  subagents.lastEventId = id ?? subagents.lastEventId;
}

/** The thread itself may be at this position now: then the last part is not a sub-agent's. */
export function passed(thread: AnyThread, { id }: Position): void {
  const subagents = thread[INSIDE].subagents();
  if (subagents.lastEventId !== undefined && thread.run.lastEventId === id) subagents.lastEventId = undefined;
}

/** Notes the last part of the sub-agents in the thread's own run, once its stream is cut: it is joined after that part. */
export function catchUp(thread: AnyThread, delivery: Delivery): void {
  if (thread.isDisposed) return;
  const subagents = thread[INSIDE].subagents();
  if (subagents.lastEventId === undefined) return;
  // A run that has ended is not joined.
  if (isOpen(thread)) {
    delivery.at({ id: subagents.lastEventId });
    delivery.mark();
  }
  subagents.lastEventId = undefined;
}
