// The status of a runner, in a component.
import type { ThreadfoldError } from "../shared/errors.js";
import type { Interrupt } from "../stream/run-result.js";
import type { RunStatus } from "../thread/thread-types.js";
import { useView } from "./use-view.js";

/** The return value of {@link useRunner}. */
export interface RunnerView {
  readonly status: RunStatus;
  /** Why the last run failed, or why its connection broke. */
  readonly error: ThreadfoldError | undefined;
  /** The run's interrupts. */
  readonly interrupts: readonly Interrupt[];
  /** Whether the thread is being opened by `load()`, and has no message yet. */
  readonly isThreadLoading: boolean;
}

/** The members that {@link useRunner} needs from a runner. */
export interface RunnerStore extends Omit<RunnerView, "isThreadLoading"> {
  readonly isThreadLoading?: boolean;
  subscribe(listener: () => void): () => void;
}

/**
 * Returns what the runner is doing, why its last run failed, and what that asks; or what `selector` takes of it.
 * Renders the component again only when that changes: a token does not. On a server, and during hydration, the runner
 * is
 * `ready`.
 *
 * @example
 * ```tsx
 * import type { AgUiRunner } from "threadfold/ag-ui";
 * import { useRunner } from "threadfold/react";
 *
 * export function Controls({ agent }: { agent: AgUiRunner }) {
 *   const { status, error, interrupts } = useRunner(agent);
 *   return (
 *     <>
 *       {status === "streaming" && <button onClick={() => agent.stop()}>Stop</button>}
 *       {error && <p role="alert">{error.message} <button onClick={() => agent.retry()}>Retry</button></p>}
 *       {interrupts.map(({ id, message }) => (
 *         <p key={id}>{message} <button onClick={() => agent.resume({ id, value: true })}>Yes</button></p>
 *       ))}
 *     </>
 *   );
 * }
 * ```
 */
export function useRunner(runner: RunnerStore): RunnerView;
export function useRunner<T>(
  runner: RunnerStore,
  selector: (view: RunnerView) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useRunner<T>(
  runner: RunnerStore,
  selector?: (view: RunnerView) => T,
  isEqual?: (before: T, now: T) => boolean,
): RunnerView | T {
  return useView(runner, viewOf, noRun, selector, isEqual);
}

const READY: RunnerView = { status: "ready", error: undefined, interrupts: [], isThreadLoading: false };
const KEYS = Object.keys(READY) as (keyof RunnerView)[];
const noRun = () => READY;
const known = new WeakMap<RunnerStore, RunnerView>();

/** The same object while it is equal. */
function viewOf(runner: RunnerStore): RunnerView {
  const { status, error, interrupts, isThreadLoading = false } = runner;
  const view = { status, error, interrupts, isThreadLoading };
  const before = known.get(runner);
  if (before && KEYS.every((key) => before[key] === view[key])) return before;
  known.set(runner, view);
  return view;
}
