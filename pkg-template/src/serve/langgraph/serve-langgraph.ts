import { isDict } from "../../shared/dict.js";
import { checkedGraph, type RunnableGraph } from "../../stream/graph-parts.js";
import { answering, checkServerOptions, decoded, json, type FetchHandler } from "../http.js";
import { aborted, leaving } from "../leaving.js";
import { Refusal } from "../refusal.js";
import { bodyOf } from "../request-body.js";
import { wireJson } from "../wire.js";
import { checkForms } from "./body-forms.js";
import { LangGraphServer, type Asked } from "./langgraph-server.js";
import { reasonFor } from "./not-served.js";
import { modesOf } from "./run-parts.js";
import { toldRun, type KnownRun, type Run } from "./run.js";
import type { ServeLangGraphOptions } from "./serve-options.js";
import { locationOf } from "./streamed-run.js";

/**
 * Makes a server of a graph, or of several by the names of their assistants. It speaks the threads and runs of
 * LangGraph's API, and protocol v2. `useStream` of `@langchain/react` and of `@langchain/langgraph-sdk`, its `Client` and
 * a `LangGraphRunner` talk to it. It is a function from a `Request` to its `Response`, as {@link serveAgUi} makes.
 *
 * It serves threads (create, get, search, update, delete; state, also at a checkpoint, and its update; history). It
 * serves runs (stream, wait, in the background; list, get, join, cancel, delete; also without a thread) and assistants.
 * A thread's content is in the graph's checkpointer, and lasts as long as that. The threads' metadata and the runs are
 * in this program's memory. A run continues when its caller leaves, unless the caller asked for `cancel`. Crons, the
 * store, the older stream mode `events` and the strategy `rollback` are not served. `authenticate` lets requests in and
 * names their users: a thread belongs to the user who made it. Without it anybody may call.
 *
 * @param graphs - A compiled graph, the assistant of every name, or graphs by their names.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a compiled graph, and for an unknown option.
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
  const named = isOne ? [] : Object.entries(graphs ?? {});
  const served =
    named.length > 0
      ? new Map(named.map(([name, graph]) => [name, checkedGraph(graph, "serveLangGraph")]))
      : checkedGraph(graphs, "serveLangGraph");
  const own = ["config", "clientWrites", "basePath", "keep", "runs", "keepThreads", "maxRecursionLimit", "onParts"];
  checkServerOptions("serveLangGraph", options, own);
  const base = (options.basePath ?? "").replace(/\/$/, "");
  const server = new LangGraphServer(served, options);
  return answering(
    options,
    (detail) => ({ detail }),
    (request, asker) => answer(server, base, options, { request, asker }),
  );
}

interface Call extends Asked {
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly ids: readonly string[];
}
type Route = (server: LangGraphServer, call: Call) => unknown;

/** Finds what a request is for, and has it done. */
async function answer(
  server: LangGraphServer,
  base: string,
  options: ServeLangGraphOptions,
  { request, asker }: Pick<Asked, "request" | "asker">,
): Promise<Response> {
  server.watch();
  const { pathname, searchParams: query } = new URL(request.url);
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : "";
  const reason = reasonFor(request.method, path);
  if (reason !== undefined) throw new Refusal(404, `${request.method} ${pathname} is not served: ${reason}.`);
  for (const [method, pattern, route] of ROUTES) {
    const found = method === request.method ? pattern.exec(path) : null;
    if (!found) continue;
    const body = method === "POST" || method === "PATCH" ? await bodyOf(request, options) : {};
    if (!isDict(body)) throw new Refusal(422, "The body should be an object.");
    checkForms(body, options.maxRecursionLimit);
    const ids = found.slice(1).map(decoded);
    // Here, and not in the routes: none can leave it out.
    const makes = method === "POST" && makesThread(path, body);
    if (path.startsWith("/threads/") && ids[0] !== undefined) await server.open(asker, ids[0], makes);
    const answer = await route(server, { request, asker, makes, query, body, ids });
    return answer instanceof Response ? answer : json(wireJson(answer));
  }
  throw new Refusal(404, `There is no ${request.method} ${pathname}.`);
}

