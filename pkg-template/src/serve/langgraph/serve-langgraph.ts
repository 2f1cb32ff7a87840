import { isDict } from "../../langgraph/merge.js";
import { newId } from "../../new-id.js";
import { checkedGraph, type GraphState, type RunnableGraph } from "../../stream/graph-parts.js";
import { answering, bodyOf, eventStream, json, Refusal, type Cors, type FetchHandler } from "../http.js";
import { wireJson } from "../wire.js";
import { latestFirst } from "../run-log.js";
import type { RunPart } from "./run-parts.js";
import { Runs, type Run, type RunRequest } from "./runs.js";
import { checkpointOf, configOf, interruptsOf, threadStateOf } from "./thread-state.js";

/** How {@link serveLangGraph} answers. */
export interface ServeLangGraphOptions {
  /**
   * More of a run's config, such as `context` by who asks; a function is called for each run. It may throw a `Response`,
   * which is then the answer: a 401 for who may not run it.
   */
  config?: ((request: Request) => object | undefined) | object | undefined;
  /** Which pages of other origins may call. Default: none. */
  cors?: Cors | undefined;
  /** What the paths begin with: `"/api/langgraph"` where the client's `apiUrl` ends so. */
  basePath?: string | undefined;
  /** How many runs that are over can still be joined. Default 100. */
  keep?: number | undefined;
  /** Changes the parts of a run before they are sent: leaves some out, adds others, waits. */
  parts?:
    | ((
        parts: AsyncIterable<RunPart>,
        run: { threadId: string; runId: string },
        request: Request,
      ) => AsyncIterable<RunPart>)
    | undefined;
}

/**
 * Makes a server of a graph, or of several by the names of their assistants, that speaks the threads and runs of
 * LangGraph's API: `useStream` and `Client` of `@langchain/langgraph-sdk`, and a `LangGraphRunner`, talk to it. It is a
 * function from a `Request` to its `Response`, as {@link serve} makes.
 *
 * Served are threads (create, get, search, update, delete; state, also at a checkpoint, and its update; history), runs
 * (stream, wait, in the background; list, get, join, cancel, delete; without a thread, too) and what assistants there
 * are. What a thread holds is in the graph's checkpointer, and lasts as long as that; the threads' metadata and the runs
 * are in this program's memory, and a run goes on when whoever asked leaves, unless asked to `cancel` then. Crons, the
 * store, the older stream mode `events` and the strategy `rollback` are not served.
 *
 * @param graphs - A compiled graph, the assistant of every name, or graphs by their names.
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for what is no compiled graph.
 *
 * @example
 * ```ts
 * import { Client } from "@langchain/langgraph-sdk";
 * import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
 * import { serveLangGraph } from "threadfold/serve";
 *
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("answer", () => ({ messages: [{ role: "assistant", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile({ checkpointer: new MemorySaver() });
 * const handler = serveLangGraph(graph);
 *
 * const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
 * const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch } });
 * const { thread_id } = await client.threads.create();
 * const input = { messages: [{ type: "human", content: "Hi" }] };
 * const { messages } = (await client.runs.wait(thread_id, "agent", { input })) as { messages: { content: string }[] };
 * console.log(messages.map(({ content }) => content)); // [ 'Hi', 'Hello' ]
 * ```
 */
export function serveLangGraph(
  graphs: RunnableGraph | Readonly<Record<string, RunnableGraph>>,
  options: ServeLangGraphOptions = {},
): FetchHandler {
  const isOne = typeof (graphs as { stream?: unknown } | undefined)?.stream === "function";
  const byName = isOne
    ? undefined
    : new Map(Object.entries(graphs ?? {}).map(([name, graph]) => [name, checkedGraph(graph, "serveLangGraph")]));
  if (byName?.size === 0) checkedGraph(undefined, "serveLangGraph");
  const server = new LangGraphServer(byName ?? (graphs as RunnableGraph), options);
  return answering(
    options.cors,
    (detail) => ({ detail }),
    (request) => server.answer(request),
  );
}

