import type { BranchSwitch } from "./branch-switch.js";
import type { ServerThread } from "./load.js";
import type { Interrupt, RunResult, UnnamedInterrupt } from "../stream/run-result.js";
import type { ReadStarts } from "./watched-thread.js";
import type { CheckpointMessages, ListedThread, ThreadQuery } from "./transport.js";
import type { InterruptAnswer } from "./runner-types.js";

/** A protocol's requests. The runner decides when to make them, and handles their results. */
export interface RunProtocol {
  /** Whether a run under way can be joined. */
  readonly canJoin: boolean;
  /** Returns the messages as they are shown and sent; text becomes a user's message. */
  messages(given: unknown): unknown;
  /**
   * Returns a request that carries these updates, or answers these interrupts. Reading it sends it, folds the response,
   * and settles at its end; by then the thread knows whether the run failed or was cut off.
   *
   * @param mayLack - A run that had begun, or may have, has failed, and none has succeeded since: the server may lack
   *   what it sent.
   */
  request(updates: readonly object[], answers?: readonly Answer[], mayLack?: boolean): Work;
  /** Throws for answers that the protocol cannot send. */
  check(answers: readonly Answer[]): void;
  /** Fetches the server's state of the thread; undefined if the server does not know it. */
  readonly load?: ((signal: AbortSignal) => Promise<ServerThread | undefined>) | undefined;
  /** The branch that the next load shows; undefined if the transport cannot switch. */
  readonly branch?: BranchSwitch | undefined;
  /** Returns the thread's newest checkpoints, the newest first. */
  readonly history?: ((limit: number) => PromiseLike<readonly CheckpointMessages[]>) | undefined;
  /** Lists the server's threads. */
  readonly threads: ((query: ThreadQuery) => PromiseLike<readonly ListedThread[]>) | undefined;
  /** Reads the stream of a thread; undefined if the transport has none, or cannot load and join what that announces. */
  readonly follow: ReadStarts | undefined;
  /** Joins the thread's last run. */
  join(signal: AbortSignal): Promise<RunNews>;
  /** Whether to send the answers again when a run failed after the server had them. */
  readonly resendsAnswers: boolean;
  /** Brings messages into the run under way; undefined if the transport cannot. */
  readonly steer: ((messages: readonly object[], signal: AbortSignal) => unknown) | undefined;
  /** Stops the run on the server, until the signal aborts. */
  cancel(signal: AbortSignal): Promise<void>;
  interrupt(raw: unknown): UnnamedInterrupt;
  /** Returns the thread's report on its last run's end, for a page that was not there. */
  news?(): RunNews;
}

/** Reads a run until the signal aborts. */
export type Work = (signal: AbortSignal) => Promise<RunNews>;

/** A run's end, as far as the thread does not know it. */
export interface RunNews {
  /** Whether the server has stopped the run. */
  readonly stopped?: boolean;
  readonly pendingToolCallIds?: readonly string[];
  readonly value?: unknown;
  readonly usage?: RunResult["usage"];
  /** For a failed run: the interrupts that the server still has open. */
  readonly stillOpen?: readonly object[];
}

/** An interrupt with its answer. */
export interface Answer extends InterruptAnswer {
  readonly interrupt: Interrupt;
}
