// Where a thread's run stands, in a component.
import type { ThreadRun } from "../thread/thread-types.js";
import { threadOf, type Of } from "./thread-of.js";
import { useView } from "./use-view.js";

/** The methods that {@link useRun} needs from a thread. */
export interface RunStore {
  readonly run: ThreadRun;
  subscribe(listener: () => void): () => void;
}

/**
 * Returns where the thread's last run stands, or what `selector` takes of it. Renders the component again only when
 * that changes. On a server, and during hydration, there is no run.
 *
 * Select what you show: `lastEventId` changes with every part of a stream that has ids.
 *
 * @example
 * ```tsx
 * import type { Thread } from "threadfold";
 * import { useRun } from "threadfold/react";
 *
 * export function Status({ thread }: { thread: Thread }) {
 *   const status = useRun(thread, (run) => run.status);
 *   return status === "disconnected" ? <p>The connection broke.</p> : null;
 * }
 * ```
 */
export function useRun(of: Of<RunStore>): ThreadRun;
export function useRun<T>(
  of: Of<RunStore>,
  selector: (run: ThreadRun) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useRun<T>(
  of: Of<RunStore>,
  selector?: (run: ThreadRun) => T,
  isEqual?: (before: T, now: T) => boolean,
): ThreadRun | T {
  return useView(threadOf(of), runOf, noRun, selector, isEqual);
}

const NO_RUN: ThreadRun = { status: "ready" };
const runOf = ({ run }: RunStore) => run;
const noRun = () => NO_RUN;
