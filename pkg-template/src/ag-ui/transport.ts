// The ways to an AG-UI agent.
import type { Observable } from "../stream/source.js";
import { checkedGraph, type RunnableGraph } from "../stream/graph-parts.js";
import {
  after,
  HTTP_OPTIONS,
  httpStatusOf,
  jsonOf,
  request,
  segment,
  under,
  type HttpOptions,
} from "../stream/http.js";
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions } from "../shared/options.js";
import { RunInbox } from "../shared/run-inbox.js";
import { listed } from "../runner/listed.js";
import type { CheckpointMessages, LoadedThread, RunRef, Transport } from "../runner/transport.js";
import { servedEvents, type GraphEventOptions, type ServedOptions } from "./graph/graph-events.js";
import { isDict } from "../shared/dict.js";
import { absentOr, areObjects } from "./shapes.js";
import { steeringMessages } from "../langgraph/steering-messages.js";
import { checkedInput, type GraphRunInput } from "./graph/graph-input.js";
import type { RunAgentInput } from "./run-input.js";
import type { AnyEvent } from "./source.js";

/** How an `AgUiRunner` reaches an agent. */
export type AgUiTransport = Transport<
  RunAgentInput,
  { readonly type: string } | { readonly type: string; readonly [field: string]: unknown }
>;

/** Where {@link httpTransport} finds the agent. */
export interface HttpTransportOptions extends HttpOptions {
  /** The address to POST the run's input to. */
  url: string | URL;
  /**
   * Whether the server keeps its runs, like `serveAgUi` with its own `resumable` option. The transport then joins and
   * stops them at `url/threads/ID/runs/ID`, loads threads from `url/threads/ID`, follows them at `url/threads/ID/events`, and lists
   * them from `url/threads`. It finds and switches branches at `url/threads/ID/checkpoints`.
   */
  resumable?: boolean | undefined;
}

/** The parts of an `@ag-ui/client` agent that are used. */
export interface AgUiAgent {
  run(input: never): Observable<AnyEvent>;
  getCapabilities?(): PromiseLike<unknown>;
  abortRun?(): void;
  abortController?: AbortController;
}

