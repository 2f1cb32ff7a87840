import { ThreadfoldError } from "threadfold";
import { Conversation, type RunThread } from "./conversation.js";
import { isDict, type Dict } from "./merge.js";
import { Positions, type Position } from "./part-keys.js";
import { readParts, type Part, type RunStream } from "./parts.js";
import { ProtocolV2, type ProtocolEvent } from "./protocol-v2.js";
import { RunsApi } from "./runs-api.js";

/** A question of the graph's to the user: the run goes on when it is resumed with the answer. */
export interface RunInterrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
  /** The graph within the graph that asks. */
  readonly namespace: readonly string[];
}

/** How {@link foldRun} reads a run. */
export interface FoldRunOptions {
  /** Stops reading: the promise is rejected with its reason, the thread stays as it is. */
  signal?: AbortSignal | undefined;
  /**
   * The run to read to its end. Streams of protocol v2 belong to the thread and go on after a run; without this they
   * are read until the server ends them.
   */
  runId?: string | undefined;
  /** Told what nodes send by `get_stream_writer()`. */
  onCustom?: ((data: unknown, from: { namespace: readonly string[]; name?: string | undefined }) => void) | undefined;
  /** Told of each interrupt once. */
  onInterrupt?: ((interrupt: RunInterrupt) => void) | undefined;
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
 * Parts of messages appear as they come; the state of the root graph has the last word. A stream that was cut may be
 * joined behind `thread.run.lastEventId`, or told again from its start: what the thread has had, it passes over.
 *
 * @returns when the stream ends: the run's interrupts, and its error when it failed.
 * @throws what reading the stream throws, and the signal's reason. The run may then be joined again.
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
export async function foldRun(thread: RunThread, stream: RunStream, options: FoldRunOptions = {}): Promise<FoldedRun> {
  const fold = new RunFold(thread, options);
  await readParts(
    stream,
    options.signal,
    (part) => fold.take(part),
    (text, cause) => {
      thread.report(new ThreadfoldError("INVALID_VALUE", "A part of the stream is no JSON.", { cause }), text);
    },
  );
  return fold.end();
}

/** What a thread's runs have in common: a stream that was cut in the middle of a message is joined again. */
const FOLDS = new WeakMap<RunThread, { conversation: Conversation; v2: ProtocolV2; api: RunsApi }>();

/** One reading of a stream. */
export class RunFold {
  readonly conversation: Conversation;
  readonly #v2: ProtocolV2;
  readonly #api: RunsApi;
  readonly #positions = new Positions();
  readonly #options: FoldRunOptions;
  readonly #interrupts: RunInterrupt[] = [];
  runId: string | undefined;
  error: unknown;
  /** Whether the run is over: by its own word, or by the end of a stream that ends with it. */
  ended = false;
  #isV2 = false;

  constructor(thread: RunThread, options: FoldRunOptions) {
    let known = FOLDS.get(thread);
    if (!known) {
      const conversation = new Conversation(thread);
      known = { conversation, v2: new ProtocolV2(conversation), api: new RunsApi(conversation) };
      FOLDS.set(thread, known);
    }
    this.conversation = known.conversation;
    this.#v2 = known.v2;
    this.#api = known.api;
    this.#options = options;
  }

  /** Takes one part; says whether there may be more of the run. */
  take(part: Part): boolean {
    const event = eventOf(part);
    const position: Position = event ? { id: event.event_id, key: event.event_id } : this.#positions.next(part);
    const key = position.key ?? position.id;
    if (key !== undefined && this.conversation.thread.had(key)) {
      if (event) this.#v2.skip(event);
      return true;
    }
    this.conversation.at(position);
    try {
      if (event) {
        this.#isV2 = true;
        this.#v2.take(event, this);
        return !(this.ended && this.#options.runId !== undefined && this.runId === this.#options.runId);
      }
      this.#api.take(part, this);
    } catch (error) {
      if (!(error instanceof ThreadfoldError) || error.code === "DISPOSED") throw error;
      this.conversation.thread.report(error, part);
    }
    return true;
  }

  /** The stream is over. One of the runs API ends with its run; one of protocol v2 without a word of it was cut. */
  end(): FoldedRun {
    if (!this.ended && !this.#isV2) this.finish();
    return { runId: this.runId, interrupts: this.#interrupts, ...(this.error === undefined ? {} : { error: this.error }) };
  }

  start(runId: string | undefined): void {
    this.runId = runId;
    this.ended = false;
    this.error = undefined;
    this.#interrupts.length = 0;
    this.conversation.start(runId);
  }

  finish(): void {
    this.ended = true;
    this.conversation.finish();
  }

  fail(error: unknown): void {
    this.ended = true;
    this.error = error;
    this.conversation.fail(error);
  }

  interrupt(interrupt: RunInterrupt): void {
    const { id } = interrupt;
    if (id !== undefined && this.#interrupts.some((known) => known.id === id)) return;
    this.#interrupts.push(interrupt);
    this.#options.onInterrupt?.(interrupt);
  }

  /** The interrupts of a state or an update. */
  interruptsOf(list: unknown, namespace: readonly string[]): void {
    for (const { id, value } of Array.isArray(list) ? list.filter(isDict) : []) {
      this.interrupt({ id: typeof id === "string" ? id : undefined, value, namespace });
    }
  }

  /** A state without the interrupts that come with it; undefined when it is nothing but them. */
  stateOf(data: unknown, namespace: readonly string[]): Dict | undefined {
    if (!isDict(data)) return undefined;
    if (!("__interrupt__" in data)) return data;
    const { __interrupt__: list, ...values } = data;
    this.interruptsOf(list, namespace);
    return Object.keys(values).length > 0 ? values : undefined;
  }

  custom(data: unknown, namespace: readonly string[], name?: string): void {
    this.#options.onCustom?.(data, { namespace, name });
  }
}

function eventOf(part: Part): ProtocolEvent | undefined {
  const found = isDict(part.data) && part.data["type"] === "event" ? part.data : (part as Dict);
  return found["type"] === "event" && typeof found["method"] === "string" && isDict(found["params"])
    ? (found as unknown as ProtocolEvent)
    : undefined;
}