interface KeptThread {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  metadata: object;
  /** The name of the graph that last ran on it. */
  assistant: string | undefined;
}

type Call = { request: Request; query: URLSearchParams; body: Record<string, unknown>; ids: readonly string[] };
type Route = (server: LangGraphServer, call: Call) => unknown;

class LangGraphServer {
  readonly #graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>;
  readonly #options: ServeLangGraphOptions;
  readonly #threads = new Map<string, KeptThread>();
  readonly #runs: Runs;

  constructor(graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>, options: ServeLangGraphOptions) {
    this.#graphs = graphs;
    this.#options = options;
    this.#runs = new Runs(options.keep ?? 100, ({ threadId }) => this.#touch(threadId));
  }

  async answer(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url);
    const base = (this.#options.basePath ?? "").replace(/\/$/, "");
    const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : "";
    for (const [method, pattern, route] of ROUTES) {
      const found = method === request.method ? pattern.exec(path) : null;
      if (!found) continue;
      const body = method === "POST" || method === "PATCH" ? await bodyOf(request) : {};
      if (!isDict(body)) throw new Refusal(422, "The body should be an object.");
      const answer = await route(this, { request, query, body, ids: found.slice(1).map(decodeURIComponent) });
      return answer instanceof Response ? answer : json(wireJson(answer));
    }
    throw new Refusal(404, `There is no ${request.method} ${pathname}.`);
  }

  // Assistants

  assistants(): object[] {
    const names = this.#graphs instanceof Map ? [...this.#graphs.keys()] : ["agent"];
    return names.map((name) => assistantNamed(name));
  }

  assistant(name: string): object {
    this.#graph(name);
    return assistantNamed(name);
  }

  // Threads

  createThread({ thread_id, metadata, if_exists }: Record<string, unknown>): object {
    const id = typeof thread_id === "string" ? thread_id : newId();
    const known = this.#threads.get(id);
    if (known && if_exists !== "do_nothing") throw new Refusal(409, `There is a thread ${id}.`);
    const thread = known ?? this.#keep(id, isDict(metadata) ? metadata : {});
    return this.#told(thread, undefined);
  }

  async thread(id: string): Promise<object> {
    const state = await this.#stateOf(id, undefined);
    return this.#told(this.#threads.get(id) ?? this.#keep(id, {}), state);
  }

  patchThread(id: string, { metadata }: Record<string, unknown>): Promise<object> {
    const thread = this.#threads.get(id) ?? this.#keep(id, {});
    thread.metadata = { ...thread.metadata, ...(isDict(metadata) && metadata) };
    this.#touch(id);
    return this.thread(id);
  }

