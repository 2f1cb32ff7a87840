// The writes saved after a checkpoint: those of its tasks, and of callers.
import type { CheckpointPendingWrite, PendingWrite } from "../../checkpoint/types.js";
import { INTERRUPT, type OpenInterrupt } from "../build/interrupt.js";

/** A task that comes next, or that waits. */
export interface TaskSnapshot {
  readonly id: string;
  readonly name: string;
  readonly path: readonly unknown[];
  /** Why it failed. */
  readonly error?: unknown;
  /** Its interrupts. */
  readonly interrupts: readonly OpenInterrupt[];
  /** Where the graph inside it stands, or the config to ask with. */
  readonly state?: unknown;
  /** Its writes so far. */
  readonly result?: unknown;
}

/** The task of what a caller writes. */
export const NULL_TASK = "00000000-0000-0000-0000-000000000000";

export const RESUME = "__resume__";
export const ERROR = "__error__";
export const ERROR_SOURCE = "__error_source_node__";

/** The pending writes that are not about the state. */
const SPECIAL = new Set([ERROR, ERROR_SOURCE, INTERRUPT, RESUME]);

/** Returns whether a pending write is not about the state. */
export const isSpecial = (channel: string): boolean => SPECIAL.has(channel);

/** The saved writes of each task. */
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

/** The callers' writes to the thread, except answers. */
export const writtenByCallers = (pending: readonly CheckpointPendingWrite[]): CheckpointPendingWrite[] =>
  pending.filter(([id, channel]) => id === NULL_TASK && !isSpecial(channel));

/** Groups writes by field. Several writes to one field are shown as in langgraph.js. */
export function gathered(entries: readonly (readonly [key: string, value: unknown])[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const twice = new Set<string>();
  for (const [key, value] of entries) {
    if (!(key in result)) result[key] = value;
    else if (twice.has(key)) (result[key] as { $writes: unknown[] }).$writes.push(value);
    else {
      twice.add(key);
      result[key] = { $writes: [result[key], value] };
    }
  }
  return result;
}

/** A task with its saved writes, as states and streams show it. `done`: its interrupts are no longer open. */
export function savedTask(
  { id, name, path }: { id: string; name: string; path: readonly unknown[] },
  saved: readonly PendingWrite[],
  fields: ReadonlyMap<string, unknown>,
  { state, done = false }: { state?: unknown; done?: boolean },
): TaskSnapshot {
  const error = saved.find(([channel]) => channel === ERROR)?.[1];
  const asked = saved.filter(([channel]) => !done && channel === INTERRUPT);
  const written = saved.filter(([channel]) => fields.has(channel));
  return {
    id,
    name,
    path,
    interrupts: asked.flatMap(([, value]) => value as OpenInterrupt),
    ...(error !== undefined ? { error } : state !== undefined && { state }),
    ...(written.length > 0 && { result: gathered(written) }),
  };
}
