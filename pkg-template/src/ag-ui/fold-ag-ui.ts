import { ThreadfoldError } from "../shared/errors.js";
import { option } from "../shared/reading.js";
import { reportPart } from "../stream/delivery.js";
import { isOpen } from "../stream/run-end.js";
import { markOf, SentIds } from "../stream/sent-ids.js";
import { read } from "../stream/source.js";
import type { SentPart, Taker } from "../stream/taker.js";
import { runError, withIds, type RunResult } from "../stream/run-result.js";
import type { AgUiEvent, RunEnd } from "./event-types.js";
import { foldEvent, kindOf, type Kind } from "./events.js";
import { foldOf, type Fold } from "./fold.js";
import type { FoldingThread } from "./folding-thread.js";
import { breakOff, leave } from "./runs.js";
import { interruptOf } from "./interrupt.js";
import type { AgUiSource } from "./source.js";

export interface FoldOptions {
  /**
   * Stops reading and ends the run, like the user's stop: received messages stay and are sent with the next run. The
   * promise rejects with the signal's reason. To leave a run that continues, end the source instead.
   */
  signal?: AbortSignal | undefined;
  /**
   * How far to read. `"run"`, the default: until the run ends, then the source is closed. `"stream"`: until the source
   * ends, over all the runs in it, such as those of a replayed conversation.
   */
  until?: "run" | "stream" | undefined;
  /**
   * Whether the source rejoins the thread's last run from its start. The source then repeats what the run has sent, and
   * the thread returns to where the run began. False for a new run, whatever its id. By default, a run is joined if its
   * id is that of the thread's last run and that run has not ended.
   */
  join?: boolean | undefined;
  /**
   * Called with every valid event after it is folded, also with those that change nothing: CUSTOM, RAW, STEP_STARTED…
   */
  onEvent?: ((event: AgUiEvent) => void) | undefined;
}

/**
 * Folds AG-UI events into a thread as they come: from a `fetch` response of server-sent events, an async iterable, a
 * list or an Observable. Resolves with how the run ended: `disconnected` if the events ended before the run. You can
 * then fold it again from its start or from where it was cut.
 *
 * Reports anything that is not an event, or cannot be folded, to the thread's `"error"` listeners, and continues.
 * Rejects with the source's own error, such as a lost connection, with the signal's reason, and with what `onEvent`
 * throws. It then closes the source. The run becomes `disconnected`, or `ready` if the signal stopped it. If no run
 * began, its status is `error`: the pending updates fail with it and wait for a retry.
 *
 * The messages that it makes are AG-UI's, whatever the type of the thread says: give it a `Thread<AgUiState>`.
 *
 * A text of an earlier run that is sent once more from its start is that text, not more of it.
 *
 * @throws {@link ThreadfoldError} `BAD_RESPONSE`, with the HTTP `status`, for a response that is not a stream of events (an
 *   error status, a page, a body of JSON); `INVALID_ARGUMENT` for an invalid source or thread; `DISPOSED` once the
 *   thread was disposed.
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
  thread: FoldingThread,
  events: AgUiSource | PromiseLike<AgUiSource>,
  options: FoldOptions = {},
): Promise<RunResult> {
  const fold = foldOf(thread);
  const { signal, until, onEvent, join } = checked(options);
  fold.join = join;
  fold.isStopped = false;
  const reading = new Reading(fold, until === "run", onEvent);
  try {
    await read(events, reading, signal);
  } catch (error) {
    breakOff(fold, error, reading.hasBegun, signal);
    throw error;
  }
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
    ...(end?.status === "finished" && end.value !== undefined && { value: end.value }),
  };
}

/** One reading of a stream: takes its events one by one. */
class Reading implements Taker {
  readonly #fold: Fold;
  readonly #isOneRun: boolean;
  readonly #onEvent: FoldOptions["onEvent"];
  readonly #ids: SentIds;
  hasBegun = false;
  /** Undefined while the last run has not ended. */
  end: RunEnd | undefined;

  constructor(fold: Fold, isOneRun: boolean, onEvent: FoldOptions["onEvent"]) {
    this.#fold = fold;
    this.#ids = new SentIds(fold.thread);
    this.#isOneRun = isOneRun;
    this.#onEvent = onEvent;
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
      end = foldEvent(this.#fold, kind, event, name, isKnown);
    } catch (cause) {
      reportPart(this.#fold.thread, cause, event);
    }
    if (end || begins) this.end = end;
    this.#onEvent?.(event);
    return this.#isOneRun && end !== undefined;
  }

  refuse(data: string, cause: unknown): void {
    const error = new ThreadfoldError("INVALID_ARGUMENT", "An event of the stream is not JSON: see the cause.", {
      cause,
    });
    this.#fold.thread.report(error, data);
  }

  /** An end that cannot be read is an end all the same. */
  #refuse(value: AgUiEvent | null | undefined, why: string): undefined {
    const { thread } = this.#fold;
    const error = new ThreadfoldError("INVALID_ARGUMENT", why);
    thread.report(error, value);
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

/** The options, read once. */
function checked(options: FoldOptions): FoldOptions {
  const read = {
    signal: option(options, "signal"),
    until: option(options, "until") ?? "run",
    onEvent: option(options, "onEvent"),
    join: option(options, "join"),
  } as const;
  const wrong =
    read.until !== "run" && read.until !== "stream"
      ? "until should be 'run' or 'stream'"
      : read.onEvent !== undefined && typeof read.onEvent !== "function"
        ? "onEvent should be a function"
        : read.signal !== undefined && typeof read.signal.addEventListener !== "function"
          ? "signal should be an AbortSignal"
          : undefined;
  if (wrong) throw new ThreadfoldError("INVALID_ARGUMENT", `The option ${wrong}.`);
  return read;
}