  async deleteThread(id: string): Promise<Response> {
    for (const run of this.#runs.logs.of(id)) {
      run.stop.abort();
      await run.over;
      this.#runs.logs.remove(run);
    }
    this.#threads.delete(id);
    const savers = new Set(this.#all().map(({ checkpointer }) => checkpointer));
    for (const saver of savers) await (saver as { deleteThread?(id: string): unknown } | undefined)?.deleteThread?.(id);
    return new Response(null, { status: 204 });
  }

  async searchThreads({ metadata, ids, limit = 10, offset = 0, status }: Record<string, unknown>): Promise<object[]> {
    const asked = Object.entries(isDict(metadata) ? metadata : {});
    const found = latestFirst(this.#threads.values())
      .filter(({ id }) => !Array.isArray(ids) || ids.includes(id))
      .filter(({ metadata: own }) => asked.every(([key, value]) => (own as Record<string, unknown>)[key] === value));
    const told = (await Promise.all(found.map(({ id }) => this.thread(id)))) as { status: string }[];
    const left = status == null ? told : told.filter((thread) => thread.status === status);
    return left.slice(Number(offset), Number(offset) + Number(limit));
  }

  async state(id: string, checkpoint?: unknown, subgraphs?: unknown): Promise<object> {
    return threadStateOf(await this.#stateOf(id, checkpoint, subgraphs === true || subgraphs === "true"));
  }

  async updateState(id: string, body: Record<string, unknown>): Promise<object> {
    const graph = this.#graphOf(id);
    if (!graph.updateState) throw new Refusal(422, "The graph has no updateState().");
    const { values, as_node, checkpoint, checkpoint_id } = body;
    const config = configOf(id, checkpoint ?? checkpoint_id);
    const made = await graph.updateState(config as never, values as never, (as_node ?? undefined) as never);
    this.#touch(id);
    const at = checkpointOf(made as never);
    return { checkpoint: at, ...(made as object) };
  }

  async history(id: string, { limit = 10, before, metadata, checkpoint }: Record<string, unknown>): Promise<object[]> {
    const graph = this.#graphOf(id);
    if (!graph.getStateHistory || !graph.checkpointer) return [];
    const earlier = typeof before === "string" ? configOf(id, before) : before;
    const options = {
      limit: Number(limit),
      ...(isDict(earlier) && { before: "configurable" in earlier ? earlier : configOf(id, earlier) }),
      ...(isDict(metadata) && { filter: metadata }),
    };
    const states: object[] = [];
    for await (const state of graph.getStateHistory(configOf(id, checkpoint) as never, options as never)) {
      states.push(threadStateOf(state as GraphState));
      if (states.length >= Number(limit)) break;
    }
    return states;
  }

  // Runs

  start(threadId: string, body: RunRequest, request: Request): Run {
    const name = String(body.assistant_id ?? "");
    const graph = this.#graph(name);
    const { config } = this.#options;
    const more =
      (typeof config === "function" ? (config as (request: Request) => object | undefined)(request) : config) ?? {};
    const { parts } = this.#options;
    const change =
      parts && ((told: AsyncIterable<RunPart>, run: Run) => parts(told, { threadId, runId: run.id }, request));
    const run = this.#runs.start(graph, threadId, name, body, { config: more, change });
    const thread = this.#threads.get(threadId) ?? this.#keep(threadId, {});
    thread.assistant = name;
    return run;
  }

  /** A run without a thread has one of its own, which is gone when the run is over. */
  startAlone(body: RunRequest, request: Request): Run {
    const threadId = newId();
    const run = this.start(threadId, body, request);
    void run.over.then(() => this.deleteThread(threadId)).catch(() => {});
    return run;
  }

  run(threadId: string, id: string): Run {
    const run = this.#runs.logs.get(id);
    if (run?.threadId !== threadId) throw new Refusal(404, `There is no run ${id} of the thread ${threadId}.`);
    return run;
  }

  listRuns(threadId: string, query: URLSearchParams): object[] {
    const [limit, offset, status] = [query.get("limit") ?? 10, query.get("offset") ?? 0, query.get("status")];
    const runs = this.#runs.logs.of(threadId).filter((run) => status === null || run.status === status);
    return runs.slice(Number(offset), Number(offset) + Number(limit)).map(({ told }) => told);
  }

  async cancel(run: Run, query: URLSearchParams): Promise<object> {
    if (query.get("action") === "rollback") throw new Refusal(422, "Runs can be interrupted, but not rolled back.");
    run.stop.abort();
    if (/^(1|true)$/.test(query.get("wait") ?? "")) await run.over;
    return {};
  }

  async remove(run: Run): Promise<object> {
    run.stop.abort();
    await run.over;
    this.#runs.logs.remove(run);
    return {};
  }

  /** Streams a run from the part behind `Last-Event-ID` on, or from its start. */
  stream(run: Run, { headers }: Request, left: (() => void) | undefined): Response {
    const seen = headers.get("last-event-id");
    const from = seen === null || !/^\d+$/.test(seen) ? 0 : Number(seen) + 1;
    async function* parts(): AsyncGenerator<string> {
      for await (const [place, part] of run.from(from)) yield run.isResumable ? `id: ${place}\n${part}` : part;
    }
    return eventStream(parts(), locationOf(run), left);
  }

  // What these are made of

  #keep(id: string, metadata: object): KeptThread {
    const now = new Date().toISOString();
    const thread = { id, metadata, createdAt: now, updatedAt: now, assistant: undefined };
    this.#threads.set(id, thread);
    return thread;
  }

  #touch(id: string): void {
    const thread = this.#threads.get(id);
    if (thread) thread.updatedAt = new Date().toISOString();
  }

  #told({ id, metadata, createdAt, updatedAt }: KeptThread, state: GraphState | undefined): object {
    const last = this.#runs.logs.lastOf(id);
    const interrupts = state ? interruptsOf(state) : [];
    const isBusy = this.#runs.logs.of(id).some(({ hasEnded }) => !hasEnded);
    const status = isBusy
      ? "busy"
      : last?.status === "error"
        ? "error"
        : interrupts.length > 0
          ? "interrupted"
          : "idle";
    return {
      thread_id: id,
      created_at: createdAt,
      updated_at: updatedAt,
      metadata,
      status,
      config: {},
      values: state?.values ?? null,
      interrupts: Object.fromEntries(
        (state?.tasks ?? []).flatMap(({ id: task, interrupts: asked = [] }) =>
          asked.length > 0 ? [[task, asked]] : [],
        ),
      ),
    };
  }

