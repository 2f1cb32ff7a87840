import { ThreadfoldError } from "../shared/errors.js";
import { isAbortError } from "../shared/abort.js";
import { isPromise } from "../shared/is-promise.js";
import { newId } from "../shared/new-id.js";
import { foldOptions, type FoldOptions } from "../stream/fold-options.js";
import { readGraphPart } from "../stream/graph-parts.js";
import type { AnyThread } from "../thread/thread.js";
import { foldLangGraph } from "./fold-langgraph.js";
import type { RunResult } from "../stream/run-result.js";
import type { LangGraphPart } from "./parts.js";

/**
 * Folds a run of a graph in the same program into a thread: {@link foldLangGraph} for what `graph.stream()` returns, of
 * `threadfold/graph` and of langgraph.js. Stream in a list of modes, so that each part says which it is in: `values` (it
 * confirms), `messages` (it streams), and `updates` or `custom` if you like.
 *
 * Resolves with how the run ended. If a node threw, its status is `error`, and its updates wait for a retry.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for an invalid thread or stream, `DISPOSED`; the signal's
 *   reason.
 *
 * @example
 * ```ts
 * import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { Thread } from "threadfold";
 * import { foldGraph } from "threadfold/langgraph";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const thread = new Thread();
 * const question = { type: "human" as const, id: "q", content: "Hi" };
 * thread.optimistic({ messages: [question] });
 * await foldGraph(thread, graph.stream({ messages: [question] }, { streamMode: ["values", "messages"] }));
 * console.log(thread.getState().messages.map(({ content }) => content)); // [ 'Hi', 'Hello' ]
 * ```
 */
export async function foldGraph(
  thread: AnyThread,
  stream: AsyncIterable<unknown> | PromiseLike<AsyncIterable<unknown>>,
  options?: FoldOptions<LangGraphPart>,
): Promise<RunResult> {
  const read = foldOptions("foldGraph", options);
  const parts: unknown = isPromise(stream) ? await Promise.resolve(stream).catch(failing) : stream;
  if (!isIterable(parts)) throw new ThreadfoldError("INVALID_ARGUMENT", NO_STREAM);
  const runId = read.runId ?? newId();
  return foldLangGraph(thread, partsOf(parts, runId), { ...read, runId, join: read.join ?? false });
}

/** The graph's parts as a server would send them. */
async function* partsOf(parts: AsyncIterable<unknown>, runId: string): AsyncGenerator<LangGraphPart> {
  yield { event: "metadata", data: { run_id: runId } };
  let misread: ThreadfoldError | undefined;
  try {
    for await (const given of parts) {
      const part = readGraphPart(given);
      if (!part) throw (misread = new ThreadfoldError("INVALID_ARGUMENT", NO_MODE));
      yield { event: [part.mode, ...part.ns].join("|"), data: part.payload };
    }
  } catch (error) {
    if (isAbortError(error) || error === misread) throw error;
    // A node's error is the run's, not the connection's.
    yield { event: "error", data: error };
  }
}

/** A stream that could not begin: a node's error is the run's. */
// oxlint-disable-next-line require-yield -- it only throws
async function* failing(error: unknown): AsyncGenerator<never> {
  throw error;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);

const NO_STREAM =
  "foldGraph: the second argument is not an async iterable. Pass graph.stream(input, { streamMode: ['values', 'messages'] }).";
const NO_MODE =
  "A part of the stream does not say which mode it is in: stream with a list of modes, such as ['values', 'messages'].";
