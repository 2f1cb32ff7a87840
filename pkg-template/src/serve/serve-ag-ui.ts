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
import { checkpointList, copyCheckpoint, isReplaced } from "./langgraph/checkpoints.js";
import { ClientWrites } from "./langgraph/approvals.js";
import { refusedWith } from "./langgraph/thread-states.js";
import { newId } from "../shared/new-id.js";
import { ownConfig } from "../shared/own-config.js";
import { sameJson } from "../shared/same-json.js";
import { errorWords } from "../stream/error-words.js";
import { checkedGraph, shownState, type GraphState, type RunnableGraph } from "../stream/graph-parts.js";
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
import { Owners, type Owner } from "./owners.js";
import { bodyOf } from "./request-body.js";
import { MemoryRuns } from "./runs/memory-runs.js";
import {
  ended,
  isStoreError,
  textOf,
  type NumberedPart,
  type Part,
  type RunKey,
  type RunStore,
  type StoredRun,
} from "./runs/run-store.js";
import { Leases, type ClaimedRun } from "./runs/leases.js";
import { isPlainJson } from "./runs/plain-json.js";
import { steered } from "./runs/steered.js";
import { isSwitch, switching } from "./runs/switches.js";
import { WorkedRun } from "./runs/worked-run.js";
import { SentEvents } from "./sent-events.js";
import { threadList } from "./thread-list.js";
import { leaving } from "./leaving.js";
import { threadStream } from "./thread-stream.js";
import { keepsRuns } from "./stores.js";
import { UnderWay } from "./under-way.js";
import { wireJson } from "./wire.js";

/** How {@link serveAgUi} answers. */
export interface ServeAgUiOptions extends HandlerOptions {
  /**
   * More of a run's config, such as `recursionLimit` or `context`; a function is called for each run, and awaited. It may
   * throw a `Response`, which is then the answer: a 403 for who may not run it.
   */
  config?:
    ((input: GraphRunInput, request: Request) => object | undefined | Promise<object | undefined>) | object | undefined;
  /**
   * Whether a run continues when its caller leaves, and can be joined again. Without it a run stops with its connection.
   * Default: where `runs` is given.
   */
  resumable?: boolean | undefined;
  /** How many runs that are over can still be joined, if they are in this program's memory. Default 100. */
  keep?: number | undefined;
  /** Where the runs are kept: `RedisRuns` and `PostgresRuns` share them between instances. Default: this program's memory. */
  runs?: RunStore | undefined;
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

/** How many milliseconds the end of a connection may take to become known. */
const LEAVING = 100;

/** The paths of a thread, of its stream, of its checkpoints, of a run of it, or of what is sent into that. A POST to any other path starts a run. */
const PATH = /\/threads\/([^/]+)(?:\/runs\/([^/]+)(\/messages)?|\/(events|checkpoints))?$/;

class AgUiServer {
  readonly #graph: RunnableGraph;
  readonly #options: ServeAgUiOptions;
  readonly #runs: RunStore;
  readonly #leases: Leases;
  readonly #underWay: UnderWay;
  readonly #owners: Owners;
  readonly #writes: ClientWrites;

  constructor(graph: RunnableGraph, options: ServeAgUiOptions) {
    this.#graph = graph;
    this.#underWay = new UnderWay(graph);
    this.#writes = new ClientWrites([graph], undefined, ".");
    this.#options = options;
    this.#runs = options.runs ?? new MemoryRuns({ keep: options.resumable ? (options.keep ?? 100) : 0 });
    keepsRuns(graph, this.#runs);
    this.#leases = new Leases(this.#runs, SERVER, (claimed) => this.#continue(claimed));
    this.#owners = new Owners(
      () => [graph],
      options,
      (threadId) => this.#runs.runs({ threadId }),
    );
  }