const STREAM = { accept: "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

/**
 * Returns the transport to the AG-UI agent at an address.
 *
 * @example
 * ```ts
 * import { Thread, type AgUiState } from "threadfold";
 * import { AgUiRunner, httpTransport } from "threadfold/ag-ui";
 *
 * const transport = httpTransport({ url: "http://localhost:8000/agent", resumable: true });
 * // To tell a server in a way of your own to stop:
 * const own = { ...transport, cancel: () => fetch("http://localhost:8000/stop", { method: "POST" }) };
 * const runner = new AgUiRunner(new Thread<AgUiState>(), { transport: own });
 * console.log(runner.status); // ready
 * ```
 */
export function httpTransport(options: HttpTransportOptions): AgUiTransport {
  checkOptions("httpTransport", options, [...HTTP_OPTIONS, "url", "resumable"]);
  return overHttp(options);
}

/** Does the same with a runner's options. They are read at each request: `openAgUi` may replace them. */
export function overHttp(options: HttpTransportOptions): AgUiTransport {
  const { url, resumable } = options;
  const threadUrl = (id: string, path = "") => under(url, `/threads/${segment(id)}${path}`);
  const runUrl = ({ threadId, runId }: RunRef, path = "") => threadUrl(threadId, `/runs/${segment(runId)}${path}`);
  const run: AgUiTransport["run"] = (input, { signal }) =>
    request(options, url, { ...STREAM, ...JSON_TYPE }, { method: "POST", body: JSON.stringify(input), signal });
  // A server that keeps nothing has none to say, and a page logs each address that a server lacks.
  if (!resumable) return { run };
  const capabilities = async () => jsonOf(await request(options, under(url, "/capabilities"), {}, {}));
  return {
    run,
    capabilities,
    join: async (ref, { signal }) => joined(options, runUrl(ref), ref, signal),
    cancel: async (ref, { signal }) => request(options, runUrl(ref), {}, { method: "DELETE", signal }),
    steer: async (ref, messages, { signal }) =>
      request(options, runUrl(ref, "/messages"), JSON_TYPE, {
        method: "POST",
        body: JSON.stringify({ messages }),
        signal,
      }),
    follow: async (threadId, { signal }) =>
      request(options, threadUrl(threadId, "/events?only=starts"), STREAM, { signal }),
    threads: async ({ limit = 10, offset = 0, signal }) => {
      const init = signal ? { signal } : {};
      return listed(
        await jsonOf(await request(options, under(url, `/threads?limit=${limit}&offset=${offset}`), {}, init)),
      );
    },
    load: async (threadId, { signal }) => {
      try {
        return loaded(await jsonOf(await request(options, threadUrl(threadId), {}, { signal })));
      } catch (error) {
        if (httpStatusOf(error) === 404) return undefined;
        throw error;
      }
    },
    history: async (threadId, { limit }) =>
      checkpointsIn(await jsonOf(await request(options, threadUrl(threadId, `/checkpoints?limit=${limit}`), {}, {}))),
    fork: async (threadId, from, { signal }) =>
      request(options, threadUrl(threadId, "/checkpoints"), JSON_TYPE, {
        method: "POST",
        body: JSON.stringify({ from }),
        signal,
      }),
  };
}

/** Asks for a run's events, after the last one received. */
export function joined(options: HttpOptions, url: string | URL, { lastEventId }: RunRef, signal: AbortSignal) {
  const headers = lastEventId === undefined ? STREAM : { ...STREAM, ...after(lastEventId) };
  return request(options, url, headers, { signal });
}

/** Reads the checkpoints that `serveAgUi` returns: each has the messages after those it shares with the one before. */
function checkpointsIn(told: unknown): readonly CheckpointMessages[] {
  let all: readonly object[] = [];
  return (told as readonly (CheckpointMessages & { readonly same: number })[]).map(({ same, messages, ...one }) => {
    all = [...all.slice(0, same), ...messages];
    return { ...one, messages: all };
  });
}

/** Reads the thread that `serveAgUi` returns. */
function loaded(told: unknown): LoadedThread {
  const { messages, state, interrupts, run, next, checkpoint } = (told ?? {}) as {
    readonly [Name in "messages" | "state" | "interrupts" | "run" | "next" | "checkpoint"]?: unknown;
  };
  const isState = state === null || isDict(state);
  if (!areObjects(messages) || !isState || !absentOr(areObjects)(interrupts))
    throw new ThreadfoldError(
      "BAD_RESPONSE",
      "load(): the server's answer is not the state of a thread: is this the agent's address?",
    );
  return {
    values: { ...state, messages },
    interrupts: (interrupts ?? []) as readonly object[],
    runId: (run as { id?: string } | null | undefined)?.id,
    isDone: !Array.isArray(next) || next.length === 0,
    position: typeof checkpoint === "string" ? { checkpointId: checkpoint } : undefined,
  };
}

/**
 * Returns the transport to an agent of `@ag-ui/client`. Only its `run` is used: the thread keeps messages and state.
 */
export function agentTransport(agent: AgUiAgent): AgUiTransport {
  return {
    run(input, { signal }) {
      // Unsubscribing from an HttpAgent's run leaves its connection open.
      signal.addEventListener("abort", () => {
        agent.abortRun?.();
        if (agent.abortController) agent.abortController = new AbortController();
      });
      return agent.run(input as never);
    },
    ...(agent.getCapabilities && { capabilities: () => agent.getCapabilities?.() }),
  };
}

/**
 * Returns the transport to a graph in the page. It needs neither `@ag-ui/client` nor a server. Its `run` returns the
 * events of a run, from RUN_STARTED to RUN_FINISHED or RUN_ERROR.
 *
 * @param graph - A compiled graph, of `threadfold/graph` or langgraph.js.
 * @param options - `config`: more of each run's config, or a function of its input.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a compiled graph, `UNKNOWN_OPTION`; `run`
 *   `INVALID_ARGUMENT` for an invalid `RunAgentInput`.
 *
 * @example
 * ```ts
 * import { defineSchema, field, Thread, type AgUiState } from "threadfold";
 * import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
 * import { END, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ messages: field.messages() }))
 *   .addNode("answer", () => ({ messages: [{ type: "ai", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile();
 * const thread = new Thread<AgUiState>();
 * const runner = new AgUiRunner(thread, { transport: graphTransport(graph) });
 * await runner.sendMessage("Hi");
 * console.log(thread.getState().messages.map(({ content }) => content)); // [ 'Hi', 'Hello' ]
 * ```
 */
export function graphTransport(graph: RunnableGraph, options?: Pick<GraphEventOptions, "config">): AgUiTransport {
  const compiled = checkedGraph(graph, "graphTransport");
  checkOptions("graphTransport", options, ["config"]);
  const inboxes = new Map<string, RunInbox>();
  async function* events(input: GraphRunInput, served: ServedOptions) {
    const inbox = new RunInbox();
    inboxes.set(input.runId, inbox);
    try {
      yield* servedEvents(compiled, input, { subagents: true, ...options, ...served, inbox });
    } finally {
      inboxes.delete(input.runId);
    }
  }
  return {
    run: (input, { signal, changes }) => events(checkedInput(input), { signal, changes }),
    steer: ({ runId }, messages) => inboxes.get(runId)?.add(steeringMessages(messages)),
  };
}
