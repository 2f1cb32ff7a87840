import type { GraphEvent, ServedEvent } from "../ag-ui/graph/graph-event.js";
import {
  checkedInterrupts,
  checkpointOf,
  isKept,
  runConfig,
  servedEvents,
  threadState,
  type GraphEventOptions,
  type ServedOptions,
} from "../ag-ui/graph/graph-events.js";
import { checkedInput, isUnfinished, resumeOf, type GraphRunInput } from "../ag-ui/graph/graph-input.js";
import { agUiMessages } from "../ag-ui/graph/message-told.js";
import { REPEATS, WHOLE } from "../ag-ui/graph/whole.js";
import { capabilities, foldingClient, folds } from "./capabilities.js";
import { errorWords } from "../stream/error-words.js";
import { checkedGraph, shownState, type GraphTask, type RunnableGraph } from "../stream/graph-parts.js";
import {
  answering,
  checkId,
  checkServerOptions,
  decoded,
  eventStream,
  json,
  sooner,
  type Asker,
  type FetchHandler,
  type HandlerOptions,
} from "./http.js";
import { Refusal } from "./refusal.js";
import { Owners } from "./owners.js";
import { bodyOf } from "./request-body.js";
import { RunLog, RunLogs } from "./run-log.js";
import { UnderWay } from "./under-way.js";
import { wireJson } from "./wire.js";

/** How {@link serveAgUi} answers. */
export interface ServeAgUiOptions extends HandlerOptions {
  /**
   * More of a run's config, such as `recursionLimit` or `context`; a function is called for each run. It may throw a
   * `Response`, which is then the answer: a 403 for who may not run it.
   */
  config?: ((input: GraphRunInput, request: Request) => object | undefined) | object | undefined;
  /**
   * Whether a run continues when its caller leaves, and can be joined again: in the memory of this program. Without it
   * a run stops with its connection. Default false.
   */
  resumable?: boolean | undefined;
  /** How many runs that are over can still be joined. Default 100. */
  keep?: number | undefined;
  /**
   * How an interrupted run says so. Default `"on_interrupt"`: the custom event of ag-ui-langgraph, which CopilotKit gives
   * to a page as it is. `"outcome"` is AG-UI 1.0's own way, for `HttpAgent` and its `pendingInterrupts`. Clients that
   * fold get the interrupts either way.
   */
  interrupts?: GraphEventOptions["interrupts"];
  /**
   * Whether to emit AG-UI 1.0's events of sub-agents: their starts, messages and ends. Clients other than
   * `foldAgUi` and `AgUiRunner` show those messages in the conversation. Default false.
   */
  subagents?: boolean | undefined;
  /** Changes the events of a run before they are sent: leaves some out, adds others, waits. */
  onEvents?:
    | ((events: AsyncIterable<GraphEvent>, input: GraphRunInput, request: Request) => AsyncIterable<GraphEvent>)
    | undefined;
}

/**
 * Makes a server of a graph: a function from a `Request` to its `Response` that speaks AG-UI over server-sent events.
 * Use it in a Worker, a Next route, Deno or Bun, or in Node through {@link toNodeListener}. Any client of an AG-UI
 * agent can use it: `HttpAgent`, CopilotKit, assistant-ui, `AgUiRunner`.
 *
 * POST a `RunAgentInput` to start a run and receive its events. `GET …/capabilities` says what the server can do. `GET …/threads/ID` returns the graph's thread,
 * `{ messages, state, interrupts, next }`, with `run: { id }` while one is active. If the runs are `resumable`,
 * `GET …/threads/ID/runs/ID` joins one, after `Last-Event-ID` or from its start. A POST
 * of the same run joins it, too. `DELETE …/threads/ID/runs/ID` stops it. A runner that is `resumable`, too, does both. While a run is active,
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
  checkedGraph(graph, "serveAgUi");
  checkServerOptions("serveAgUi", options, ["config", "resumable", "keep", "interrupts", "subagents", "onEvents"]);
  checkedInterrupts("serveAgUi", options.interrupts);
  const server = new AgUiServer(graph, options);
  return answering(
    options,
    (error) => ({ error }),
    (request, asker) => server.answer(request, asker),
  );
}

/** How many milliseconds the end of a connection may take to become known. */
const LEAVING = 100;

