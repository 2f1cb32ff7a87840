import { ThreadfoldError } from "../shared/errors.js";
import { isAbort } from "../shared/abort.js";
import { option } from "../shared/reading.js";
import { reportPart, type Position, type ReceivingThread } from "../stream/delivery.js";
import { foldOptions, type FoldOptions } from "../stream/fold-options.js";
import { breakOff, disconnect, stop } from "../stream/run-end.js";
import { isOpen } from "../thread/run-status.js";
import { runError } from "../shared/run-error.js";
import { withIds, type RunResult } from "../stream/run-result.js";
import { SentIds } from "../stream/sent-ids.js";
import { read as readSource } from "../stream/source.js";
import type { SentPart, Taker } from "../stream/taker.js";
import { Folding } from "./folding.js";
import { interruptOf } from "./interrupt.js";
import { isDict, type Dict } from "../shared/dict.js";
import { contentOf, Positions } from "./part-keys.js";
import type { LangGraphPart, RunStream } from "./parts.js";
import type { ProtocolEvent } from "./protocol-v2.js";
import { Run } from "./run.js";
import { INSIDE, isThread } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";

/** The part of the request that tells how a stream ends. */
interface Requested {
  /**
   * The requested stream mode that follows each message: a state, or its task's updates. A stream of the runs API that
   * ends before such a part was cut, and the run is `disconnected`.
   */
  readonly endsWith?: "values" | "updates" | undefined;
  /** Whether the state was loaded in the middle of the run, and the stream begins with the run's start. */
  readonly isLoaded?: boolean | undefined;
  /** Tells whether a run without states is over, once its stream has ended. */
  readonly isOver?: (() => Promise<boolean>) | undefined;
  /** Called with doubts before the run ends. */
  readonly settle?: ((endedWell: boolean, hasDigests: boolean) => Promise<void>) | undefined;
}

/** The thread's step: see {@link foldLangGraph}. */
interface AtStep {
  readonly step?: number | undefined;
}

/**
 * Folds a run of a LangGraph server into a thread. Accepts the stream modes `values`, `updates`, `messages-tuple`,
 * `messages` and `custom`, with or without subgraphs, and the events of protocol v2.
 *
 * Parts of messages appear as they come, and the root graph's state is final. The exception is a state with an
 * interrupt: it lacks a subgraph's messages from before the interrupt, so those stay. You can join a cut stream after
 * `thread.run.lastEventId`, or fold it again from its start: known parts are skipped. A part that cannot be folded is
 * reported to the thread's `error` listeners, and the stream continues.
 *
 * Streams of protocol v2 belong to the thread and continue after a run: give `runId` to read one run. Such a stream may
 * number its states (the channel `checkpoints`). If you made the thread from the server's state, pass its
 * `metadata.step` as `step`. Repeated earlier states are then skipped, and later messages stay.
 *
 * `onEvent` is not called again for a part that the thread already has.
 *
 * @returns how the run ended, once the stream does.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for an invalid thread, stream or option; `UNKNOWN_OPTION`;
 *   `DISPOSED` once the thread was disposed; `BAD_RESPONSE`, with the HTTP `status`, for a response that is not a stream
 *   of events. Also throws the errors of the stream and of `onEvent`, and the signal's reason. The source is then
 *   closed, and a current run becomes `disconnected`: you can join it again. The signal ends the run instead. If no run
 *   began, the requested one's status is `error`, and its pending updates wait for a retry.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { foldLangGraph } from "threadfold/langgraph";
 *
 * async function* stream() {
 *   yield { event: "metadata", data: { run_id: "r1" } };
 *   yield { event: "messages", data: [{ type: "AIMessageChunk", id: "a", content: "Hel" }, {}] };
 *   yield { event: "messages", data: [{ type: "AIMessageChunk", id: "a", content: "lo" }, {}] };
 * }
 * const thread = new Thread();
 * await foldLangGraph(thread, stream()); // or client.runs.stream(threadId, assistantId, { input, streamMode: [...] })
 * console.log(thread.getState().messages[0]?.content); // Hello
 * ```
 */
