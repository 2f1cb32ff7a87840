// The user messages that a server may lose with a run that failed.
import type { Thread } from "../thread/thread.js";
import { idsOf, isUsers, messagesIn, type AnyMessage } from "./messages-in.js";

/** The ids of messages that a thread's own runs carried. */
interface Carried {
  /** Carried by runs that the server began, and that failed, since the last one that ended well. */
  readonly byFailed: Set<unknown>;
  /** Carried by the run under way. */
  byRun: readonly unknown[];
}

const CARRIED = new WeakMap<object, Carried>();

/** Records the messages of a run that begins. */
export function carries(thread: object, updates: readonly object[]): void {
  const carried = CARRIED.get(thread) ?? { byFailed: new Set(), byRun: [] };
  carried.byRun = updates.flatMap(idsOf);
  CARRIED.set(thread, carried);
}

/** Takes the last user message of a thread whose run failed, or was cut off, before a reload for the run's own. */
export function reloaded<S extends object, U extends object>(thread: Thread<S, U>): void {
  const { status } = thread.run;
  const last = messagesIn(thread.getConfirmedState()).filter(isUsers).slice(-1);
  if (CARRIED.has(thread) || (status !== "error" && status !== "disconnected")) return;
  // Otherwise the run's messages are those of its failed updates.
  const isTaken = !thread.pending.some((update) => update.status === "failed");
  carries(thread, isTaken ? [{ messages: last }] : []);
  if (status === "error") carriedTo(thread, "failed");
}

/** Records how the run ended: after a failure, the server may lose the messages that it took. */
export function carriedTo<S extends object, U extends object>(
  thread: Thread<S, U>,
  end: "failed" | "stopped" | "well",
): void {
  const carried = CARRIED.get(thread);
  if (!carried) return;
  if (end === "failed") for (const id of takenOf(thread, carried)) carried.byFailed.add(id);
  if (end === "well") carried.byFailed.clear();
  carried.byRun = [];
}

/** The messages of the run under way that the server took: no update has them any more. */
function takenOf<S extends object, U extends object>(thread: Thread<S, U>, { byRun }: Carried): unknown[] {
  const untaken = new Set(thread.pending.flatMap(({ update }) => idsOf(update)));
  return byRun.filter((id) => !untaken.has(id));
}

/**
 * Returns the user messages that the server sent and its state lacks, after the last one that the state has. A run may
 * fail, or its server go down, before the checkpoint keeps a state that was sent.
 */
export function lackingMessages<S extends object, U extends object>(
  thread: Thread<S, U>,
  values: object,
): AnyMessage[] {
  const { messages: kept } = values as { messages?: unknown };
  const has = new Set((Array.isArray(kept) ? (kept as readonly AnyMessage[]) : []).map(({ id }) => id));
  const users = messagesIn(thread.getConfirmedState()).filter(isUsers);
  return users.slice(users.map(({ id }) => has.has(id)).lastIndexOf(true) + 1);
}

/** Returns those of {@link lackingMessages} that failed runs of this page carried: another page removed the others. */
export function lostMessages<S extends object, U extends object>(thread: Thread<S, U>, values: object): AnyMessage[] {
  const carried = CARRIED.get(thread);
  if (!carried) return [];
  const own = new Set([...carried.byFailed, ...takenOf(thread, carried)]);
  return lackingMessages(thread, values).filter(({ id }) => own.has(id));
}

/** Forgets the failed runs once the server's state is shown: it has their messages, or they are failed updates. */
export function forgetLost(thread: object): void {
  CARRIED.get(thread)?.byFailed.clear();
}
