// A server of LangGraph's API: its threads and runs, without HTTP's paths.
import { isDict, type Dict } from "../../shared/dict.js";
import { newId } from "../../shared/new-id.js";
import { ownConfig } from "../../shared/own-config.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import { checkId, eventStream, type Asker } from "../http.js";
import { Owners, type Owner } from "../owners.js";
import { Refusal } from "../refusal.js";
import { MemoryRuns } from "../run-stores/memory-runs.js";
import { ended, textOf, type RunStore, type StoredRun } from "../run-stores/run-store.js";
import { switching } from "../run-stores/switches.js";
import { keepsRuns, storesOf } from "../stores.js";
import { leaving } from "../leaving.js";
import { threadStream } from "../thread-stream.js";
import { Turns } from "../turns.js";
import { ClientWrites } from "../threads/client-writes.js";
import { KeptThreads } from "../threads/kept-threads.js";
import { configOf } from "../threads/thread-config.js";
import { checkNamed, refusedWith } from "../threads/graph-refusals.js";
import { Assistants } from "./assistants.js";
import { commanded, type CommandedThread } from "./commands.js";
import type { RunPart } from "./run-parts.js";
import type { RunRequest } from "./run-request.js";
import type { ProtocolEvents, Run, RunFacts } from "./run.js";
import { checkpointIn } from "./run-input.js";
import { KnownRuns } from "./known-runs.js";
import { Runs } from "./runs.js";
import type { ServeLangGraphOptions } from "./serve-options.js";
import { checkpointOf, interruptsOf } from "./thread-state.js";
import { ThreadStates } from "./thread-states.js";
import { ThreadSummaries } from "./thread-summaries.js";
import { filterIn } from "./v2/protocol-event.js";
import { ThreadEvents } from "./v2/thread-events.js";

/** A request, and the user whose it is, if that is known. */
export interface Asked {
  readonly request: Request;
  readonly asker: Asker | undefined;
  /** Whether the request makes its thread if that is not there, unless it is refused. */
  readonly makes: boolean;
}

export class LangGraphServer {
  readonly assistants: Assistants;
  readonly states: ThreadStates;
  readonly summaries: ThreadSummaries;
  readonly known: KnownRuns;
  /** The events of runs that protocol v2 started. */
  readonly events = new ThreadEvents();
  readonly #options: ServeLangGraphOptions;
  readonly #threads: KeptThreads;
  readonly #runs: Runs;
  readonly #owners: Owners;
  readonly #writes: ClientWrites;
  readonly #turns = new Turns();

