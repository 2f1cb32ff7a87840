import { ThreadfoldError } from "../shared/errors.js";
import { reportPart } from "../stream/delivery.js";
import { foldOptions, type FoldOptions } from "../stream/fold-options.js";
import { catchUp, passed } from "../stream/catch-up.js";
import { isOpen } from "../thread/run-status.js";
import { markOf, SentIds } from "../stream/sent-ids.js";
import { read as readSource } from "../stream/source.js";
import type { SentPart, Taker } from "../stream/taker.js";
import { runError } from "../shared/run-error.js";
import { withIds, type RunResult, type TokenUsage } from "../stream/run-result.js";
import type { AgUiEvent, RunEnd } from "./event-types.js";
import { foldEvent, kindOf, type Kind } from "./events.js";
import { foldOf, type Fold } from "./fold.js";
import type { FoldingThread } from "./folding-thread.js";
import { breakOff, leave } from "./runs.js";
import { interruptOf } from "./interrupt.js";
import { areObjects } from "./shapes.js";
import type { AgUiSource } from "./source.js";
import { SubagentFolds } from "./subagents.js";
import { INSIDE } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";

/**
 * Folds AG-UI events into a thread as they come: from a `fetch` response of server-sent events, an async iterable, a
 * list or an Observable. Resolves with how the run ended: `disconnected` if the events ended before the run. You can
 * then fold it again from its start or from where it was cut.
 *
 * Reports anything that is not an event, or cannot be folded, to the thread's `"error"` listeners, and continues.
 * Rejects with the source's own error, such as a lost connection, with the signal's reason, and with the error of
 * `onEvent`. It then closes the source. The run becomes `disconnected`, or `ready` if the signal stopped it. If no run
 * began, its status is `error`: the pending updates fail with it and wait for a retry.
 *
 * The messages that it makes are AG-UI's, whatever the type of the thread says: give it a `Thread<AgUiState>`.
 *
 * A text of an earlier run that is sent once more from its start is recognized, not appended.
 *
 * @throws {@link ThreadfoldError} `BAD_RESPONSE`, with the HTTP `status`, for a response that is not a stream of events (an
 *   error status, a page, a body of JSON); `INVALID_ARGUMENT` for an invalid source, thread or option; `UNKNOWN_OPTION`;
 *   `DISPOSED` once the thread was disposed.
 *
 * @example
 * ```ts
 * import { Thread, type AgUiState } from "threadfold";
 * import { foldAgUi } from "threadfold/ag-ui";
 *
 * const thread = new Thread<AgUiState>({ threadId: "t1" });
 * // Of a real answer: foldAgUi(thread, await fetch(…)).
 * const end = await foldAgUi(thread, [
 *   { type: "RUN_STARTED", threadId: "t1", runId: "r1" },
 *   { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
 *   { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" },
 *   { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "lo" },
 *   { type: "TEXT_MESSAGE_END", messageId: "a" },
 *   { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },
 * ]);
 * console.log(end.status, thread.getState().messages[0]?.content); // finished Hello
 * ```
 */
export async function foldAgUi(
  thread: AnyThread,
  events: AgUiSource | PromiseLike<AgUiSource>,
  options?: FoldOptions<AgUiEvent>,
): Promise<RunResult> {
  const fold = foldOf(thread);
  const read = foldOptions("foldAgUi", options);
  fold.join = read.join;
  fold.isStopped = false;
  const reading = new Reading(fold, read);
  try {
    await readSource(events, reading, read.signal);
  } catch (error) {
    catchUp(thread, fold.delivery);
    breakOff(fold, error, reading.hasBegun, read.signal);
    throw error;
  }
  catchUp(thread, fold.delivery);
  leave(fold);
  return resultOf(thread, reading.end);
}

/** How a run ended; its connection broke where no event ended it. */
function resultOf(thread: FoldingThread, end: RunEnd | undefined): RunResult {
  const status = end?.status ?? "disconnected";
  return {
    status,
    runId: thread.run.id,
    error:
      end === undefined ? runError(undefined, true) : end.status === "error" ? runError(end.error, false) : undefined,
    interrupts: end?.status === "interrupted" ? withIds(end.interrupts.map(interruptOf)) : [],
    pendingToolCallIds: end?.status === "finished" ? end.pendingToolCallIds : [],
    ...(end && said(end)),
  };
}

/** Returns the result and the usage of a run's end. */
function said(end: RunEnd): Pick<RunResult, "value" | "usage"> {
  const { value, usage } = end as { value?: unknown; usage?: unknown };
  return { ...(value !== undefined && { value }), ...(areObjects(usage) && { usage: usage as TokenUsage[] }) };
}

/** One reading of a stream: takes its events one by one. */
class Reading implements Taker {
  readonly #fold: Fold;
  readonly #options: FoldOptions<AgUiEvent>;
  readonly #ids: SentIds;
  readonly #subagents: SubagentFolds;
  hasBegun = false;
  /** Undefined while the last run has not ended. */
  end: RunEnd | undefined;

  constructor(fold: Fold, options: FoldOptions<AgUiEvent>) {
    this.#fold = fold;
    this.#subagents = new SubagentFolds(fold.thread as AnyThread);
    this.#ids = new SentIds(fold.thread);
    this.#options = options;
  }

  takeSent({ data, id, text }: SentPart): boolean {
    return data !== undefined && this.take(data, id, text);
  }

  take(value: unknown, id?: string, text = ""): boolean {
    const kind = this.#kindOf(value);
    if (!kind) return false;
    const event = value as AgUiEvent;
    const begins = event.type === "RUN_STARTED";
    this.hasBegun ||= begins;
    if (begins) this.#ids.clear();
    let end: RunEnd | undefined;
    try {
      const name = id === undefined ? undefined : this.#ids.named(id, markOf(text));
      const isKnown = name !== undefined && !begins && this.#fold.delivery.had({ id: name });
      if (isKnown) this.#ids.hasPassedOver = true;
      const own = this.#subagents.take(kind, event, name, isKnown);
      if (own) end = foldEvent(this.#fold, kind, own, name, isKnown);
      if (own && name !== undefined) passed(this.#fold.thread as AnyThread, { id: name });
    } catch (cause) {
      reportPart(this.#fold.thread, cause, event);
    }
    if (end || begins) this.end = end;
    const { until, runId, onEvent } = this.#options;
    onEvent?.(event);
    const isAwaited = runId === undefined || runId === this.#fold.thread.run.id;
    return end !== undefined && until !== "stream" && isAwaited;
  }

  refuse(data: string, cause: unknown): void {
    const error = new ThreadfoldError("INVALID_ARGUMENT", "An event of the stream is not JSON: see the cause.", {
      cause,
    });
    this.#fold.thread[INSIDE].report(error, data);
  }

  /** An end that cannot be read is an end all the same. */
  #refuse(value: AgUiEvent | null | undefined, why: string): undefined {
    const { thread } = this.#fold;
    const error = new ThreadfoldError("INVALID_ARGUMENT", why);
    thread[INSIDE].report(error, value);
    if ((value?.type === "RUN_FINISHED" || value?.type === "RUN_ERROR") && isOpen(thread)) {
      thread.receive({ type: "run-error", error });
      this.end = { status: "error", error };
    }
  }

  #kindOf(value: unknown): Kind | undefined {
    try {
      const kind = kindOf(value);
      return typeof kind === "string" ? this.#refuse(value as AgUiEvent, kind) : kind;
    } catch (cause) {
      reportPart(this.#fold.thread, cause, value);
      return undefined;
    }
  }
}