export async function foldLangGraph(
  thread: AnyThread,
  stream: RunStream | PromiseLike<RunStream>,
  options?: FoldOptions<LangGraphPart> & AtStep,
): Promise<RunResult> {
  checkThread(thread);
  const read = foldOptions("foldLangGraph", options, ["step"]);
  return foldRun(thread, stream, { ...read, step: option(options, "step") });
}

/** Folds the stream of a run that was requested as `options` says. */
export async function foldRun(
  thread: AnyThread,
  stream: RunStream | PromiseLike<RunStream>,
  options: FoldOptions<LangGraphPart> & AtStep & Requested,
): Promise<RunResult> {
  const reading = new Reading(thread, options);
  try {
    await readSource(stream, reading, options.signal);
    return await reading.end();
  } catch (error) {
    reading.breakOff(error);
    throw error;
  }
}

function checkThread(thread: unknown): void {
  if (isThread(thread)) return;
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    "foldLangGraph folds a stream into a Thread: its first argument is none.",
  );
}

/** One reading of a stream: takes its parts one by one. */
class Reading implements Taker {
  readonly #thread: ReceivingThread;
  readonly #run: Run;
  readonly #folding: Folding;
  readonly #positions = new Positions();
  readonly #ids: SentIds;
  readonly #options: FoldOptions<LangGraphPart> & Requested;
  /** Whether the stream is one of protocol v2: its first part shows it. */
  #isV2: boolean | undefined;
  /** Whether the stream may end here; what cuts it may look like its end. */
  #mayEnd: boolean;

  constructor(thread: ReceivingThread, options: FoldOptions<LangGraphPart> & AtStep & Requested) {
    const known = (this.#folding = Folding.of(thread));
    this.#thread = thread;
    this.#ids = new SentIds(thread);
    this.#run = new Run(known.conversation);
    this.#options = options;
    // Half a message has its state to come, however little the stream of a run that is joined again says.
    const isHalf = options.endsWith !== undefined && (thread.incompleteIds?.length ?? 0) > 0;
    this.#mayEnd = (options.join ?? (isOpen(thread) && thread.run.id !== undefined)) && !isHalf;
    if (options.step !== undefined) known.v2.standsAt(options.step);
    if (options.join) known.api.steps.join();
    if (options.isLoaded && thread.run.id !== undefined) known.api.steps.rejoin(thread.run.id);
  }

  /** Whether the run is the one to read to its end. */
  get #isAwaited(): boolean {
    const { until, runId } = this.#options;
    return runId === undefined ? until === "run" : until !== "stream" && runId === this.#run.runId;
  }

  takeSent({ id, event, data = null }: SentPart): boolean {
    return this.take({ id, event, data });
  }

  take(value: unknown): boolean {
    const part = value as LangGraphPart;
    let isNew = false;
    try {
      isNew = this.#fold(part);
    } catch (cause) {
      reportPart(this.#thread, cause, part);
    }
    if (isNew) this.#options.onEvent?.(part);
    return this.#run.ended && this.#isV2 === true && this.#isAwaited;
  }

  refuse(data: string, cause: unknown): void {
    this.#folding.api.steps.lost();
    this.#thread[INSIDE].report(
      new ThreadfoldError("INVALID_ARGUMENT", "A part of the stream is not JSON: see the cause.", { cause }),
      data,
    );
  }

  cut(): void {
    this.#mayEnd = false;
  }

