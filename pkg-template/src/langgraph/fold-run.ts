import { ThreadfoldError } from "threadfold";
import { isAbort } from "../abort.js";
import { Conversation, type RunThread } from "./conversation.js";
import type { RunInterrupt } from "./interrupt.js";
import { isDict, type Dict } from "./merge.js";
import { Positions } from "./part-keys.js";
import { readParts, type Part, type RunStream } from "./parts.js";
import { ProtocolV2, type ProtocolEvent } from "./protocol-v2.js";
import { Run, type RunListeners } from "./run.js";
import { RunsApi } from "./runs-api.js";

/** How {@link foldRun} reads a run. */
export interface FoldRunOptions extends RunListeners {
  /**
   * Stops reading at once and ends the run, as the user's stop does: what was said stays, and what was sent is over. The
   * promise is rejected with its reason. To leave a run that goes on, give up the stream instead.
   */
  signal?: AbortSignal | undefined;
  /**
   * The run to read to its end. Streams of protocol v2 belong to the thread and go on after a run; without this they
   * are read until the server ends them.
   */
  runId?: string | undefined;
  /**
   * The step that the thread stands at: `metadata.step` of the server's state that it was made with. Where the stream
   * names the steps of its states (the channel `checkpoints` of protocol v2), an earlier one that is told again is no
   * news, and the messages behind it stay.
   */
  step?: number | undefined;
}

/** How a run ended. */
export interface FoldedRun {
  readonly runId: string | undefined;
  /** What the graph asks; they are no part of the state. */
  readonly interrupts: readonly RunInterrupt[];
  /** What the server said when the run failed. */
  readonly error?: unknown;
}

/**
 * Folds a run of a LangGraph server into a thread: stream modes `values`, `updates`, `messages-tuple`, `messages` and
 * `custom`, with subgraphs or without, and the events of protocol v2.
 *
 * Parts of messages appear as they come; the state of the root graph has the last word, but for one that carries an
 * interrupt: what the graph within said before it asked is in no state yet, and stays. A stream that was cut may be
 * joined behind `thread.run.lastEventId`, or told again from its start: what the thread has had, it passes over. A part
 * that cannot be folded goes to the thread's `error` listeners, and the stream goes on.
 *
 * @returns when the stream ends: the run's interrupts, and its error when it failed.
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for what is no thread or no stream, `BAD_RESPONSE` for a response that
 *   is no stream of events, `DISPOSED` when the thread was given up; what reading the stream throws, what `onCustom` and
 *   `onInterrupt` throw, and the signal's reason. The source is then closed, and a run that was under way is
 *   `disconnected`: it may be joined again. The signal ends it instead. If no run began, the one that was asked for is
 *   `failed`, with what is pending, which waits for a retry.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { foldRun } from "threadfold/langgraph";
 *
 * async function* stream() {
 *   yield { event: "metadata", data: { run_id: "r1" } };
 *   yield { event: "messages", data: [{ type: "AIMessageChunk", id: "a", content: "Hel" }, {}] };
 *   yield { event: "messages", data: [{ type: "AIMessageChunk", id: "a", content: "lo" }, {}] };
 * }
 * const thread = new Thread();
 * await foldRun(thread, stream()); // or client.runs.stream(threadId, assistantId, { input, streamMode: [...] })
 * console.log(thread.getState().messages[0]?.content); // Hello
 * ```
 */
export async function foldRun(
  thread: RunThread,
  stream: RunStream | PromiseLike<RunStream>,
  given?: FoldRunOptions,
): Promise<FoldedRun> {
  const options = given ?? {};
  if (typeof thread?.receive !== "function")
    throw new ThreadfoldError("INVALID_VALUE", "foldRun folds a stream into a Thread: its first argument is none.");
  const fold = new RunFold(thread, options);
  try {
    await readParts(
      stream,
      options.signal,
      (part) => fold.take(part),
      (text, cause) =>
        thread.report(new ThreadfoldError("INVALID_VALUE", "A part of the stream is no JSON.", { cause }), text),
    );
    return fold.end();
  } catch (error) {
    fold.breakOff(error);
    throw error;
  }
}

/** What a thread's runs have in common: a stream that was cut in the middle of a message is joined again. */
const FOLDS = new WeakMap<RunThread, { conversation: Conversation; v2: ProtocolV2; api: RunsApi }>();

