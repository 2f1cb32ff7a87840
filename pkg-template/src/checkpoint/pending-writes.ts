// The writes of a checkpoint's tasks. A write has a place in its task, so that saving it twice saves it once.
import type { CheckpointPendingWrite, PendingWrite } from "./types.js";

/** By task and place. */
export type Writes = Map<string, CheckpointPendingWrite>;

/** A task's reports on itself have one place each, and are replaced: an error may follow an error. */
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["__error__", -1],
  ["__scheduled__", -2],
  ["__interrupt__", -3],
  ["__resume__", -4],
]);

/** The place of each write in its task: as in langgraph.js, so that all savers keep the same ones. */
export function placesOf(writes: readonly PendingWrite[]): number[] {
  return writes.map(([channel], index) => SPECIAL.get(channel) ?? index);
}

/** Adds the writes of a task. Its earlier ones stay, except its reports on itself. */
export function addWrites(kept: Writes, writes: readonly PendingWrite[], taskId: string): void {
  const places = placesOf(writes);
  writes.forEach(([channel, value], index) => {
    const place = places[index] as number;
    const key = `${taskId},${place}`;
    if (place < 0 || !kept.has(key)) kept.set(key, [taskId, channel, value]);
  });
}