/** Whether a request makes a thread that is not there. A client of protocol v2 may read a thread before its first run. */
function makesThread(path: string, body: Readonly<Record<string, unknown>>): boolean {
  if (/\/runs(\/stream|\/wait)?\/?$/.test(path)) return body["if_not_exists"] !== "reject";
  if (/\/commands\/?$/.test(path)) return body["method"] === "run.start";
  return /\/stream\/events\/?$/.test(path);
}

const ID = "([^/]+)";
const at = (path: string) => new RegExp(`^${path.replaceAll("ID", ID)}/?$`);

/** The first that fits answers. */
const ROUTES: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ["GET", at("/ok"), () => ({ ok: true })],
  ["GET", at("/info"), () => ({ flags: { assistants: true, crons: false } })],
  ["POST", at("/assistants/search"), (server, { body }) => server.assistants.search(body)],
  ["POST", at("/assistants/count"), (server, { body }) => server.assistants.count(body)],
  ["GET", at("/assistants/ID"), (server, { ids: [name = ""] }) => server.assistants.get(name)],
  [
    "GET",
    at("/assistants/ID/graph"),
    (server, { ids: [name = ""], query }) => server.assistants.drawing(name, query.get("xray")),
  ],
  [
    "POST",
    at("/assistants/ID/versions"),
    (server, { ids: [name = ""], body }) => server.assistants.versions(name, body),
  ],
  ["POST", at("/threads"), (server, { body, asker }) => server.createThread(body, asker)],
  ["POST", at("/threads/search"), (server, { body, asker }) => server.summaries.search(body, asker)],
  ["POST", at("/threads/count"), (server, { body, asker }) => server.summaries.count(body, asker)],
  ["GET", at("/threads/ID"), (server, { ids: [id = ""] }) => server.thread(id)],
  ["PATCH", at("/threads/ID"), (server, { ids: [id = ""], body }) => server.patchThread(id, body)],
  ["DELETE", at("/threads/ID"), (server, { ids: [id = ""] }) => server.deleteThread(id)],
  ["GET", at("/threads/ID/state"), (server, { ids: [id = ""], query }) => server.states.state(id, stateQuery(query))],
  ["POST", at("/threads/ID/state/checkpoint"), (server, { ids: [id = ""], body }) => server.states.state(id, body)],
  [
    "GET",
    at("/threads/ID/state/ID"),
    (server, { ids: [id = "", checkpoint], query }) => server.states.state(id, { ...stateQuery(query), checkpoint }),
  ],
  ["POST", at("/threads/ID/state/digest"), (server, { ids: [id = ""], body }) => server.states.digest(id, body)],
  ["POST", at("/threads/ID/state"), (server, { ids: [id = ""], body }) => server.updateState(id, body)],
  ["POST", at("/threads/ID/history"), (server, { ids: [id = ""], body }) => server.states.history(id, body)],
  [
    "GET",
    at("/threads/ID/history"),
    (server, { ids: [id = ""], query }) => server.states.history(id, Object.fromEntries(query)),
  ],
  [
    "GET",
    at("/threads/ID/stream"),
    (server, call) => server.followThread(idOf(call), listIn(call.query.getAll("stream_mode")), call),
  ],
  ["POST", at("/threads/ID/commands"), (server, call) => server.command(idOf(call), call.body, call)],
  ["POST", at("/threads/ID/stream/events"), (server, call) => server.streamEvents(idOf(call), call.body, call)],
  [
    "POST",
    at("/threads/ID/runs/stream"),
    async (server, call) => streamed(server, await server.begin(idOf(call), call.body, call), call),
  ],
  [
    "POST",
    at("/threads/ID/runs/wait"),
    async (server, call) => waited(server, await server.begin(idOf(call), call.body, call), call),
  ],
  ["POST", at("/threads/ID/runs"), async (server, call) => begun(await server.begin(idOf(call), call.body, call))],
  ["GET", at("/threads/ID/runs"), (server, { ids: [id = ""], query }) => server.known.list(id, query, selectIn(query))],
  ["POST", at("/runs/stream"), streamedAlone],
  ["POST", at("/runs/wait"), async (server, call) => waited(server, await server.startAlone(call.body, call), call)],
  ["POST", at("/runs"), async (server, call) => begun(await server.startAlone(call.body, call))],
  ["GET", at("/threads/ID/runs/ID"), async (server, call) => toldRun(await runOf(server, call))],
  ["DELETE", at("/threads/ID/runs/ID"), async (server, call) => server.known.remove(await runOf(server, call))],
  ["GET", at("/threads/ID/runs/ID/join"), async (server, call) => waited(server, await runOf(server, call), call)],
  ["GET", at("/threads/ID/runs/ID/stream"), async (server, call) => joined(server, await runOf(server, call), call)],
  [
    "POST",
    at("/threads/ID/runs/ID/cancel"),
    async (server, call) => server.known.cancel(await runOf(server, call), call.query),
  ],
  [
    "POST",
    at("/threads/ID/runs/ID/messages"),
    async (server, call) => server.known.steer(await runOf(server, call), call.body),
  ],
];