/** One reading of a stream. */
class RunFold {
  readonly #thread: RunThread;
  readonly #run: Run;
  readonly #v2: ProtocolV2;
  readonly #api: RunsApi;
  readonly #positions = new Positions();
  readonly #options: FoldRunOptions;
  /** Whether the stream is one of protocol v2: its first part says so. */
  #isV2: boolean | undefined;

  constructor(thread: RunThread, options: FoldRunOptions) {
    let known = FOLDS.get(thread);
    if (!known) {
      const conversation = new Conversation(thread);
      known = { conversation, v2: new ProtocolV2(conversation), api: new RunsApi(conversation) };
      FOLDS.set(thread, known);
    }
    this.#thread = thread;
    this.#run = new Run(known.conversation, options);
    this.#v2 = known.v2;
    this.#api = known.api;
    this.#options = options;
    if (options.step !== undefined) known.v2.standsAt(options.step);
  }

  /** Takes one part; says whether there may be more of the run. */
  take(part: Part): boolean {
    try {
      this.#fold(part);
    } catch (cause) {
      if (cause instanceof ThreadfoldError && cause.code === "DISPOSED") throw cause;
      const error =
        cause instanceof ThreadfoldError
          ? cause
          : new ThreadfoldError("UNREADABLE_VALUE", "A part of the stream could not be folded: see the cause.", {
              cause,
            });
      this.#thread.report(error, part);
    }
    this.#run.tell();
    const { ended, runId } = this.#run;
    return !(ended && this.#isV2 && runId !== undefined && runId === this.#options.runId);
  }

  #fold(part: Part): void {
    const event = isDict(part) ? eventOf(part) : undefined;
    if (!event && !isPart(part)) throw new ThreadfoldError("INVALID_VALUE", NO_PART);
    this.#isV2 ??= event !== undefined;
    const position = event ? { id: event.event_id, key: event.event_id } : this.#positions.next(part);
    const key = position.key ?? position.id;
    if (key !== undefined && this.#thread.had(key)) {
      if (event) this.#v2.skip(event, this.#run);
      else this.#api.skip(part, this.#run);
      return;
    }
    this.#run.conversation.at(position);
    if (event) this.#v2.take(event, this.#run);
    else this.#api.take(part, this.#run);
  }

  /** The stream is over. One of the runs API ends with its run; one of protocol v2 without a word of it was cut. */
  end(): FoldedRun {
    const run = this.#run;
    if (!run.ended) {
      if (this.#isV2) this.#disconnect();
      else run.finish();
    }
    const { runId, interrupts, error } = run;
    return { runId, interrupts: [...interrupts], ...(error === undefined ? {} : { error }) };
  }

  /** Reading ended before the stream did. If no run began, the one that was asked for has failed, unless it has an id. */
  breakOff(error: unknown): void {
    const { id, status } = this.#thread.run ?? { status: "idle" };
    const isOpen = status === "running" || status === "disconnected";
    try {
      if (isAbort(error, this.#options.signal)) this.#run.conversation.stop();
      else if (this.#run.began || (isOpen && id !== undefined)) this.#disconnect(error);
      else this.#run.conversation.refuse(error, isOpen);
    } catch {
      // The thread was given up: whoever waits for the run is told why it ended.
    }
  }

  #disconnect(error?: unknown): void {
    if (this.#thread.run?.status === "running") this.#thread.receive({ type: "disconnected", error });
  }
}

/** What a graph of langgraph.js streams itself, beside no server, comes without the names of its modes, or as tuples. */
const NO_PART =
  "A part of the stream should be { event, data }, as a server sends it. Of what a local graph streams, wrap each chunk: { event: mode, data: chunk }.";

/** Whether it may be a part of the runs API: without a name it says nothing, but has no fields of its own either. */
const isPart = (part: unknown): boolean =>
  isDict(part) && ("event" in part || Object.keys(part).every((key) => key === "id" || key === "data"));

function eventOf(part: Part): ProtocolEvent | undefined {
  const found = isDict(part.data) && part.data["type"] === "event" ? part.data : (part as Dict);
  return found["type"] === "event" && typeof found["method"] === "string" && isDict(found["params"])
    ? (found as unknown as ProtocolEvent)
    : undefined;
}