  async answer(request: Request, asker: Asker | undefined): Promise<Response> {
    this.#leases.watch();
    const { method } = request;
    const { pathname, searchParams } = new URL(request.url);
    const [, threadId, runId, messages, part] = (PATH.exec(pathname) ?? []).map((one) => one && decoded(one));
    if (threadId === undefined) {
      if (method === "GET" && pathname.endsWith("/capabilities"))
        return json(JSON.stringify(capabilities(this.#graph, this.#options)));
      if (method === "GET" && pathname.endsWith("/threads")) {
        const hasRun = async (id: string) => (await this.#runOf(id)) !== undefined;
        return json(JSON.stringify(await threadList(this.#graph, this.#owners, asker, searchParams, hasRun)));
      }
      if (method === "POST" && !/\/runs\/[^/]+$/.test(pathname))
        return this.#start(readInput(await bodyOf(request, this.#options)), request, asker);
      throw new Refusal(404, `There is no ${method} ${pathname}.`);
    }
    const owner = await this.#owners.open(asker, threadId);
    if (part === "checkpoints") {
      if (method === "GET" || method === "POST") await this.#checkKnown(threadId);
      if (method === "GET") return json(wireJson(await checkpointList(this.#graph, threadId, searchParams)));
      if (method === "POST") return this.#switched(threadId, request, owner);
    } else if (part !== undefined) {
      if (method === "GET") return this.#followed(threadId, request, asker, searchParams.get("only"));
    } else if (runId === undefined) {
      if (method === "GET") return this.#thread(threadId);
    } else if (messages !== undefined) {
      if (method === "POST") {
        const body = (await bodyOf(request, this.#options)) as { readonly messages?: unknown } | null;
        await steered(this.#runs, await this.#known(threadId, runId), body?.messages);
        return json("{}", 202);
      }
    } else if (method === "GET" || method === "DELETE") {
      const run = await this.#known(threadId, runId);
      if (!run) throw new Refusal(404, `There is no run ${runId} of the thread ${threadId}.`);
      if (method === "GET") return this.#joined(run, request);
      await this.#runs.cancel(run);
      await ended(this.#runs, run);
      return json("{}");
    }
    throw new Refusal(404, `There is no ${method} ${pathname}.`);
  }

  async #start(given: GraphRunInput, request: Request, asker: Asker | undefined): Promise<Response> {
    for (const id of [given.threadId, given.runId]) checkId(id);
    const { input, client, changes } = folds(this.#graph, this.#options) ? foldingClient(given) : { input: given };
    // First: a run that begins after this look is not joined.
    const known = await this.#known(input.threadId, input.runId);
    const { owner, isMissing } = await this.#owners.look(asker, input.threadId);
    if (known && (isRepeat(input, known.about) || !known.hasEnded)) return this.#joined(known, request);
    await this.#checkAnswers(input);
    // Without a checkpointer there is no thread that two runs could share.
    const isAlone = Boolean(this.#graph.checkpointer);
    const { config, resumable } = this.#options;
    const asked = await ownConfig(config, input, request);
    const claim = () => {
      // Such runs share no thread and are joined by nobody: two may have one id.
      const id = isAlone || resumable ? input.runId : newId();
      const run = new WorkedRun(this.#runs, { threadId: input.threadId, id }, owner);
      if (isAlone) this.#underWay.add(run);
      return run;
    };
    let run: WorkedRun;
    try {
      run = isAlone ? await this.#free(input.threadId, claim) : claim();
    } catch (error) {
      await Promise.all(this.#underWay.of(input.threadId).map(({ begun }) => begun));
      const begun = error instanceof Refusal ? await this.#begunSince(input, asker) : undefined;
      if (begun) return this.#joined(begun, request);
      throw error;
    }
    // A caller who leaves before there is a response stops the run, too.
    const stop = () => run.stop.abort();
    if (!resumable) request.signal.addEventListener("abort", stop);
    if (!resumable && request.signal.aborted) stop();
    let state: Awaited<ReturnType<typeof threadState>>;
    try {
      // First: followers would join a run that begins, and not find it once it is refused.
      if (client?.leavesOut) state = await this.#stateAt(run, client.at, asked);
      const carriedOn = await this.#carriedOn(input, client, changes, asked, request);
      const begin = () => run.begin({ server: SERVER, about: { ...sentWith(input), carriedOn }, isAlone });
      // Last: a refused request makes no thread.
      await (isMissing ? this.#owners.make(asker, input.threadId, begin) : begin());
    } catch (error) {
      run.drop();
      if (!isStoreError(error, "BUSY")) throw error;
      const begun = await this.#begunSince(input, asker);
      if (begun) return this.#joined(begun, request);
      throw new Refusal(409, (error as Error).message);
    }
    this.#leases.hold(run);
    // Another instance may have run the thread since.
    if (client?.leavesOut && this.#runs.ttl !== undefined) state = await this.#stateAt(run, client.at, asked);
    const { interrupts, subagents } = this.#options;
    const starters = new Map<number, string | undefined>();
    const response = this.#stream(run, request, run, starters);
    const served = {
      config: asked as ServedOptions["config"],
      interrupts,
      subagents,
      client,
      changes,
      known: state,
      isJoinable: resumable,
      inbox: run.inbox,
    };
    const told = servedEvents(this.#graph, input, { ...served, signal: run.stop.signal });
    void this.#work(run, input, request, starters, told);
    return response;
  }

  /** Returns all that another instance needs to continue the run, if leases run out and JSON takes it. */
  async #carriedOn(
    input: GraphRunInput,
    client: ServedOptions["client"],
    changes: readonly unknown[] | undefined,
    asked: object | undefined,
    request: Request,
  ): Promise<CarriedOn | undefined> {
    if (this.#runs.ttl === undefined || !this.#options.resumable) return undefined;
    const config = typeof this.#options.config === "function" ? asked : undefined;
    if (config !== undefined && !isPlainJson(config)) return undefined;
    const known = await threadState(this.#graph, runConfig(asked, input.threadId));
    return { input, client, changes, config, from: checkpointOf(known), url: request.url };
  }

  /** Continues a run whose instance is gone, from the thread's last checkpoint. */
  #continue(claimed: ClaimedRun): WorkedRun {
    const { carriedOn } = claimed.run.about as About;
    const { threadId, id: runId } = claimed;
    const run = new WorkedRun(this.#runs, claimed, claimed.run.owner);
    run.continue(claimed);
    this.#leases.hold(run);
    if (this.#graph.checkpointer) this.#underWay.add(run);
    const input = carriedOn?.input ?? { threadId, runId, messages: [] };
    const request = new Request(carriedOn?.url ?? "http://localhost/", { method: "POST" });
    const sent = new SentEvents();
    void this.#work(run, input, request, new Map(), this.#continuedEvents(run, carriedOn, sent), sent);
    return run;
  }

  /**
   * The events of a run from where its last instance left it: what is open is closed, then snapshots follow.
   *
   * @param sent - Is given what that instance has sent.
   */
  async *#continuedEvents(
    run: WorkedRun,
    carriedOn: CarriedOn | undefined,
    sent: SentEvents,
  ): AsyncGenerator<ServedEvent> {
    const { threadId, id: runId } = run;
    const { signal } = run.stop;
    const { last = 0 } = run.lease ?? {};
    if (last > 0)
      for await (const [at, part] of run.follow(0)) {
        sent.add(textOf(part));
        if (at >= last) break;
      }
    if (sent.hasFinished) return;
    yield* sent.closing();
    if (!carriedOn)
      return yield { type: "RUN_ERROR", message: "The instance that ran it is gone, and its config cannot be kept." };
    const { input, client, changes, from } = carriedOn;
    const { config: own, interrupts, subagents } = this.#options;
    const config = (typeof own === "function" ? carriedOn.config : own) as ServedOptions["config"];
    const known = await threadState(this.#graph, runConfig(config as object, threadId));
    const { messages = [], ...state } = (known?.values ?? {}) as { messages?: readonly unknown[] };
    const kept = messages.flatMap(agUiMessages);
    const isNew = ({ id }: { id?: unknown }) => !kept.some((message) => message.id === id);
    // Half an answer of the node that runs again goes.
    if (sent.hasStarted) {
      yield { type: "STATE_SNAPSHOT", snapshot: shownState(this.#graph, state) };
      yield { type: "MESSAGES_SNAPSHOT", messages: [...kept, ...input.messages.filter(isNew)] };
    }
    const isBegun = known !== undefined && checkpointOf(known) !== from;
    if (isBegun && !isUnfinished(known)) return yield { type: "RUN_FINISHED", threadId, runId };
    const rest = isBegun ? { threadId, runId, messages: [], tools: input.tools } : input;
    const more = { ...(!isBegun && { client, changes }), inbox: run.inbox, isJoinable: true };
    for await (const event of servedEvents(this.#graph, rest, { config, interrupts, subagents, ...more, signal }))
      if (event.type !== "RUN_STARTED" || !sent.hasStarted) yield event;
  }

  /** The thread's run of an id, if clients may join runs. */
  async #known(threadId: string, id: string): Promise<(StoredRun & { readonly about: About }) | undefined> {
    if (!this.#options.resumable) return undefined;
    const runs = await this.#runs.runs({ threadId, id });
    return runs.find(({ server }) => server === SERVER) as (StoredRun & { readonly about: About }) | undefined;
  }

  /**
   * An answer that was lost may come again, and continues a run that has failed since. Another answer to that question
   * must not: a tool would run that it rejects.
   *
   * @throws {@link Refusal} 400 for an answer that a kept run of the thread was given otherwise, and that is not asked now.
   */
  async #checkAnswers({ threadId, resume }: GraphRunInput): Promise<void> {
    if (!resume || resume.length === 0) return;
    const runs = (await this.#runs.runs({ threadId })).filter(({ server }) => server === SERVER);
    const earlier = runs.flatMap(({ about }) => JSON.parse((about as About).answers ?? "[]") as typeof resume);
    const given = new Map(earlier.map((answer) => [answer.interruptId, answer]));
    const late = resume.filter((answer) => !sameJson(given.get(answer.interruptId) ?? answer, answer));
    if (late.length === 0) return;
    const asked = questionsOf(await this.#stateOf(threadId));
    for (const { interruptId } of late)
      if (!asked.some(({ id }) => id === interruptId))
        throw new Refusal(400, `The thread does not ask ${JSON.stringify(interruptId)} any more: it was answered.`);
  }

  /** Returns the run as another request has begun it since, here or on another instance. Another user's is refused. */
  async #begunSince({ threadId, runId }: GraphRunInput, asker: Asker | undefined) {
    const begun = await this.#known(threadId, runId);
    await this.#owners.look(asker, threadId);
    return begun?.hasEnded ? undefined : begun;
  }

  /** Reads the thread of a client that left out the messages of a checkpoint; refuses a run if it is at another one. */
  async #stateAt(run: WorkedRun, at: unknown, config: object | undefined) {
    try {
      const known = await threadState(this.#graph, runConfig(config, run.threadId));
      if (at !== undefined && checkpointOf(known) === at) return known;
      // All its messages would join both branches.
      if (await isReplaced(this.#graph, run.threadId, at))
        throw new Refusal(409, `The thread ${run.threadId} shows another branch: load it.`);
      throw new Refusal(412, `The thread ${run.threadId} is at another checkpoint: send all its messages.`);
    } catch (error) {
      if (run.lease) {
        await run.end({});
        await this.#runs.remove(run.lease);
      }
      throw error;
    }
  }

  /**
   * Claims the thread once no run of it is under way. One that was stopped is over soon; any other is somebody else's.
   * Nothing waits between the look and the claim: of several requests, one gets the thread.
   */
  async #free<Claim>(threadId: string, claim: () => Claim): Promise<Claim> {
    for (;;) {
      const stored = (await this.#runs.runs({ threadId })).filter(({ hasEnded }) => !hasEnded);
      // Last, without an await after it: another request may have waited, too, and have begun its run first.
      const here = this.#underWay.of(threadId);
      const elsewhere = stored.filter(({ id }) => !here.some((run) => run.id === id));
      if (here.length === 0 && elsewhere.length === 0) return claim();
      const over = Promise.all([...here.map(({ over }) => over), ...elsewhere.map((run) => ended(this.#runs, run))]);
      // The client may have left a run just now, by another connection than this one.
      const isOver = !this.#options.resumable && (await sooner(over, LEAVING)) !== undefined;
      const areStopped =
        here.every(({ stop, hasEnded }) => hasEnded || stop.signal.aborted) &&
        elsewhere.every((run) => run.isStopped || isSwitch(run));
      if (!isOver && !areStopped) throw new Refusal(409, `The thread ${threadId} has a run that goes on.`);
      await over;
    }
  }

  /**
   * @param starters - Is given the parts that the starter gets otherwise, by their numbers: undefined for one left out.
   * @param sent - What an instance that is gone has sent of the run.
   */
  async #work(
    run: WorkedRun,
    input: GraphRunInput,
    request: Request,
    starters: Map<number, string | undefined>,
    told: AsyncIterable<ServedEvent>,
    sent = new SentEvents(),
  ): Promise<void> {
    const { onEvents: change } = this.#options;
    const { signal } = run.stop;
    const { threadId, runId } = input;
    let last = "";
    let count = 0;
    const add = (part: Part) => {
      count++;
      run.add(part);
    };
    try {
      for await (const event of change ? change(told, input, request) : told) {
        last = event.type;
        const { [WHOLE]: whole, [REPEATS]: repeats } = event as ServedEvent;
        const own = repeats ? undefined : partOf(event);
        if (whole) starters.set(count + 1, own);
        add(whole ? () => partOf(whole()) : (own ?? ""));
      }
      // A stopped run ends successfully: its messages stay.
      if (signal.aborted && !sent.hasFinished && !/^RUN_(FINISHED|ERROR)$/.test(last))
        add(partOf({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } }));
    } catch (error) {
      add(partOf({ type: "RUN_ERROR", message: errorWords(error).message }));
    }
    await run.end(sentWith(input));
  }

  #joined(run: RunKey, request: Request): Response {
    return this.#stream({ follow: (after, signal) => this.#runs.follow(run, after, signal) }, request);
  }

  /** @param starters - The parts that the run's starter gets otherwise, by their numbers. */
  #stream(
    run: Followed,
    { headers }: Request,
    started?: WorkedRun,
    starters?: ReadonlyMap<number, string | undefined>,
  ): Response {
    const { resumable } = this.#options;
    const seen = headers.get("last-event-id") ?? "";
    const gone = new AbortController();
    const coming = run.follow(/^\d+$/.test(seen) ? Number(seen) : 0, gone.signal);
    async function* parts(): AsyncGenerator<string> {
      for await (const [at, part] of coming) {
        const told = starters?.has(at) ? starters.get(at) : textOf(part);
        if (told !== undefined) yield resumable ? `id: ${at}\n${told}\n\n` : `${told}\n\n`;
      }
    }
    return eventStream(parts(), this.#options, {}, () => {
      gone.abort();
      if (!resumable) started?.stop.abort();
    });
  }

  /** Streams a thread. A run of another protocol cannot be read here: its start is sent when it is over. */
  async #followed(
    threadId: string,
    request: Request,
    asker: Asker | undefined,
    only: string | null,
  ): Promise<Response> {
    if (!this.#options.resumable) throw new Refusal(404, "To follow threads, give serveAgUi the option resumable.");
    if (only !== null && only !== "starts") throw new Refusal(400, `Unknown only=${only}: use only=starts.`);
    await this.#checkKnown(threadId);
    const store = this.#runs;
    const { signal, leave } = leaving(request);
    const hasParts = only === null;
    const isReadable = ({ server }: StoredRun) => server === SERVER;
    const isAllowed = (run: string) => this.#owners.mayStillUse(asker, threadId, run);
    const following = { lastEventId: request.headers.get("last-event-id"), hasParts, isReadable, isAllowed };
    async function* parts(): AsyncGenerator<string> {
      for await (const told of threadStream(store, threadId, following, signal)) {
        const { id, run, part, isOver } = told;
        if (part !== undefined) yield `id: ${id}\n${textOf(part)}\n\n`;
        else if (!hasParts && !isOver)
          yield `id: ${id}\n${partOf({ type: "RUN_STARTED", threadId, runId: run.id })}\n\n`;
      }
    }
    return eventStream(parts(), this.#options, {}, leave);
  }

  /** Makes a copy of a checkpoint the thread's newest, while no run of the thread is under way. */
  async #switched(threadId: string, request: Request, owner: Owner): Promise<Response> {
    const body = (await bodyOf(request, this.#options)) as { readonly from?: unknown } | null;
    await this.#free(threadId, () => undefined);
    const copy = () => copyCheckpoint(this.#graph, this.#writes, threadId, body?.from);
    await switching(this.#runs, threadId, { owner, isAlone: true }, copy);
    return json("{}");
  }

  /** @throws {@link Refusal} 404 for a thread that has no run and is in no checkpointer. */
  async #checkKnown(threadId: string): Promise<void> {
    if ((await this.#runs.runs({ threadId })).length > 0) return;
    try {
      const known = await this.#stateOf(threadId);
      if (known && isKept(known)) return;
    } catch (error) {
      // A thread whose saved writes the graph refuses is there: a copy of an earlier checkpoint repairs it.
      if (error instanceof Refusal && error.status === 400) return;
      throw error;
    }
    throw new Refusal(404, `There is no thread ${threadId}.`);
  }

  /** @throws {@link Refusal} 400 for a thread whose saved writes the graph refuses, such as those of a command. */
  async #stateOf(threadId: string) {
    return threadState(this.#graph, { configurable: { thread_id: threadId } }).catch(refusedWith(400));
  }

  /** The thread's run that is under way, and can be joined here: those of another protocol cannot. */
  async #runOf(threadId: string): Promise<{ readonly id: string } | undefined> {
    const runs = await this.#runs.runs({ threadId });
    return runs.filter(({ hasEnded, server }) => !hasEnded && server === SERVER).at(-1);
  }

  async #thread(threadId: string): Promise<Response> {
    // First: a run that ends meanwhile is joined, instead of a thread without its end and without a run.
    const run = await this.#runOf(threadId);
    const known = await this.#stateOf(threadId);
    const { messages = [], ...state } = (known?.values ?? {}) as { messages?: readonly unknown[] };
    if (!known || !(run || isKept(known))) throw new Refusal(404, `There is no thread ${threadId}.`);
    const interrupts = questionsOf(known);
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

const questionsOf = (state: GraphState | undefined) =>
  (state?.tasks ?? []).flatMap(({ interrupts = [] }) => interrupts);

/** The parts of this server's runs are AG-UI's events. */
const SERVER = "ag-ui";

/** The facts about a run that the store keeps. */
interface About {
  /** The answers that it was started with, as JSON. */
  readonly answers: string | undefined;
  /** The id of the user's last message in its request. */
  readonly said: string | undefined;
  readonly carriedOn?: CarriedOn | undefined;
}

/** Tells a request from another one under the same run id. A repeated request may have more of the run's own messages. */
function sentWith({ messages, resume }: GraphRunInput): About {
  const users = (messages as readonly { readonly id?: string; readonly role?: string }[]).filter(
    ({ role }) => role === "user",
  );
  return { answers: resume ? JSON.stringify(resume) : undefined, said: users.at(-1)?.id };
}

/**
 * Whether a request repeats the one of a run. A new message or answer under the id of a run that is over, as CopilotKit
 * sends answers, is a run of its own.
 */
function isRepeat(input: GraphRunInput, { answers, said }: Partial<About>): boolean {
  const now = sentWith(input);
  return now.answers === answers && now.said === said && (answers !== undefined || resumeOf(input) === undefined);
}

/** All that another instance needs to continue a run. */
interface CarriedOn {
  readonly input: GraphRunInput;
  readonly client: ServedOptions["client"];
  readonly changes: readonly unknown[] | undefined;
  /** The run's config, if a function of the program made it. */
  readonly config: object | undefined;
  /** The thread's checkpoint when it began. */
  readonly from: unknown;
  readonly url: string;
}

interface Followed {
  follow(after: number, signal: AbortSignal): AsyncIterable<NumberedPart>;
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