  /** Returns whether the thread did not have the part. */
  #fold(part: LangGraphPart): boolean {
    const event = isDict(part) ? eventOf(part) : undefined;
    if (!event && !isPart(part)) throw new ThreadfoldError("INVALID_ARGUMENT", NO_PART);
    // A stream may also break after the name of its event.
    const { endsWith } = this.#options;
    if (!endsWith || ((part.event === endsWith || part.event === "values") && isDict(part.data))) this.#mayEnd = true;
    else if (/^(metadata|messages)\b/.test(String(part.event))) this.#mayEnd = false;
    this.#isV2 ??= event !== undefined;
    const folding = this.#folding;
    const isKnown = event
      ? folding.takeEvent(event, this.#run)
      : folding.take(part, this.#positionOf(part), this.#beginsAnother(part), this.#run);
    if (isKnown) this.#ids.hasPassedOver = true;
    return !isKnown && !(event && folding.v2.isSkipping);
  }

  /** Whether another run begins: servers may number the parts of each from the same id. */
  #beginsAnother({ event, data }: LangGraphPart): boolean {
    return event === "metadata" && isDict(data) && "run_id" in data && data["run_id"] !== this.#thread.run.id;
  }

  /** Clock ids, which several parts may share, come with keys that distinguish the parts. */
  #positionOf(part: LangGraphPart): Position {
    const position = this.#positions.next(part);
    const { id, key } = position;
    return key !== undefined || id === undefined ? position : { id: this.#ids.named(id, contentOf(part)) };
  }

  /**
   * Records that the stream ended. A stream of the runs API ends with its run, unless it was visibly cut. A stream of
   * protocol v2 reports its end, or was cut.
   */
  async end(): Promise<RunResult> {
    const run = this.#run;
    const { api } = this.#folding;
    const isQuiet = !this.#isV2 && !run.conversation.sawValues;
    run.conversation.delivery.at(undefined);
    if (!run.ended) {
      const mayBeCut = isQuiet && !api.steps.hasEnd;
      if (this.#isV2 || !this.#mayEnd || (mayBeCut && (await this.#options.isOver?.()) === false)) {
        this.#folding.catchUp();
        disconnect(this.#thread);
      } else {
        api.steps.finish(run.interrupts.length > 0, !this.#isV2 && this.#options.endsWith === "updates");
        if (isQuiet) await this.#options.settle?.(run.interrupts.length === 0, api.steps.isNumbered);
        run.finish(api.steps.hasFoldedInput);
      }
    } else if (isQuiet)
      await this.#options.settle?.(run.error === undefined && run.interrupts.length === 0, api.steps.isNumbered);
    const { runId, error } = run;
    const { status } = this.#thread.run;
    const isCut = status === "disconnected";
    const interrupts = withIds(run.interrupts.map(interruptOf));
    const end = error === undefined ? (interrupts.length > 0 ? "interrupted" : "finished") : "error";
    return {
      status: isCut ? status : end,
      runId,
      error: isCut || error !== undefined ? runError(error, isCut) : undefined,
      interrupts,
      pendingToolCallIds: [],
    };
  }

  /** Takes note that an error ended the reading. */
  breakOff(error: unknown): void {
    const { conversation, began } = this.#run;
    conversation.delivery.at(undefined);
    if (isAbort(error, this.#options.signal)) {
      const { began, ended } = this.#run;
      const isLeft = isOpen(this.#thread) || (began && !ended);
      if (isLeft && !(this.#thread as AnyThread).isDisposed) this.#folding.api.steps.fail();
      stop(this.#thread, conversation);
    } else {
      this.#folding.catchUp();
      breakOff(this.#thread, error, began, conversation);
    }
  }
}

/** A graph's own stream, without a server, has tuples or no mode names. */
const NO_PART =
  "A part of the stream should be { event, data }, as a server sends it. Fold what a local graph streams by foldGraph(thread, graph.stream(…)).";

/** Whether it may be a part of the runs API: if it has no name, it has no other fields either. */
const isPart = (part: unknown): boolean =>
  isDict(part) && ("event" in part || Object.keys(part).every((key) => key === "id" || key === "data"));

function eventOf(part: LangGraphPart): ProtocolEvent | undefined {
  const found = isDict(part.data) && part.data["type"] === "event" ? part.data : (part as Dict);
  return found["type"] === "event" && typeof found["method"] === "string" && isDict(found["params"])
    ? (found as unknown as ProtocolEvent)
    : undefined;
}
