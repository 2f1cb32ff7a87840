// What is saved behind a checkpoint: the writes of its tasks, and of callers.
import type { CheckpointPendingWrite, PendingWrite } from "../checkpoint/types.js";
import { INTERRUPT } from "./interrupt.js";

/** The task of what a caller writes. */
export const NULL_TASK = "00000000-0000-0000-0000-000000000000";

export const RESUME = "__resume__";
export const ERROR = "__error__";
export const ERROR_SOURCE = "__error_source_node__";

/** What a pending write is about besides the state. */
const SPECIAL = new Set([ERROR, ERROR_SOURCE, INTERRUPT, RESUME]);

/** Tells whether a pending write is about something else than the state. */
export const isSpecial = (channel: string): boolean => SPECIAL.has(channel);

/** What each task has saved. */
export type WritesByTask = ReadonlyMap<string, readonly PendingWrite[]>;

export function writesByTask(pending: readonly CheckpointPendingWrite[]): WritesByTask {
  const byTask = new Map<string, PendingWrite[]>();
  for (const [id, channel, value] of pending) {
    const list = byTask.get(id);
    if (list) list.push([channel, value]);
    else byTask.set(id, [[channel, value]]);
  }
  return byTask;
}

/** What callers have written to the thread, but for answers. */
export const writtenByCallers = (pending: readonly CheckpointPendingWrite[]): CheckpointPendingWrite[] =>
  pending.filter(([id, channel]) => id === NULL_TASK && !isSpecial(channel));