/** The paths of a thread, or of a run of a thread. A POST to any other path starts a run. */
const PATH = /\/threads\/([^/]+)(?:\/runs\/([^/]+))?$/;

class AgUiServer {
  readonly #graph: RunnableGraph;
  readonly #options: ServeAgUiOptions;
  readonly #runs: RunLogs;
  readonly #underWay: UnderWay;
  readonly #owners: Owners;

  constructor(graph: RunnableGraph, options: ServeAgUiOptions) {
    this.#graph = graph;
    this.#underWay = new UnderWay(graph);
    this.#options = options;
    this.#runs = new RunLogs(options.resumable ? (options.keep ?? 100) : 0);
    this.#owners = new Owners(
      () => [graph],
      options,
      (threadId) => this.#runs.of(threadId),
    );
  }

  async answer(request: Request, asker: Asker | undefined): Promise<Response> {
    const { method } = request;
    const { pathname } = new URL(request.url);
    const [, threadId, runId] = (PATH.exec(pathname) ?? []).map((part) => part && decoded(part));
    if (threadId === undefined) {
      if (method === "GET" && pathname.endsWith("/capabilities"))
        return json(JSON.stringify(capabilities(this.#graph, this.#options)));
      if (method === "POST" && !/\/runs\/[^/]+$/.test(pathname))
        return this.#start(readInput(await bodyOf(request, this.#options)), request, asker);
      throw new Refusal(404, `There is no ${method} ${pathname}.`);
    }
    await this.#owners.open(asker, threadId, false);
    if (runId === undefined) {
      if (method === "GET") return this.#thread(threadId);
    } else if (method === "GET" || method === "DELETE") {
      const run = this.#options.resumable ? this.#runs.get(threadId, runId) : undefined;
      if (!run) throw new Refusal(404, `There is no run ${runId} of the thread ${threadId}.`);
      if (method === "GET") return this.#stream(run, request);
      run.stop.abort();
      await run.over;
      return json("{}");
    }
    throw new Refusal(404, `There is no ${method} ${pathname}.`);
  }

  async #start(given: GraphRunInput, request: Request, asker: Asker | undefined): Promise<Response> {
    checkId(given.threadId);
    const { input, client, changes } = folds(this.#graph, this.#options) ? foldingClient(given) : { input: given };
    const owner = await this.#owners.open(asker, input.threadId, true);
    const known = this.#options.resumable ? this.#runs.get(input.threadId, input.runId) : undefined;
    const answers = JSON.stringify(input.resume);
    // An answer under the id of the run that asked, as CopilotKit sends it, is a run of its own.
    const isSame = answers === known?.resume && (answers !== undefined || resumeOf(input) === undefined);
    if (known && (isSame || !known.hasEnded)) return this.#stream(known, request);
    // Without a checkpointer there is no thread that two runs could share.
    if (this.#graph.checkpointer) await this.#free(input.threadId);
    const { config } = this.#options;
    const asked = typeof config === "function" ? (config as (...args: unknown[]) => object)(input, request) : config;
    const run = new RunLog(input.runId, input.threadId, owner, answers);
    this.#runs.add(run);
    if (this.#graph.checkpointer) this.#underWay.add(run);
    // A caller who leaves before there is a response stops the run, too.
    const stop = () => run.stop.abort();
    if (!this.#options.resumable) request.signal.addEventListener("abort", stop);
    if (!this.#options.resumable && request.signal.aborted) stop();
    const state = client?.leavesOut ? await this.#known(run, client.at, asked) : undefined;
    const { interrupts, subagents } = this.#options;
    void this.#work(run, input, request, {
      config: asked as ServedOptions["config"],
      interrupts,
      subagents,
      client,
      changes,
      known: state,
    });
    return this.#stream(run, request, client !== undefined);
  }

  /** Reads the thread of a client that left out the messages of a checkpoint; refuses a run if it is at another one. */
  async #known(run: RunLog, at: unknown, config: object | undefined) {
    try {
      const known = await threadState(this.#graph, runConfig(config, run.threadId));
      if (at !== undefined && checkpointOf(known) === at) return known;
      throw new Refusal(412, `The thread ${run.threadId} is at another checkpoint: send all its messages.`);
    } catch (error) {
      run.end();
      this.#runs.remove(run);
      throw error;
    }
  }

  /** Waits until no run of the thread is under way. One that was stopped is over soon; any other is somebody else's. */
  async #free(threadId: string): Promise<void> {
    // Another request may have waited, too, and have begun its run first.
    for (let runs = this.#underWay.of(threadId); runs.length > 0; runs = this.#underWay.of(threadId)) {
      const over = Promise.all(runs.map(({ over }) => over));
      // The client may have left a run just now, by another connection than this one.
      if (!this.#options.resumable) await sooner(over, LEAVING);
      if (!runs.every(({ stop, hasEnded }) => hasEnded || stop.signal.aborted))
        throw new Refusal(409, `The thread ${threadId} has a run that goes on.`);
      await over;
    }
  }

  async #work(run: RunLog, input: GraphRunInput, request: Request, options: ServedOptions): Promise<void> {
    const { onEvents: change } = this.#options;
    const { signal } = run.stop;
    const told = servedEvents(this.#graph, input, { ...options, signal });
    const { threadId, runId } = input;
    let last = "";
    try {
      for await (const event of change ? change(told, input, request) : told) {
        last = event.type;
        const { [WHOLE]: whole, [REPEATS]: repeats } = event as ServedEvent;
        const own = repeats ? undefined : partOf(event);
        run.add(whole ? { own, joined: () => partOf(whole()) } : (own ?? ""));
      }
      // A stopped run ends successfully: its messages stay.
      if (signal.aborted && !/^RUN_(FINISHED|ERROR)$/.test(last))
        run.add(partOf({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } }));
    } catch (error) {
      run.add(partOf({ type: "RUN_ERROR", message: errorWords(error).message }));
    } finally {
      run.end();
    }
  }

  #stream(run: RunLog, { headers }: Request, isStarter = false): Response {
    const { resumable } = this.#options;
    const seen = Number(headers.get("last-event-id") ?? 0);
    async function* parts(): AsyncGenerator<string> {
      for await (const [place, part] of run.from(Number.isInteger(seen) ? seen : 0, isStarter))
        yield resumable ? `id: ${place + 1}\n${part}\n\n` : `${part}\n\n`;
    }
    return eventStream(parts(), this.#options, {}, resumable ? undefined : () => run.stop.abort());
  }

  async #thread(threadId: string): Promise<Response> {
    const known = await threadState(this.#graph, { configurable: { thread_id: threadId } });
    const { messages = [], ...state } = (known?.values ?? {}) as { messages?: readonly unknown[] };
    const [run] = this.#underWay.of(threadId);
    if (!known || !(run || isKept(known))) throw new Refusal(404, `There is no thread ${threadId}.`);
    const interrupts = (known.tasks ?? []).flatMap(({ interrupts = [] }: GraphTask) => interrupts);
    return json(
      wireJson({
        messages: messages.flatMap(agUiMessages),
        state: shownState(this.#graph, state),
        interrupts,
        next: known.next ?? [],
        ...(run && { run: { id: run.id } }),
        // An unfinished step's writes are in the values, and not at the checkpoint.
        ...(!run && !isUnfinished(known) && { checkpoint: checkpointOf(known) }),
      }),
    );
  }
}

const partOf = (event: GraphEvent): string => `data: ${wireJson(event)}`;

/** Reads a `RunAgentInput`; refuses an invalid one. */
function readInput(given: unknown): GraphRunInput {
  try {
    return checkedInput(given);
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}
