import { Chunks } from "./chunks.js";
import type { AgUiEvent, FoldedEvent } from "./event-types.js";
import { foldEvent } from "./events.js";
import { foldOf, type Fold } from "./fold.js";
import type { FoldingThread } from "./folding-thread.js";
import { endOf, type RunEnd } from "./runs.js";
import { readEvent } from "./shapes.js";
import { read, type AgUiSource } from "./source.js";

export interface FoldOptions {
  /** Stops the reading; the promise is then rejected with the signal's reason. The thread stays as it is. */
  signal?: AbortSignal | undefined;
  /**
   * How far to read. `"run"`, the default: until the run ends, then the source is given up. `"stream"`: until the
   * source ends, over all the runs that it tells, such as those of a replayed conversation.
   */
  until?: "run" | "stream" | undefined;
  /** Hears of every event that is one, after it is folded: CUSTOM, RAW, STEP_STARTED and the like are only heard. */
  onEvent?: ((event: AgUiEvent) => void) | undefined;
}

/**
 * Folds AG-UI events into a thread, as they come: from an async iterable, an Observable, or a `fetch` response of
 * server-sent events. Gives how the run ended; `"cut"` when the events ended first, and then the same run may be told
 * again from its start, or from where it was cut.
 *
 * What is no event, or an event that cannot be, is told to the thread's `"error"` listeners, and reading goes on.
 * The promise is rejected by the source's own error, such as a lost connection, by a response that is no stream of
 * events, and by the signal.
 *
 * Two things to know: a run that starts again under the id of the thread's last run is that run, replayed; and a
 * text of an earlier run that is told once more from its start is that text, not more of it.
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
  const { signal, until = "run", onEvent } = options;
  const fold = foldOf(thread);
  fold.runId = undefined;
  const chunks = new Chunks();
  let end: RunEnd = { status: "cut" };
  await read(await events, (value, id) => {
    const said = readEvent(value);
    if ("complaint" in said) {
      fold.refuse(value, said.complaint, "INVALID_VALUE");
      return false;
    }
    end = foldExpanded(fold, chunks.expand(said.event), said.event, id) ?? (said.event.type === "RUN_STARTED" ? { status: "cut" } : end);
    onEvent?.(said.event);
    return until === "run" && (said.event.type === "RUN_FINISHED" || said.event.type === "RUN_ERROR");
  }, signal);
  return end;
}

/** Folds what an event stands for; the last of it bears the part's id. Gives the run's end, if one of it is that. */
function foldExpanded(fold: Fold, parts: readonly FoldedEvent[] | string, event: AgUiEvent, id: string | undefined): RunEnd | undefined {
  if (typeof parts === "string") return fold.refuse(event, parts, "INVALID_VALUE");
  let end: RunEnd | undefined;
  let left = parts.length;
  for (const part of parts) {
    end = endOf(fold, part);
    foldEvent(fold, part, --left === 0 ? id : undefined);
  }
  return end;
}
