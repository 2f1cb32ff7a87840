import type { RunnerDecision, RunnerInterrupt } from "./runner-types.js";

/** What one protocol knows of requests; when they are made, and what becomes of them, is the runner's. */
export interface RunProtocol {
  /** Whether a run that is under way can be joined. */
  readonly canJoin: boolean;
  /** The messages as they are to be shown and sent; text is a user's. */
  messages(given: unknown): unknown;
  /**
   * A request that carries these updates, or answers these interrupts. The answer sends it, folds what comes, and
   * settles when nothing more comes; that the run fails or breaks off is the thread's to know by then.
   */
  request(updates: readonly object[], answers?: readonly Answer[]): Work;
  /** Joins the thread's last run. */
  join(signal: AbortSignal): Promise<RunNews>;
  /** Whether a run that failed after it had heard the answers is given them once more. */
  readonly answersAgain: boolean;
  /** Has the server stop the run, as long as the signal lets it. */
  cancel(signal: AbortSignal): Promise<void>;
  interrupt(raw: unknown): RunnerInterrupt;
}

/** Reads a run, as long as the signal lets it. */
export type Work = (signal: AbortSignal) => Promise<RunNews>;

/** What a run's end tells that the thread does not know. */
export interface RunNews {
  /** Whether the server has stopped the run. */
  readonly stopped?: boolean;
  readonly pendingToolCallIds?: readonly string[];
}

/** An interrupt with its answer. */
export interface Answer extends RunnerDecision {
  readonly interrupt: RunnerInterrupt;
}
