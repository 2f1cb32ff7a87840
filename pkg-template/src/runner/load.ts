import type { Thread } from "threadfold";
import type { RunResult } from "./runner-types.js";
import { beginEmpty } from "./waiting.js";

/** What the server has of a thread. */
export interface ServerThread {
  readonly values: object;
  /** What the last run asks. */
  readonly interrupts: readonly unknown[];
  /** The run that goes on, if one does. */
  readonly runId: string | undefined;
}

/**
 * Folds what the server has of a thread, and joins the run that goes on there, and the one after it. What is pending
 * stays. Returns the end of a run that did not end by itself.
 */
export async function load<S extends object, U extends object>(
  thread: Thread<S, U>,
  ask: () => Promise<ServerThread | undefined>,
  join: () => Promise<RunResult>,
): Promise<RunResult | undefined> {
  for (let joined: string | undefined; ;) {
    const found = await ask();
    if (!found) return undefined;
    const { values, interrupts, runId } = found;
    const goesOn = runId !== undefined && runId !== joined;
    // A state that waits for an answer lacks what a graph within said before it asked.
    if (Object.keys(values).length > 0) thread.receive({ type: "values", values, partial: interrupts.length > 0 });
    if (!goesOn) {
      // A question that was answered elsewhere is open no more.
      if (interrupts.length > 0 || thread.run.interrupts) thread.receive({ type: "run-finished", interrupts });
      return undefined;
    }
    beginEmpty(thread, runId);
    thread.receive({ type: "disconnected" });
    joined = runId;
    const end = await join();
    if (end.status !== "finished" && end.status !== "interrupted") return end;
  }
}