  #all(): RunnableGraph[] {
    return this.#graphs instanceof Map ? [...this.#graphs.values()] : [this.#graphs as RunnableGraph];
  }

  #graph(name: string): RunnableGraph {
    const graph = this.#graphs instanceof Map ? this.#graphs.get(name) : (this.#graphs as RunnableGraph);
    if (!graph) throw new Refusal(404, `There is no assistant ${name}.`);
    return graph;
  }

  #graphOf(threadId: string): RunnableGraph {
    const name = this.#threads.get(threadId)?.assistant;
    return (name === undefined ? this.#all()[0] : this.#graph(name)) as RunnableGraph;
  }

  /** A thread is known if it was made here, or if the checkpointer has it. */
  async #stateOf(id: string, checkpoint: unknown, subgraphs = false): Promise<GraphState> {
    const graph = this.#graphOf(id);
    const config = configOf(id, checkpoint);
    const state =
      graph.getState && graph.checkpointer
        ? ((await (graph.getState as (...args: unknown[]) => unknown)(config, { subgraphs })) as GraphState)
        : ({ config } satisfies GraphState);
    if (!this.#threads.has(id) && checkpointOf(state.config) === null)
      throw new Refusal(404, `There is no thread ${id}.`);
    return state;
  }
}

const ID = "([^/]+)";
const at = (path: string) => new RegExp(`^${path.replaceAll("ID", ID)}/?$`);

