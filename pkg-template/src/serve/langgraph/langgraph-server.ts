// A server of LangGraph's API: its threads and runs, without HTTP's paths.
import { ThreadfoldError } from "../../shared/errors.js";
import { isDict, type Dict } from "../../langgraph/merge.js";
import type { CheckpointSaver } from "../../checkpoint/types.js";
import { errorWords } from "../../stream/error-words.js";
import { newId } from "../../shared/new-id.js";
import type { GraphState, RunnableGraph } from "../../stream/graph-parts.js";
import { checkId, eventStream, json, type Asker } from "../http.js";
import { Refusal } from "../refusal.js";
import { Owners } from "../owners.js";
import { MemoryRuns } from "../runs/memory-runs.js";
import { ended, textOf, type NumberedPart, type RunStore, type StoredRun } from "../runs/run-store.js";
import { steered } from "../runs/steered.js";
import type { WorkedRun } from "../runs/worked-run.js";
import { keepsRuns, storesOf } from "../stores.js";
import { UnderWay } from "../under-way.js";
import { ClientWrites } from "./approvals.js";
import { assistantNamed, searched } from "./assistants.js";
import { countOf, hasFields, ordered, rangeOf } from "./list-query.js";
import { KeptThreads, type KeptThread } from "./kept-threads.js";
import { leaving, threadStream } from "../thread-stream.js";
import { Turns } from "../turns.js";
import { wireJson } from "../wire.js";
import { isOfModes, type RunPart } from "./run-parts.js";
import type { RunRequest } from "./run-request.js";
import {
  checkpointIn,
  isResumable,
  resultOf,
  Run,
  Runs,
  toldRun,
  type KnownRun,
  type ProtocolEvents,
  type RunFacts,
} from "./runs.js";
import { selected } from "./selected.js";
import type { ServeLangGraphOptions } from "./serve-options.js";
import { extracted, pathsOf, stateDigest } from "./state-digest.js";
import { checkpointOf, configOf, interruptsOf, threadStateOf } from "./thread-state.js";
import { commanded, type CommandedThread } from "./commands.js";
import { filterIn } from "./v2/protocol-event.js";
import { ThreadEvents } from "./v2/thread-events.js";

/** A request, and the user whose it is, if that is known. */
interface Asked {
  readonly request: Request;
  readonly asker: Asker | undefined;
}

export class LangGraphServer {
  readonly #graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>;
  readonly #options: ServeLangGraphOptions;
  readonly #threads: KeptThreads;
  readonly #runs: Runs;
  readonly #owners: Owners;
  readonly #writes: ClientWrites;
  readonly #turns = new Turns();
  /** The events of runs that protocol v2 started. */
  readonly events = new ThreadEvents();

  constructor(graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>, options: ServeLangGraphOptions) {
    this.#graphs = graphs;
    this.#options = options;
    this.#threads = new KeptThreads(options.keepThreads, (threadId) => this.#underWay(threadId).length > 0);
    this.#writes = new ClientWrites(this.#all(), options.clientWrites);
    this.#owners = new Owners(
      () => this.#all(),
      options,
      async (threadId) => {
        const runs = await this.#runs.store.runs({ threadId });
        return [this.#threads.get(threadId) ?? [], runs].flat();
      },
    );
    const kept = options.keep ?? 100;
    const over = new Set<Run>();
    const store = options.runs ?? new MemoryRuns({ keep: kept });
    for (const graph of this.#all()) keepsRuns(graph, store);
    this.#runs = new Runs(
      store,
      ({ threadId }) => this.#threads.touch(threadId),
      (run) => {
        // Events are this program's own, wherever the runs are kept.
        over.add(run);
        for (const oldest of over) {
          if (over.size <= kept) return;
          over.delete(oldest);
          this.events.forget(oldest.threadId, oldest.id);
        }
      },
      ({ threadId, run: { about } }) => ({
        graph:
          this.#graphs instanceof Map ? this.#graphs.get((about as RunFacts).assistantId) : (graphs as RunnableGraph),
        events: (runId, event) => this.events.add(threadId, runId, event),
        config: typeof options.config === "function" ? undefined : (options.config ?? {}),
        change: this.#changeOf(threadId, new Request("http://localhost/")),
      }),
    );
  }