const stateQuery = (query: URLSearchParams) => ({
  subgraphs: query.get("subgraphs"),
  select: selectIn(query),
});

const selectIn = (query: URLSearchParams) => (query.has("select") ? listIn(query.getAll("select")) : undefined);

const idOf = ({ ids: [id = ""] }: Call): string => id;
const runOf = (server: LangGraphServer, { ids: [threadId = "", id = ""] }: Call): Promise<KnownRun> =>
  server.known.get(threadId, id);

/** Stops a run whose caller asked for that and leaves. */
const stopping = (server: LangGraphServer, run: KnownRun, { body, query }: Call): (() => void) | undefined =>
  body["on_disconnect"] === "cancel" || /^(1|true)$/.test(query.get("cancel_on_disconnect") ?? "")
    ? () => void server.known.stop(run).catch(() => {})
    : undefined;

const streamed = (server: LangGraphServer, run: Run, call: Call, closed?: () => void): Response =>
  server.known.stream(run, call.request, { starters: run.starters, left: stopping(server, run, call), closed });

/** Its thread goes after its last part was read. */
async function streamedAlone(server: LangGraphServer, call: Call): Promise<Response> {
  let closed = () => {};
  const read = new Promise<void>((resolve) => (closed = resolve));
  return streamed(server, await server.startAlone(call.body, call, read), call, closed);
}

function joined(server: LangGraphServer, run: KnownRun, call: Call): Response {
  const { request, query } = call;
  // Python's SDK writes no mode as an empty one.
  const named = query.getAll("stream_mode").filter((mode) => mode !== "");
  const modes = named.length > 0 ? modesOf(listIn(named)) : undefined;
  return server.known.stream(run, request, { modes, left: stopping(server, run, call) });
}

/** The SDK writes a list of words as JSON, and one by itself as it is. */
function listIn(given: readonly string[]): string[] {
  return given.flatMap((one) => {
    try {
      const list: unknown = JSON.parse(one);
      return Array.isArray(list) && list.every((word) => typeof word === "string") ? list : one;
    } catch {
      return one;
    }
  });
}

async function waited(server: LangGraphServer, run: KnownRun, call: Call): Promise<Response> {
  const { signal, leave } = leaving(call.request);
  let left = stopping(server, run, call);
  void aborted(signal).then(() => left?.());
  const response = json(await server.known.result(run));
  left = undefined;
  leave();
  for (const [name, value] of Object.entries(locationOf(run))) response.headers.set(name, value);
  return response;
}

function begun(run: Run): Response {
  const response = json(wireJson(toldRun(run)));
  for (const [name, value] of Object.entries(locationOf(run))) response.headers.set(name, value);
  return response;
}
