import { checkedInterrupts } from "../../ag-ui/graph/graph-events.js";
import { checkedGraph, type RunnableGraph } from "../../stream/graph-parts.js";
import { answering, checkServerOptions, type FetchHandler } from "../http.js";
import { AgUiServer } from "./ag-ui-server.js";
import type { ServeAgUiOptions } from "./serve-options.js";

/**
 * Makes a server of a graph: a function from a `Request` to its `Response` that speaks AG-UI over server-sent events.
 * Use it in a Worker, a Next route, Deno or Bun, or in Node through {@link toNodeListener}. Any client of an AG-UI
 * agent can use it: `HttpAgent`, CopilotKit, assistant-ui, `AgUiRunner`.
 *
 * | request | answer |
 * | --- | --- |
 * | POST a `RunAgentInput` | the events of its run. A run that is under way, or that it repeats, is joined |
 * | `GET …/capabilities` | what the server can do |
 * | `GET …/threads` | the threads |
 * | `GET …/threads/ID` | `{ messages, state, interrupts, next }`, with `run: { id }` while one is active, else with `checkpoint` |
 * | `GET …/threads/ID/checkpoints` | the newest checkpoints. A POST of `{ from }` makes a copy of one the thread's newest |
 *
 * With `resumable`, which a runner needs too, also:
 *
 * | request | answer |
 * | --- | --- |
 * | `GET …/threads/ID/runs/ID` | joins a run, after `Last-Event-ID` or from its start |
 * | `DELETE …/threads/ID/runs/ID` | stops it |
 * | `POST …/threads/ID/runs/ID/messages` | sends the user's `{ messages }` into it: a graph reads them by `context.inbox()` |
 * | `GET …/threads/ID/events` | follows a thread: the events of its runs, from the one under way or after `Last-Event-ID`. With `?only=starts`, one RUN_STARTED for each |
 *
 * While a run is active, here or in {@link serveLangGraph}, the server answers 409 to a second run of its thread.
 * `authenticate` lets requests in and names their users: a thread belongs to the user who made it. Without it anybody
 * may call.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a compiled graph, and for an unknown option.
 *
 * @example
 * ```ts
 * import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { Thread, type AgUiState } from "threadfold";
 * import { AgUiRunner } from "threadfold/ag-ui";
 * import { serveAgUi } from "threadfold/serve";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const handler = serveAgUi(graph); // export default { fetch: handler }, export const POST = handler, Deno.serve(handler)
 *
 * const thread = new Thread<AgUiState>();
 * const runner = new AgUiRunner(thread, {
 *   url: "http://localhost/agent",
 *   fetch: async (url, init) => handler(new Request(url, init)),
 * });
 * await runner.sendMessage("Hi");
 * console.log(thread.getState().messages.map(({ content }) => content)); // [ 'Hi', 'Hello' ]
 * ```
 */
export function serveAgUi(graph: RunnableGraph, options: ServeAgUiOptions = {}): FetchHandler {
  const compiled = checkedGraph(graph, "serveAgUi");
  const own = ["config", "resumable", "keep", "runs", "interrupts", "subagents", "onEvents"];
  checkServerOptions("serveAgUi", options, own);
  checkedInterrupts("serveAgUi", options.interrupts);
  const resumable = options.resumable ?? options.runs !== undefined;
  const server = new AgUiServer(compiled, { ...options, resumable });
  return answering(
    options,
    (error) => ({ error }),
    (request, asker) => server.answer(request, asker),
  );
}