  /** Looks after runs whose instance is gone. */
  watch(): void {
    this.#runs.leases.watch();
  }

  // Assistants

  assistants(asked: Record<string, unknown>): object[] {
    return searched(this.#names(), asked);
  }

  countAssistants(asked: Record<string, unknown>): number {
    return searched(this.#names(), { ...asked, limit: this.#names().length }).length;
  }

  #names(): string[] {
    return this.#graphs instanceof Map ? [...this.#graphs.keys()] : ["agent"];
  }

  assistant(name: string): object {
    this.#graph(name);
    return assistantNamed(name);
  }

  /** The versions of an assistant: the program has one. */
  versions(name: string, { metadata, ...page }: Record<string, unknown>): object[] {
    const all = [this.assistant(name)];
    return all.filter(() => hasFields({}, metadata)).slice(...rangeOf(page));
  }

  /** A graph's nodes and edges. */
  async drawing(name: string, xray: string | null): Promise<object> {
    const { getGraphAsync } = this.#graph(name) as DrawableGraph;
    if (!getGraphAsync) throw new Refusal(422, "The graph has no getGraphAsync().");
    const depth = xray === null || xray === "false" ? false : xray === "true" || Number(xray);
    const drawn = await getGraphAsync.call(this.#graph(name), { xray: depth });
    return drawn.toJSON();
  }

  // Threads

  /**
   * Returns once the user may use the thread, which then is known here.
   *
   * @throws {@link Refusal} 404, as {@link Owners.open} does.
   */
  async open(asker: Asker | undefined, id: string, makes: boolean): Promise<void> {
    const owner = await this.#owners.open(asker, id, makes);
    if (!asker) return;
    const thread = this.#threads.get(id) ?? this.#threads.keep(id, {});
    thread.owner ??= owner;
  }

  async createThread(
    { thread_id, metadata, if_exists }: Record<string, unknown>,
    asker: Asker | undefined,
  ): Promise<object> {
    const id = typeof thread_id === "string" ? thread_id : newId();
    checkId(id);
    const isTaken = new Refusal(409, `There is a thread ${id}.`);
    if (this.#threads.has(id) && if_exists !== "do_nothing") throw isTaken;
    const owner = await this.#owners.open(asker, id, true).catch((error: unknown) => {
      throw error instanceof Refusal ? isTaken : error;
    });
    const known = this.#threads.get(id);
    return this.#told(known ?? this.#threads.keep(id, isDict(metadata) ? metadata : {}, owner), undefined);
  }

  async thread(id: string): Promise<object> {
    const state = await this.#readableStateOf(id);
    return this.#told(this.#threads.get(id) ?? this.#threads.keep(id, {}), state);
  }

  async patchThread(id: string, { metadata }: Record<string, unknown>): Promise<object> {
    await this.#checkKnown(id);
    const thread = this.#threads.get(id) ?? this.#threads.keep(id, {});
    thread.metadata = { ...thread.metadata, ...(isDict(metadata) && metadata) };
    this.#threads.touch(id);
    return this.thread(id);
  }

  async deleteThread(id: string): Promise<Response> {
    await this.#checkKnown(id);
    await this.#forget(id);
    return new Response(null, { status: 204 });
  }

  async #forget(id: string): Promise<void> {
    for (const run of this.#underWay(id)) {
      run.stop.abort();
      await run.over;
    }
    const runs = await this.#runs.of(id);
    for (const run of runs) await this.#runs.stop(run);
    for (const run of runs) await this.#runs.over(run);
    for (const run of runs) await this.#runs.remove(run);
    for (const store of storesOf(this.#all())) await drop(store, id);
    this.#threads.delete(id);
    this.events.delete(id);
    for (const saver of this.#savers())
      await (saver as { deleteThread?(id: string): unknown } | undefined)?.deleteThread?.(id);
  }

  async countThreads(asked: Record<string, unknown>, asker: Asker | undefined): Promise<number> {
    const { metadata, values, status } = asked;
    const all = { metadata, values, status, limit: Number.MAX_SAFE_INTEGER, select: ["thread_id"] };
    return ((await (await this.searchThreads(all, asker)).json()) as object[]).length;
  }

  /** Returns a list as JSON. A thread that cannot be read is one of status `error`, and fails no other. */
  async searchThreads(asked: Record<string, unknown>, asker: Asker | undefined): Promise<Response> {
    const { metadata, ids, status, values, select, extract, ...page } = asked;
    const paths = pathsOf(extract);
    const selects = (key: string) => Array.isArray(select) && select.includes(key);
    const [from, to] = rangeOf(page);
    const sorted = ordered(await this.#threads.listed(this.#all()), asked, THREAD_ORDERS);
    const wantedOnes = sorted
      .filter(({ id }) => !Array.isArray(ids) || ids.includes(id))
      .filter((thread) => hasFields(thread.metadata, metadata));
    const found = await this.#owners.usable(asker, wantedOnes);
    const told = (thread: KeptThread) =>
      this.#stateIfAny(thread.id)
        .then(async (state) => ({
          ...(await this.#told(thread, state)),
          ...(selects("state_updated_at") && { state_updated_at: state?.createdAt ?? null }),
          ...(paths && {
            extracted: extracted(await this.#told(thread, state && (await this.#committed(thread.id, state))), paths),
          }),
        }))
        .catch(async (error: unknown) => unreadable(await this.#told(thread, undefined), error));
    // Only a state has a thread's status and values.
    const isByState = status != null || (isDict(values) && Object.keys(values).length > 0);
    const all = (await Promise.all((isByState ? found : found.slice(from, to)).map(told))) as Told[];
    const wanted = (thread: Told) => (status == null || thread.status === status) && hasFields(thread.values, values);
    const list = isByState ? all.filter(wanted).slice(from, to) : all;
    const shown = (thread: object) =>
      Array.isArray(select)
        ? Object.fromEntries(Object.entries(thread).filter(([key]) => selects(key) || key === "extracted"))
        : thread;
    const texts = list.map((thread) => {
      try {
        return wireJson(shown(thread));
      } catch (error) {
        return wireJson(shown(unreadable(thread, error)));
      }
    });
    return json(`[${texts.join(",")}]`);
  }

  async state(
    id: string,
    { checkpoint, subgraphs, select }: { checkpoint?: unknown; subgraphs?: unknown; select?: unknown },
  ): Promise<object> {
    const state = await this.#stateOf(id, checkpoint, subgraphs === true || subgraphs === "true");
    return selected(threadStateOf(state), select);
  }

  /** The digests of the committed values: without what an unfinished super-step has written. */
  async digest(id: string, { fields }: Record<string, unknown>): Promise<object> {
    return stateDigest(await this.#committed(id, await this.#readableStateOf(id)), fields);
  }

  async updateState(id: string, body: Record<string, unknown>): Promise<object> {
    const graph = await this.#graphOf(id);
    if (!graph.updateState) throw new Refusal(422, "The graph has no updateState().");
    const { values, as_node, checkpoint, checkpoint_id } = body;
    const isFork = values == null && as_node == null;
    if (!isFork) this.#writes.check("an update of a thread's state");
    await this.#checkKnown(id);
    const config = configOf(id, checkpoint ?? checkpoint_id, true);
    await checkNamed(graph, config.configurable);
    if (isFork) await this.#writes.checkFork(graph, config.configurable);
    if (
      isFork &&
      (this.#underWay(id).length > 0 ||
        (await this.#runs.store.runs({ threadId: id })).some(({ hasEnded }) => !hasEnded))
    )
      throw new Refusal(409, `A run of the thread ${id} is under way.`);
    const isFields = (given: unknown) => given == null || isDict(given);
    if (!(Array.isArray(values) ? values.every(isFields) : isFields(values)))
      throw new Refusal(422, "The values should be an object of the state's fields.");
    if (as_node != null && typeof as_node !== "string") throw new Refusal(422, "as_node should be a node's name.");
    const made = await graph
      .updateState(config as never, values as never, (as_node ?? undefined) as never)
      .then(undefined, refusedWith(422));
    this.#threads.touch(id);
    const at = checkpointOf(made as never);
    return { checkpoint: at, ...(made as object) };
  }

  async history(
    id: string,
    { before, metadata, checkpoint, select, ...page }: Record<string, unknown>,
  ): Promise<object[]> {
    const limit = countOf(page, "limit", 10);
    await this.#checkKnown(id);
    const graph = await this.#graphOf(id);
    if (!graph.getStateHistory || !graph.checkpointer) return [];
    const earlier = typeof before === "string" ? configOf(id, before) : before;
    const options = {
      limit,
      ...(isDict(earlier) && { before: "configurable" in earlier ? earlier : configOf(id, earlier) }),
      ...(isDict(metadata) && { filter: metadata }),
    };
    const states: object[] = [];
    try {
      for await (const state of graph.getStateHistory(configOf(id, checkpoint, true) as never, options as never)) {
        states.push(selected(threadStateOf(state as GraphState), select));
        if (states.length >= limit) break;
      }
    } catch (error) {
      throw noSubgraph(error) ?? error;
    }
    return states;
  }

  // Runs

  async start(threadId: string, body: RunRequest, { request }: Asked, events?: ProtocolEvents): Promise<Run> {
    const name = assistantIn(body);
    const graph = this.#graph(name);
    this.#writes.checkRun(body);
    const { config } = this.#options;
    const more =
      (typeof config === "function" ? (config as (request: Request) => object | undefined)(request) : config) ?? {};
    const change = this.#changeOf(threadId, request);
    const run = await this.#runs.start(graph, threadId, name, body, {
      config: more,
      change,
      owner: this.#threads.get(threadId)?.owner,
      events,
    });
    const thread =
      this.#threads.get(threadId) ?? this.#threads.keep(threadId, isDict(body.metadata) ? body.metadata : {});
    thread.assistant = name;
    thread.metadata = { ...thread.metadata, graph_id: name, assistant_id: name };
    return run;
  }

  #changeOf(threadId: string, request: Request) {
    const { onParts } = this.#options;
    return onParts && ((told: AsyncIterable<RunPart>, run: Run) => onParts(told, { threadId, runId: run.id }, request));
  }

  /** Starts a run, unless it names a checkpoint that is not there or, with `if_not_exists`, such a thread. */
  async begin(threadId: string, body: RunRequest, asked: Asked, events?: ProtocolEvents): Promise<Run> {
    if (body.if_not_exists === "reject") await this.#stateOf(threadId, undefined);
    const { configurable } = configOf(threadId, checkpointIn(body));
    const graph = this.#graph(assistantIn(body));
    await checkNamed(graph, configurable);
    await this.#writes.checkPlace(graph, body, configurable);
    return this.start(threadId, body, asked, events);
  }

  /** Runs a command of protocol v2. */
  command(threadId: string, body: Record<string, unknown>, asked: Asked): Promise<object> {
    const thread: CommandedThread = {
      id: threadId,
      assistant: async () => this.#assistantOf(threadId),
      interrupts: async () => interruptsOf((await this.#stateIfAny(threadId)) ?? {}),
      state: async () => {
        const { values, config } = await this.#readableStateOf(threadId);
        return { values: (values ?? {}) as object, checkpoint: checkpointOf(config) as Dict | null };
      },
      answered: async () => {
        const runs = await this.#runs.underWay(threadId);
        return runs.flatMap(({ about }) => (about as { answers?: readonly string[] }).answers ?? []);
      },
      last: async () => (await this.#runs.of(threadId))[0],
      begin: (request, answers) =>
        this.begin(threadId, request, asked, {
          answers,
          add: (runId, event) => this.events.add(threadId, runId, event),
        }),
    };
    // In turn: of two answers to one question the second finds it answered.
    return this.#turns.take(threadId, () => commanded(body, thread, this.events, this.#options.maxRecursionLimit));
  }

  /** Streams the events of a thread, of its kept runs and of those to come, until the reader leaves. */
  streamEvents(threadId: string, body: Record<string, unknown>, { request, asker }: Asked): Response {
    const { signal, leave } = leaving(request);
    const isAllowed = (run: string) => this.#owners.mayStillUse(asker, threadId, run);
    return eventStream(this.events.read(threadId, filterIn(body), isAllowed, signal), this.#options, {}, leave);
  }

  /** Streams a thread: the parts of its runs, or only that they begin and end. Those of protocol v2 have no parts. */
  async followThread(threadId: string, modes: readonly unknown[], { request, asker }: Asked): Promise<Response> {
    const unknown = modes.find((mode) => mode !== "run_modes" && mode !== "lifecycle");
    if (unknown !== undefined)
      throw new Refusal(422, `Unknown stream_mode ${JSON.stringify(unknown)} of a thread: use run_modes or lifecycle.`);
    await this.#checkKnown(threadId);
    const { store } = this.#runs;
    const { signal, leave } = leaving(request);
    const hasParts = modes.length === 0 || modes.includes("run_modes");
    const isReadable = (run: StoredRun) => this.#runs.hasParts(run);
    const isAllowed = (run: string) => this.#owners.mayStillUse(asker, threadId, run);
    const following = { lastEventId: request.headers.get("last-event-id"), hasParts, isReadable, isAllowed };
    async function* parts(): AsyncGenerator<string> {
      for await (const told of threadStream(store, threadId, following, signal)) {
        const { id, run, part, isOver } = told;
        if (part !== undefined) yield `id: ${id}\n${textOf(part)}`;
        else if (isOver) yield metadata(id, { status: "run_done", run_id: run.id });
        else if (!hasParts) yield metadata(id, { run_id: run.id, attempt: 1 });
      }
    }
    return eventStream(parts(), this.#options, {}, leave);
  }

  /** A run without a thread has one of its own, which is gone when the run is over. */
  async startAlone(body: RunRequest, asked: Asked): Promise<Run> {
    const threadId = newId();
    await this.open(asked.asker, threadId, true);
    try {
      const run = await this.start(threadId, body, asked);
      void run.over.then(() => this.#forget(threadId)).catch(() => {});
      return run;
    } catch (error) {
      await this.#forget(threadId);
      throw error;
    }
  }

  async run(threadId: string, id: string): Promise<KnownRun> {
    const run = await this.#runs.get(threadId, id);
    if (!run) throw new Refusal(404, `There is no run ${id} of the thread ${threadId}.`);
    return run;
  }

  async listRuns(threadId: string, query: URLSearchParams, select: unknown): Promise<object[]> {
    await this.#checkKnown(threadId);
    const [from, to] = rangeOf(Object.fromEntries(query));
    const status = query.get("status");
    const runs = (await this.#runs.of(threadId)).filter(({ facts }) => status === null || facts.status === status);
    return runs.slice(from, to).map((run) => selected(toldRun(run), select));
  }

  /** Resolves with the response of `wait` and `join` once the run is over. */
  async result(run: KnownRun): Promise<unknown> {
    return resultOf(await this.#runs.ending(run));
  }

  stop(run: KnownRun): Promise<void> {
    return this.#runs.stop(run);
  }

  async cancel(run: KnownRun, query: URLSearchParams): Promise<object> {
    const action = query.get("action") ?? "interrupt";
    if (action !== "interrupt" && action !== "rollback")
      throw new Refusal(422, `Unknown action ${JSON.stringify(action)}: use interrupt.`);
    if (action === "rollback") throw new Refusal(422, "Runs can be interrupted, but not rolled back.");
    await this.#runs.stop(run);
    if (/^(1|true)$/.test(query.get("wait") ?? "")) await this.#runs.over(run);
    return {};
  }

  /** Sends a user's messages into a run under way. Those that it takes are among its parts. */
  async steer(run: KnownRun, { messages }: Dict): Promise<object> {
    const { store } = this.#runs;
    await steered(store, (await store.runs(run))[0], messages);
    return {};
  }

  async remove(run: KnownRun): Promise<object> {
    await this.#runs.stop(run);
    await this.#runs.over(run);
    await this.#runs.remove(run);
    this.events.forget(run.threadId, run.id);
    return {};
  }

  /**
   * Streams a run after `Last-Event-ID`, or from its start.
   *
   * @param modes - If they are given, only parts of these modes are sent.
   * @param starters - The parts that the run's starter gets otherwise, by their numbers.
   */
  stream(
    run: KnownRun,
    { headers }: Request,
    left: (() => void) | undefined,
    { modes, starters }: { readonly modes?: readonly string[] | undefined; readonly starters?: Starters } = {},
  ): Response {
    if (run.facts.answers)
      throw new Refusal(
        422,
        `Protocol v2 started the run ${run.id}: read it at /threads/${run.threadId}/stream/events.`,
      );
    const seen = headers.get("last-event-id");
    const after = seen === null || !/^\d+$/.test(seen) ? 0 : Number(seen) + 1;
    const gone = new AbortController();
    const hasIds = isResumable(run.facts);
    const coming =
      run instanceof Run ? run.follow(after, gone.signal) : this.#runs.store.follow(run, after, gone.signal);
    const parts = partsOf(coming, hasIds, modes, starters);
    return eventStream(parts, this.#options, locationOf(run), () => {
      gone.abort();
      left?.();
    });
  }

  // The parts that these are built from

  async #told(thread: KeptThread, state: GraphState | undefined): Promise<object> {
    return this.#withRuns(thread, state, await this.#runs.store.runs({ threadId: thread.id }));
  }

  #withRuns(
    { id, metadata, createdAt, updatedAt }: KeptThread,
    state: GraphState | undefined,
    runs: readonly StoredRun[],
  ): object {
    const last = this.#runs.last(runs);
    const interrupts = state ? interruptsOf(state) : [];
    const isBusy = this.#underWay(id).length > 0 || runs.some(({ hasEnded }) => !hasEnded);
    const status = isBusy
      ? "busy"
      : last?.status === "error"
        ? "error"
        : interrupts.length > 0 || (state?.next ?? []).length > 0
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
      error: status === "error" ? (last?.error ?? null) : null,
      interrupts: Object.fromEntries(
        (state?.tasks ?? []).flatMap(({ id: task, interrupts: asked = [] }) =>
          asked.length > 0 ? [[task, asked]] : [],
        ),
      ),
    };
  }

  /** The graph that last ran on a thread; for one of an earlier program, as its checkpoints name it. */
  async #assistantOf(id: string): Promise<string | undefined> {
    const known = this.#threads.get(id)?.assistant;
    if (known !== undefined) return known;
    if (!(this.#graphs instanceof Map)) return "agent";
    if (this.#graphs.size === 1) return [...this.#graphs.keys()][0];
    const config = { configurable: { ...configOf(id).configurable, checkpoint_ns: "" } };
    for (const saver of this.#savers()) {
      const { list } = (saver ?? {}) as Partial<CheckpointSaver>;
      // An update's checkpoint names no graph.
      for await (const { metadata } of list?.call(saver, config, { limit: UPDATES }) ?? []) {
        const { graph_id: name } = (metadata ?? {}) as { graph_id?: unknown };
        if (typeof name === "string" && this.#graphs.has(name)) return name;
      }
    }
    return undefined;
  }

  /** The thread's runs under way in this program, whichever server began them. */
  #underWay(threadId: string): WorkedRun[] {
    return this.#all().flatMap((graph) => new UnderWay(graph).of(threadId));
  }

  #all(): RunnableGraph[] {
    return this.#graphs instanceof Map ? [...this.#graphs.values()] : [this.#graphs as RunnableGraph];
  }

  #graph(name: string): RunnableGraph {
    const graph = this.#graphs instanceof Map ? this.#graphs.get(name) : (this.#graphs as RunnableGraph);
    if (!graph) throw new Refusal(404, `There is no assistant ${name}.`);
    return graph;
  }

  async #graphOf(threadId: string): Promise<RunnableGraph> {
    const name = await this.#assistantOf(threadId);
    return (name === undefined ? this.#all()[0] : this.#graph(name)) as RunnableGraph;
  }

  #savers(): Set<unknown> {
    return new Set(this.#all().map(({ checkpointer }) => checkpointer));
  }

  /** @throws {@link Refusal} 404 for a thread that was not made here, has no run and is in no checkpointer. */
  async #checkKnown(id: string): Promise<void> {
    if (this.#threads.has(id) || (await this.#runs.of(id)).length > 0) return;
    const config = configOf(id);
    for (const saver of this.#savers()) {
      const { getTuple } = (saver ?? {}) as { getTuple?(config: object): Promise<unknown> };
      if (await getTuple?.call(saver, config)) return;
    }
    throw new Refusal(404, `There is no thread ${id}.`);
  }

  /** A thread is known if it was made here, or if the checkpointer has it. */
  async #stateOf(id: string, checkpoint: unknown, subgraphs = false): Promise<GraphState> {
    const config = configOf(id, checkpoint, true);
    const known = this.#threads.get(id);
    const name = await this.#assistantOf(id);
    // Older checkpoints name no graph: the one whose checkpointer has the thread.
    const graphs = name === undefined ? this.#all() : [this.#graph(name)];
    for (const graph of graphs) {
      if (!graph.getState || !graph.checkpointer) continue;
      const asked = (graph.getState as (...args: unknown[]) => unknown)(config, { subgraphs });
      const state = (await Promise.resolve(asked).catch(refusedWith(400))) as GraphState;
      if (checkpointOf(state.config) !== null || (known && graph === graphs.at(-1))) return state;
    }
    if (!known) throw new Refusal(404, `There is no thread ${id}.`);
    return { config };
  }

  /** The state of a thread; undefined for one that is made, as its owner's, and has no checkpoint yet. */
  async #stateIfAny(id: string): Promise<GraphState | undefined> {
    try {
      return await this.#readableStateOf(id);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** A thread's newest state without the pending writes that it shows. */
  async #committed(id: string, state: GraphState): Promise<GraphState> {
    const isPending = state.tasks?.some(({ result }) => result !== undefined) === true;
    return isPending ? this.#stateOf(id, checkpointOf(state.config)) : state;
  }

  /** The state of a thread, or the one before it if the graph refuses the last input. */
  async #readableStateOf(id: string): Promise<GraphState> {
    try {
      return await this.#stateOf(id, undefined);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 400) throw error;
      const graph = await this.#graphOf(id);
      const before = graph.getStateHistory?.(configOf(id) as never, { limit: 1 } as never);
      for await (const state of before ?? []) return state as GraphState;
      throw error;
    }
  }
}

/** @throws {@link Refusal} 404 for a checkpoint that is named and not there. */
async function checkNamed({ checkpointer }: RunnableGraph, configurable: Record<string, unknown>): Promise<void> {
  const { checkpoint_id: id, thread_id: threadId } = configurable;
  const { getTuple } = (checkpointer ?? {}) as { getTuple?(config: object): Promise<unknown> };
  if (id === undefined || typeof getTuple !== "function") return;
  if (!(await getTuple.call(checkpointer, { configurable })))
    throw new Refusal(404, `There is no checkpoint ${String(id)} of the thread ${String(threadId)}.`);
}

/** Drops a thread's runs, once they are over. */
async function drop(store: RunStore, threadId: string): Promise<void> {
  const runs = await store.runs({ threadId });
  for (const run of runs) await store.cancel(run);
  for (const run of runs) {
    await ended(store, run);
    await store.remove(run);
  }
}

/** The part by which a thread's stream says that a run begins or is over. */
const metadata = (id: string, data: object): string => `id: ${id}\nevent: metadata\ndata: ${JSON.stringify(data)}\n\n`;

type Starters = ReadonlyMap<number, string>;

/** The texts of parts, of certain modes or of all. */
async function* partsOf(
  coming: AsyncIterable<NumberedPart>,
  hasIds: boolean,
  modes: readonly string[] | undefined,
  starters: Starters | undefined,
): AsyncGenerator<string> {
  for await (const [at, lazy] of coming) {
    const part = starters?.get(at) ?? textOf(lazy);
    const [, event = ""] = /^event: (.*)/.exec(part) ?? [];
    if (!modes || isOfModes(event, modes)) yield hasIds ? `id: ${at - 1}\n${part}` : part;
  }
}

/** A graph's error about an invalid update or input is a refusal; any other error is the server's. */
const refusedWith =
  (status: number) =>
  (error: unknown): never => {
    const missing = noSubgraph(error);
    if (missing) throw missing;
    const { name, message, code } = errorWords(error);
    const isOurs = error instanceof ThreadfoldError && error.code !== "STORAGE_FAILED";
    throw isOurs || name === "InvalidUpdateError" || code !== undefined ? new Refusal(status, message) : error;
  };

/** The refusal for a `checkpoint_ns` that no graph has; undefined for any other error. Both graphs say it in these words. */
function noSubgraph(error: unknown): Refusal | undefined {
  const { message } = errorWords(error);
  return /^Subgraph\b.* not found/.test(message) ? new Refusal(404, `Unknown checkpoint_ns. ${message}`) : undefined;
}

/** @throws {@link Refusal} 422 for a request that names no assistant. */
function assistantIn({ assistant_id: name }: RunRequest): string {
  if (typeof name !== "string" || name === "") throw new Refusal(422, "assistant_id should be the name of a graph.");
  return name;
}

/** The list entry for a thread that cannot be read. */
function unreadable(thread: object, cause: unknown): object {
  const { name, message } = errorWords(cause);
  return { ...thread, status: "error", values: null, interrupts: {}, error: { error: name, message } };
}

/** The orders of a search for threads, by the names of the API. */
const THREAD_ORDERS: Readonly<Record<string, keyof KeptThread>> = {
  thread_id: "id",
  created_at: "createdAt",
  updated_at: "updatedAt",
};

/** How many of a thread's newest checkpoints are asked which graph made them. */
const UPDATES = 20;

/** As much of a compiled graph as draws it. */
type DrawableGraph = RunnableGraph & {
  getGraphAsync?(options: { xray: boolean | number }): Promise<{ toJSON(): object }>;
};

interface Told {
  readonly status: string;
  readonly values: unknown;
}

/** Where a run can be joined; by this the SDK knows its id. */
export const locationOf = (run: KnownRun) => ({
  "content-location": `/threads/${encodeURIComponent(run.threadId)}/runs/${run.id}`,
});
