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
 * POST a `RunAgentInput` to start a run and receive its events. `GET …/capabilities` says what the server can do. `GET …/threads/ID` returns the graph's thread,
 * `{ messages, state, interrupts, next }`, with `run: { id }` while one is active. `GET …/threads` lists the threads. If the runs are `resumable`,
 * `GET …/threads/ID/runs/ID` joins one, after `Last-Event-ID` or from its start. A POST
 * of the same run joins it, too. `GET …/threads/ID/events` follows a thread: it sends the events of its runs as they come, from
 * the run under way on, or after `Last-Event-ID`. With `?only=starts` it sends one RUN_STARTED for each run. `GET …/threads/ID/checkpoints` lists
 * the newest checkpoints, and a POST of `{ from }` to it makes a copy of one the thread's newest. `DELETE …/threads/ID/runs/ID` stops a run. `POST …/threads/ID/runs/ID/messages` sends `{ messages }` of the
 * user's into it: a graph reads them by `context.inbox()`. A runner that is `resumable`, too, does all three. While a run is active,
 * here or in {@link serveLangGraph}, the server answers 409 to a second run of its thread. `authenticate` lets requests
 * in and names their users: a thread belongs to the user who made it. Without it anybody may call.
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