  constructor(graphs: RunnableGraph | ReadonlyMap<string, RunnableGraph>, options: ServeLangGraphOptions) {
    const assistants = new Assistants(graphs);
    this.assistants = assistants;
    this.#options = options;
    this.#threads = new KeptThreads(options.keepThreads, (threadId) => assistants.underWay(threadId).length > 0);
    this.#writes = new ClientWrites(assistants.graphs(), options.clientWrites);
    this.#owners = new Owners(
      () => assistants.graphs(),
      options,
      (threadId) => {
        const kept = this.#threads.get(threadId);
        const held = kept && { owner: kept.owner };
        return async (saved) => {
          const runs = await this.#runs.store.runs({ threadId });
          // Another program has deleted the thread since.
          const isGone = held?.owner !== undefined && saved && !saved.includes(held.owner);
          if (isGone && this.#threads.get(threadId) === kept) this.#threads.delete(threadId);
          return [isGone ? [] : (held ?? []), runs].flat();
        };
      },
    );
    this.#runs = this.#runsIn(options);
    this.states = new ThreadStates(assistants, this.#threads, this.#runs);
    this.known = new KnownRuns(this.#runs, this.states, this.events, options);
    this.summaries = new ThreadSummaries({
      assistants,
      threads: this.#threads,
      runs: this.#runs,
      states: this.states,
      owners: this.#owners,
    });
  }

  #runsIn({ keep = 100, runs: store = new MemoryRuns({ keep }), config }: ServeLangGraphOptions): Runs {
    const over = new Set<Run>();
    for (const graph of this.assistants.graphs()) keepsRuns(graph, store);
    return new Runs(
      store,
      ({ threadId }) => this.#threads.touch(threadId),
      (run) => {
        // Events are this program's own, wherever the runs are kept.
        over.add(run);
        for (const oldest of over) {
          if (over.size <= keep) return;
          over.delete(oldest);
          this.events.forget(oldest.threadId, oldest.id);
        }
      },
      (graph, threadId, request) => this.#checkPlace(graph, threadId, request),
      ({ threadId, run: { about } }) => ({
        graph: this.assistants.find((about as RunFacts).assistantId),
        events: (runId, event) => this.events.add(threadId, runId, event),
        config: typeof config === "function" ? undefined : (config ?? {}),
        change: this.#changeOf(threadId, new Request("http://localhost/")),
      }),
    );
  }

  /** Looks after runs whose instance is gone. */
  watch(): void {
    this.#runs.leases.watch();
  }

  // Threads

  /**
   * Returns once the user may use the thread, which then is known here, or make it.
   *
   * @param makes - Whether the request makes the thread if it is not there.
   * @throws {@link Refusal} 404, as {@link Owners.open} does.
   */
  async open(asker: Asker | undefined, id: string, makes: boolean): Promise<void> {
    if (!asker) return;
    const { owner, isMissing } = makes
      ? await this.#owners.look(asker, id)
      : { owner: await this.#owners.open(asker, id), isMissing: false };
    if (!isMissing) this.#keep(id, owner);
  }

  /**
   * Makes a thread the user's if it is not there, and begins a run of it: a refused request makes none. Looks whose it is
   * once more: it may have been deleted, and made by another user, since the request came.
   */
  async #make<T>({ asker, makes }: Asked, id: string, begin: (owner: Owner) => Promise<T>): Promise<T> {
    if (!asker) return begin(this.#threads.get(id)?.owner);
    const known = (owner: Owner) => {
      this.#keep(id, owner);
      return begin(owner);
    };
    return makes ? this.#owners.make(asker, id, known) : known(await this.#owners.open(asker, id));
  }

  #keep(id: string, owner: string | undefined): void {
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
    const made = this.#owners.make(asker, id, (owner) => {
      const known = this.#threads.get(id);
      if (known && if_exists !== "do_nothing") throw isTaken;
      return known ?? this.#threads.keep(id, isDict(metadata) ? metadata : {}, owner);
    });
    const thread = await made.catch((error: unknown) => {
      throw error instanceof Refusal ? isTaken : error;
    });
    return this.summaries.of(thread, undefined);
  }

  async thread(id: string): Promise<object> {
    const state = await this.states.newest(id);
    return this.summaries.of(this.#threads.get(id) ?? this.#threads.keep(id, {}), state);
  }

  async patchThread(id: string, { metadata }: Record<string, unknown>): Promise<object> {
    await this.states.checkKnown(id);
    const thread = this.#threads.get(id) ?? this.#threads.keep(id, {});
    thread.metadata = { ...thread.metadata, ...(isDict(metadata) && metadata) };
    this.#threads.touch(id);
    return this.thread(id);
  }

  async deleteThread(id: string): Promise<Response> {
    await this.states.checkKnown(id);
    await this.#forget(id);
    return new Response(null, { status: 204 });
  }

  async #forget(id: string): Promise<void> {
    for (const run of this.assistants.underWay(id)) {
      run.stop.abort();
      await run.over;
    }
    const runs = await this.#runs.of(id);
    for (const run of runs) await this.#runs.stop(run);
    for (const run of runs) await this.#runs.over(run);
    for (const run of runs) await this.#runs.remove(run);
    for (const store of storesOf(this.assistants.graphs())) await drop(store, id);
    this.#threads.delete(id);
    this.events.delete(id);
    for (const saver of this.assistants.savers())
      await (saver as { deleteThread?(id: string): unknown } | undefined)?.deleteThread?.(id);
  }

  async updateState(id: string, body: Record<string, unknown>): Promise<object> {
    const graph = await this.states.graphOf(id);
    if (!graph.updateState) throw new Refusal(422, "The graph has no updateState().");
    const { values, as_node, checkpoint, checkpoint_id } = body;
    const isFork = values == null && as_node == null;
    if (!isFork) this.#writes.check("an update of a thread's state");
    await this.states.checkKnown(id);
    const config = configOf(id, checkpoint ?? checkpoint_id, true);
    await checkNamed(graph, config.configurable);
    if (isFork) await this.#writes.checkFork(graph, config.configurable);
    if (isFork && this.assistants.underWay(id).length > 0)
      throw new Refusal(409, `A run of the thread ${id} is under way.`);
    const isFields = (given: unknown) => given == null || isDict(given);
    if (!(Array.isArray(values) ? values.every(isFields) : isFields(values)))
      throw new Refusal(422, "The values should be an object of the state's fields.");
    if (as_node != null && typeof as_node !== "string") throw new Refusal(422, "as_node should be a node's name.");
    const { updateState } = graph;
    const update = () =>
      updateState
        .call(graph, config as never, values as never, (as_node ?? undefined) as never)
        .then(undefined, refusedWith(422));
    const owner = this.#threads.get(id)?.owner;
    const made = await switching(this.#runs.store, id, { owner, isAlone: isFork }, update);
    this.#threads.touch(id);
    const at = checkpointOf(made as never);
    return { checkpoint: at, ...(made as object) };
  }

  // Runs

  async start(threadId: string, body: RunRequest, asked: Asked, events?: ProtocolEvents): Promise<Run> {
    const { request } = asked;
    const name = assistantIn(body);
    const graph = this.assistants.graph(name);
    this.#writes.checkRun(body);
    const { config } = this.#options;
    const more = (await ownConfig(config, request)) ?? {};
    const change = this.#changeOf(threadId, request);
    const run = await this.#runs.start(graph, threadId, name, body, {
      config: more,
      change,
      events,
      make: (begin) => this.#make(asked, threadId, begin),
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
    if (body.if_not_exists === "reject") await this.states.at(threadId, undefined);
    const { configurable } = configOf(threadId, checkpointIn(body));
    const graph = this.assistants.graph(assistantIn(body));
    await checkNamed(graph, configurable);
    await this.#checkPlace(graph, threadId, body);
    await this.#runs.checkAnswers(graph, threadId, body);
    return this.start(threadId, body, asked, events);
  }

  #checkPlace(graph: RunnableGraph, threadId: string, body: RunRequest): Promise<void> {
    const place = configOf(threadId, checkpointIn(body)).configurable;
    return this.#writes.checkPlace(graph, body, place, (name) => this.assistants.find(name));
  }

  /** Runs a command of protocol v2. */
  command(threadId: string, body: Record<string, unknown>, asked: Asked): Promise<object> {
    const thread: CommandedThread = {
      id: threadId,
      assistant: async () => this.states.assistantOf(threadId),
      interrupts: async () => interruptsOf((await this.states.ifAny(threadId)) ?? {}),
      state: async () => {
        const { values, config } = await this.states.newest(threadId);
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
  async streamEvents(threadId: string, body: Record<string, unknown>, asked: Asked): Promise<Response> {
    const { request, asker } = asked;
    const filter = filterIn(body);
    await this.#make(asked, threadId, async () => {});
    const { signal, leave } = leaving(request);
    const isAllowed = (run: string) => this.#owners.mayStillUse(asker, threadId, run);
    return eventStream(this.events.read(threadId, filter, isAllowed, signal), this.#options, {}, leave);
  }

  /** Streams a thread: the parts of its runs, or only that they begin and end. Those of protocol v2 have no parts. */
  async followThread(threadId: string, modes: readonly unknown[], { request, asker }: Asked): Promise<Response> {
    const unknown = modes.find((mode) => mode !== "run_modes" && mode !== "lifecycle");
    if (unknown !== undefined)
      throw new Refusal(422, `Unknown stream_mode ${JSON.stringify(unknown)} of a thread: use run_modes or lifecycle.`);
    await this.states.checkKnown(threadId);
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

  /**
   * A run without a thread has one of its own, which is gone when the run is over, unless the request keeps it.
   *
   * @param read - Resolves when its starter needs no more of it.
   */
  async startAlone(body: RunRequest, asked: Asked, read?: Promise<void>): Promise<Run> {
    const threadId = newId();
    try {
      const run = await this.start(threadId, body, { ...asked, makes: true });
      const isDone = Promise.all([run.over, read]);
      if (body.on_completion !== "keep") void isDone.then(() => this.#forget(threadId)).catch(() => {});
      return run;
    } catch (error) {
      await this.#forget(threadId);
      throw error;
    }
  }
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

/** @throws {@link Refusal} 422 for a request that names no assistant. */
function assistantIn({ assistant_id: name }: RunRequest): string {
  if (typeof name !== "string" || name === "") throw new Refusal(422, "assistant_id should be the name of a graph.");
  return name;
}