/** The first that fits answers. */
const ROUTES: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ["GET", at("/ok"), () => ({ ok: true })],
  ["GET", at("/info"), () => ({ flags: { assistants: true, crons: false } })],
  ["POST", at("/assistants/search"), (server) => server.assistants()],
  ["GET", at("/assistants/ID"), (server, { ids: [name = ""] }) => server.assistant(name)],
  ["POST", at("/threads"), (server, { body }) => server.createThread(body)],
  ["POST", at("/threads/search"), (server, { body }) => server.searchThreads(body)],
  ["GET", at("/threads/ID"), (server, { ids: [id = ""] }) => server.thread(id)],
  ["PATCH", at("/threads/ID"), (server, { ids: [id = ""], body }) => server.patchThread(id, body)],
  ["DELETE", at("/threads/ID"), (server, { ids: [id = ""] }) => server.deleteThread(id)],
  [
    "GET",
    at("/threads/ID/state"),
    (server, { ids: [id = ""], query }) => server.state(id, undefined, query.get("subgraphs")),
  ],
  [
    "POST",
    at("/threads/ID/state/checkpoint"),
    (server, { ids: [id = ""], body }) => server.state(id, body["checkpoint"], body["subgraphs"]),
  ],
  [
    "GET",
    at("/threads/ID/state/ID"),
    (server, { ids: [id = "", checkpoint], query }) => server.state(id, checkpoint, query.get("subgraphs")),
  ],
  ["POST", at("/threads/ID/state"), (server, { ids: [id = ""], body }) => server.updateState(id, body)],
  ["POST", at("/threads/ID/history"), (server, { ids: [id = ""], body }) => server.history(id, body)],
  [
    "GET",
    at("/threads/ID/history"),
    (server, { ids: [id = ""], query }) => server.history(id, Object.fromEntries(query)),
  ],
  [
    "POST",
    at("/threads/ID/runs/stream"),
    (server, call) => streamed(server, server.start(idOf(call), call.body, call.request), call),
  ],
  ["POST", at("/threads/ID/runs/wait"), (server, call) => waited(server.start(idOf(call), call.body, call.request))],
  ["POST", at("/threads/ID/runs"), (server, call) => begun(server.start(idOf(call), call.body, call.request))],
  ["GET", at("/threads/ID/runs"), (server, { ids: [id = ""], query }) => server.listRuns(id, query)],
  ["POST", at("/runs/stream"), (server, call) => streamed(server, server.startAlone(call.body, call.request), call)],
  ["POST", at("/runs/wait"), (server, call) => waited(server.startAlone(call.body, call.request))],
  ["POST", at("/runs"), (server, call) => begun(server.startAlone(call.body, call.request))],
  ["GET", at("/threads/ID/runs/ID"), (server, call) => runOf(server, call).told],
  ["DELETE", at("/threads/ID/runs/ID"), (server, call) => server.remove(runOf(server, call))],
  ["GET", at("/threads/ID/runs/ID/join"), (server, call) => waited(runOf(server, call))],
  ["GET", at("/threads/ID/runs/ID/stream"), (server, call) => joined(server, runOf(server, call), call)],
  ["POST", at("/threads/ID/runs/ID/cancel"), (server, call) => server.cancel(runOf(server, call), call.query)],
];

const idOf = ({ ids: [id = ""] }: Call): string => id;
const runOf = (server: LangGraphServer, { ids: [threadId = "", id = ""] }: Call): Run => server.run(threadId, id);

/** Where a run can be joined; by this the SDK knows its id. */
const locationOf = (run: Run) => ({ "content-location": `/threads/${run.threadId}/runs/${run.id}` });

const streamed = (server: LangGraphServer, run: Run, { request, body }: Call): Response =>
  server.stream(run, new Request(request.url), body["on_disconnect"] === "cancel" ? () => run.stop.abort() : undefined);

function joined(server: LangGraphServer, run: Run, { request, query }: Call): Response {
  const isLast = /^(1|true)$/.test(query.get("cancel_on_disconnect") ?? "");
  return server.stream(run, request, isLast ? () => run.stop.abort() : undefined);
}

async function waited(run: Run): Promise<Response> {
  await run.over;
  const response = json(wireJson(run.result));
  for (const [name, value] of Object.entries(locationOf(run))) response.headers.set(name, value);
  return response;
}

function begun(run: Run): Response {
  const response = json(wireJson(run.told));
  for (const [name, value] of Object.entries(locationOf(run))) response.headers.set(name, value);
  return response;
}

const assistantNamed = (name: string) => ({
  assistant_id: name,
  graph_id: name,
  name,
  config: {},
  context: {},
  metadata: {},
  version: 1,
  created_at: "1970-01-01T00:00:00.000Z",
  updated_at: "1970-01-01T00:00:00.000Z",
});
