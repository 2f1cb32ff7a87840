import { ThreadfoldError } from "threadfold";
import { option } from "../errors.js";
import type { AgUiEvent } from "./event-types.js";
import { foldEvent } from "./events.js";
import { foldOf, type Fold } from "./fold.js";
import type { FoldingThread } from "./folding-thread.js";
import { breakOff, endOf, leave, type RunEnd } from "./runs.js";
import { readEvent } from "./shapes.js";
import { read, type AgUiSource } from "./source.js";

export interface FoldOptions {
  /**
   * Stops the reading and ends the run, as the user's stop does: what was said stays, and is sent with the next run.
   * The promise is rejected with the signal's reason. To leave a run that goes on, give up the source instead.
   */
  signal?: AbortSignal | undefined;
  /**
   * How far to read. `"run"`, the default: until the run ends, then the source is given up. `"stream"`: until the
   * source ends, over all the runs that it tells, such as those of a replayed conversation.
   */
  until?: "run" | "stream" | undefined;
  /**
   * Whether the source joins the thread's last run from its start: then what the run brought so far is told again, and
   * the thread goes back to where the run began. False for a new run, whatever its id. If you do not say, a run is
   * joined when it begins under the id of the thread's last one and that one has not ended.
   */
  join?: boolean | undefined;
  /** Hears of every event that is one, after it is folded: CUSTOM, RAW, STEP_STARTED and the like are only heard. */
  onEvent?: ((event: AgUiEvent) => void) | undefined;
}

/**
 * Folds AG-UI events into a thread, as they come: from an async iterable, an Observable, or a `fetch` response of
 * server-sent events. Gives how the run ended; `"cut"` when the events ended first: the thread's run is then
 * `disconnected`, and the same run may be told again from its start, or from where it was cut.
 *
 * What is no event, or an event that cannot be folded, is told to the thread's `"error"` listeners, and reading goes
 * on. The promise is rejected by the source's own error, such as a lost connection, by the signal, and by what
 * `onEvent` throws; the source is given up. The run is then `disconnected`, too; `idle`, if the signal stopped it; and
 * `failed`, if none began: then what is pending has failed with it, and waits for a retry.
 *
 * One thing to know: a text of an earlier run that is told once more from its start is that text, not more of it.
 *
 * @throws {@link ThreadfoldError} `BAD_RESPONSE` for a response that is no stream of events (an error status, a page, a
 *   body of JSON); `INVALID_VALUE` for what is no source or no thread; `DISPOSED` once the thread was freed.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { foldAgUi } from "threadfold/ag-ui";
 *
 * const thread = new Thread({ threadId: "t1" });
 * // As an answer brings them: foldAgUi(thread, await fetch(…)).
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
): Promise<RunEnd> {
  const fold = foldOf(thread);
  const { signal, until, onEvent, join } = checked(options);
  fold.join = join;
  fold.isStopped = false;
  let began = false;
  let end: RunEnd = { status: "cut" };
  const take = (value: unknown, id: string | undefined): boolean => {
    const event = safely(fold, value, () => eventOf(fold, value));
    if (!event) return false;
    began ||= event.type === "RUN_STARTED";
    const ended = safely(fold, event, () => foldExpanded(fold, event, id));
    if (ended || event.type === "RUN_STARTED") end = ended ?? { status: "cut" };
    onEvent?.(event);
    return until === "run" && ended !== undefined;
  };
  try {
    await read(events, take, signal);
  } catch (error) {
    breakOff(fold, error, began, signal);
    throw error;
  }
  leave(fold);
  return end;
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
  if (wrong) throw new ThreadfoldError("INVALID_VALUE", `The option ${wrong}.`);
  return read;
}

/** Does something with an event. If that fails the thread's listeners are told: the stream goes on, unless the thread is gone. */
function safely<T>(fold: Fold, event: unknown, work: () => T): T | undefined {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ThreadfoldError && cause.code === "DISPOSED") throw cause;
    const error =
      cause instanceof ThreadfoldError
        ? cause
        : new ThreadfoldError("UNREADABLE_VALUE", "An event could not be folded: see the cause.", { cause });
    fold.thread.report(error, event);
    return undefined;
  }
}

/** What came, if it is an event. */
function eventOf(fold: Fold, value: unknown): AgUiEvent | undefined {
  const said = readEvent(value);
  return "event" in said ? said.event : fold.refuse(value, said.complaint, "INVALID_VALUE");
}

/**
 * Folds what an event stands for; the last part bears the event's id. Of an event whose id the run has had only the
 * chunks take note: they go on where it left them. Gives the run's end, if the event is that.
 */
function foldExpanded(fold: Fold, event: AgUiEvent, id: string | undefined): RunEnd | undefined {
  const isKnown = id !== undefined && event.type !== "RUN_STARTED" && fold.thread.had(id);
  const parts = fold.chunks.expand(event);
  if (typeof parts === "string") return isKnown ? undefined : fold.refuse(event, parts, "INVALID_VALUE");
  let end: RunEnd | undefined;
  let left = parts.length;
  for (const part of parts) {
    end = endOf(fold, part);
    if (!isKnown) foldEvent(fold, part, --left === 0 ? id : undefined);
  }
  return end;
}
