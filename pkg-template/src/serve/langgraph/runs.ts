// Starts, queues and stops runs, and streams them to clients that join.
import { withInbox } from "../../shared/run-inbox.js";
import { shownState, type RunnableGraph } from "../../stream/graph-parts.js";
import { aborted } from "../leaving.js";
import { Refusal } from "../refusal.js";
import { Leases, type ClaimedRun } from "../run-stores/leases.js";
import { ended, isStoreError, type RunKey, type RunStore, type StoredRun } from "../run-stores/run-store.js";
import type { WorkedRun } from "../run-stores/worked-run.js";
import { UnderWay } from "../under-way.js";
import { configOf } from "../threads/thread-config.js";
import { answersBefore, answersOfRequest, checkAsked } from "./request-answers.js";
import { failure, Run, SERVER, type KnownRun, type More, type ProtocolEvents, type RunFacts } from "./run.js";
import { checkpointIn, configFor, inputOf } from "./run-input.js";
import { EventOutput, part, PartOutput } from "./run-output.js";
import { modesOf, runParts, type RunPart } from "./run-parts.js";
import type { RunRequest } from "./run-request.js";
import { checkpointIdOf, newestOf } from "./thread-state.js";
import { PROTOCOL_MODES } from "./v2/run-events.js";

/** Refuses a request that may not run where it asks to. */
type CheckPlace = (graph: RunnableGraph, threadId: string, request: RunRequest) => Promise<void>;

/** The runs of a server: those of its store, and those that this program works on. */
export class Runs {
  readonly store: RunStore;
  /** The runs that this program works on, by their ids. */
  readonly #working = new Map<string, Run>();
  readonly #changed: (run: Run) => void;
  readonly #isOver: (run: Run) => void;
  /** When the runs before a run that waits are over, if this program works on all of them. */
  readonly #free = new WeakMap<WorkedRun, Promise<unknown>>();
  readonly #checkPlace: CheckPlace;
  readonly leases: Leases;

  /**
   * @param changed - Called when a run begins and when it is over.
   * @param over - Called when a run is over.
   * @param checkPlace - Called when a run's turn has come: what was next when it was sent may have run since.
   * @param home - Returns what a run needs that another instance began.
   */
  constructor(
    store: RunStore,
    changed: (run: Run) => void,
    over: (run: Run) => void,
    checkPlace: CheckPlace,
    home: (claimed: ClaimedRun) => Home,
  ) {
    this.leases = new Leases(store, SERVER, (claimed) => this.#continue(claimed, home(claimed)));
    this.store = store;
    this.#changed = changed;
    this.#isOver = over;
    this.#checkPlace = checkPlace;
  }

  /** The runs of a thread, the latest first. */
  async of(threadId: string): Promise<KnownRun[]> {
    return (await this.store.runs({ threadId }))
      .filter(({ server }) => server === SERVER)
      .map((run) => this.#known(run));
  }

  async get(threadId: string, id: string): Promise<KnownRun | undefined> {
    const [run] = await this.store.runs({ threadId, id });
    return run?.server === SERVER ? this.#known(run) : undefined;
  }

  /** Whether a run can be read and joined by its parts: those of protocol v2 have none. */
  hasParts({ server, about }: StoredRun): boolean {
    return server === SERVER && (about as RunFacts).answers === undefined;
  }

  /** The latest of a thread's runs. */
  last(runs: readonly StoredRun[]): RunFacts | undefined {
    const last = runs.find(({ server }) => server === SERVER);
    return last && this.#known(last).facts;
  }

  /** Those of a thread that have not ended, whichever instance works on them. */
  async underWay(threadId: string): Promise<StoredRun[]> {
    return (await this.store.runs({ threadId })).filter(({ hasEnded }) => !hasEnded);
  }

  /** Stops a run, whichever instance works on it, now or later. */
  async stop(run: KnownRun): Promise<void> {
    if (run instanceof Run) run.stop.abort();
    await this.store.cancel(run);
  }

  async over(run: KnownRun): Promise<void> {
    await (run instanceof Run ? run.over : ended(this.store, run));
  }

  /** Resolves with a run's facts once it is over. */
  async ending(run: KnownRun): Promise<RunFacts> {
    await this.over(run);
    return run instanceof Run ? run.facts : ((await this.get(run.threadId, run.id)) ?? run).facts;
  }

  remove(run: KnownRun): Promise<void> {
    return this.store.remove((run instanceof Run && run.lease) || run);
  }

  /**
   * Refuses answers that come too late. While a run is under way, their own run's turn decides.
   *
   * @throws {@link Refusal} as {@link checkAsked} does.
   */
  async checkAnswers(graph: RunnableGraph, threadId: string, request: RunRequest): Promise<void> {
    if (answersOfRequest(request).length === 0 || (await this.underWay(threadId)).length > 0) return;
    await checkAsked(graph, { threadId, request }, this.store);
  }

  #known({ threadId, id, about }: StoredRun): KnownRun {
    // The run itself is as it is now.
    return this.#working.get(id) ?? { threadId, id, facts: about as RunFacts };
  }

  /** Begins a run, or lets it wait for those before it; by its `multitask_strategy`, stops them, or is refused. */
  async start(
    graph: RunnableGraph,
    threadId: string,
    assistantId: string,
    request: RunRequest,
    more: More,
  ): Promise<Run> {
    const modes = more.events ? PROTOCOL_MODES : modesOf(request.stream_mode);
    configOf(threadId, checkpointIn(request));
    const strategy = request.multitask_strategy ?? "enqueue";
    const underWay = new UnderWay(graph);
    const here = underWay.of(threadId);
    const isAlone = strategy === "reject";
    const busy = "The thread has a run that goes on: wait for it, or choose another multitask_strategy.";
    if (!["enqueue", "interrupt", "reject", "rollback"].includes(strategy as string))
      throw new Refusal(422, `There is no multitask_strategy ${JSON.stringify(strategy)}.`);
    if (strategy === "rollback") throw new Refusal(422, "The strategy rollback is not served: use interrupt.");
    if (isAlone && here.length > 0) throw new Refusal(409, busy);
    const run = new Run(this.store, threadId, assistantId, request, more);
    this.#take(run, underWay);
    const { make = (begin) => begin(run.owner) } = more;
    const begun = make((owner) => run.begin({ server: SERVER, about: run.facts, isAlone, owner }));
    const before = await begun.catch((error: unknown) => {
      run.drop();
      throw isStoreError(error, "BUSY") ? new Refusal(409, busy) : error;
    });
    // Those of the store may be of another graph, or of another instance; another store's are known here alone.
    const ids = new Set(before.map(({ id }) => id));
    const waitedFor = here.filter((other) => ids.has(other.id) || !other.isIn(this.store));
    const others = without(before, waitedFor);
    const over = this.#over(waitedFor);
    if (others.length === 0) this.#free.set(run, over);
    const isStopping = strategy === "interrupt";
    if (isStopping) for (const other of waitedFor) other.stop.abort();
    const free = async () => {
      if (isStopping) await Promise.all(before.map((other) => this.store.cancel(other)));
      await Promise.all([over, ...this.#ended(others, run)]);
    };
    void this.#after(free, run, () => this.#work(graph, run, modes, more));
    return run;
  }

  /** Resolve when runs have ended that are known by the store alone, or once the run that waits for them is stopped. */
  #ended(others: readonly RunKey[], { stop: { signal } }: Run): Promise<void>[] {
    return others.map((other) => ended(this.store, other, signal));
  }

  /** Resolves when runs are over. A run waits for the last one's wait, not for each: n that wait would have n² promises. */
  #over(runs: readonly WorkedRun[]): Promise<unknown> {
    const last = runs.at(-1);
    const free = last && this.#free.get(last);
    const rest = free ? without(runs, last.lease?.before ?? []) : runs;
    return Promise.all([free, ...rest.map(({ over }) => over)]);
  }

  #take(run: Run, underWay: UnderWay): void {
    underWay.add(run);
    this.#working.set(run.id, run);
    this.leases.hold(run);
    void run.over.then(() => {
      this.#working.delete(run.id);
      this.#isOver(run);
    });
  }

  /** Continues a run whose instance is gone, from the thread's last checkpoint. */
  #continue(claimed: ClaimedRun, home: Home): Run {
    const { threadId, run: stored } = claimed;
    const { graph, events, change } = home;
    const { assistantId, request, answers, config = home.config } = stored.about as RunFacts;
    const more: More = {
      config: config ?? {},
      change,
      owner: stored.owner,
      events: answers && { answers, add: events },
    };
    const run = new Run(this.store, threadId, assistantId, request, more, claimed);
    run.continue(claimed);
    const here = graph ? new UnderWay(graph) : undefined;
    const ids = new Set(claimed.before.map(({ id }) => id));
    const others = here?.of(threadId).filter(({ id }) => ids.has(id)) ?? [];
    if (here) this.#take(run, here);
    const elsewhere = without(claimed.before, others);
    const free = () => Promise.all([...others.map((other) => other.over), ...this.#ended(elsewhere, run)]);
    void this.#after(free, run, async () => {
      if (graph && config)
        return this.#work(graph, run, answers ? PROTOCOL_MODES : modesOf(request.stream_mode), more, 2);
      throw new Error("The instance that ran it is gone, and its config cannot be kept.");
    });
    return run;
  }

  /** Works on a run once its thread is free, or the run is stopped. It fails where that cannot be known. */
  async #after(free: () => Promise<unknown>, run: Run, work: () => Promise<void>): Promise<void> {
    try {
      await Promise.race([free(), aborted(run.stop.signal)]);
      await work();
    } catch (error) {
      run.error = failure(error);
      run.become("error");
      run.add(part({ event: "error", data: run.error }));
      await run.end(run.facts);
    }
  }

  /** @param attempt - The second one continues a run from its last checkpoint. */
  async #work(graph: RunnableGraph, run: Run, modes: readonly string[], more: More, attempt = 1): Promise<void> {
    const { signal } = run.stop;
    const output = run.events ? new EventOutput(run, run.events) : new PartOutput(run);
    if (signal.aborted) run.become("interrupted");
    else {
      run.become("running");
      if (this.store.ttl === undefined || attempt > 1) void run.update(run.facts);
      else {
        const id = checkpointIdOf(await newestOf(graph, run.threadId));
        run.from = { id, answers: await answersBefore(graph, run) };
        await run.update(run.facts);
      }
      this.#changed(run);
      try {
        const request = attempt === 1 ? run.request : await restOf(graph, run);
        if (request) await this.#checkPlace(graph, run.threadId, request);
        if (request === run.request) await checkAsked(graph, run, this.store);
        run.hasBegun = true;
        if (request) await output.take(untilStopped(partsOf(graph, run, request, modes, more, attempt), signal));
        run.become(signal.aborted || run.ending.isInterrupted ? "interrupted" : "success");
      } catch (error) {
        if (signal.aborted) run.become("interrupted");
        else {
          run.error = failure(error);
          run.become("error");
        }
      }
    }
    output.end();
    run.keepValues();
    await run.end(run.facts);
    this.#changed(run);
  }
}

/** Returns the runs whose ids the others lack. */
function without<R extends RunKey>(runs: readonly R[], others: readonly RunKey[]): readonly R[] {
  const ids = new Set(others.map(({ id }) => id));
  return runs.filter(({ id }) => !ids.has(id));
}

/** The server's part in a run that another instance began. */
export interface Home {
  /** Undefined if this instance has no such graph. */
  readonly graph: RunnableGraph | undefined;
  /** Where its events go, if protocol v2 started it. */
  readonly events: ProtocolEvents["add"];
  /** More of its config. Undefined if a function makes it of a request. */
  readonly config: object | undefined;
  readonly change: More["change"];
}

/**
 * Returns the request that continues a run: the same one if the graph has taken nothing of it. Undefined if the graph has
 * finished: nothing is left to run.
 */
async function restOf(graph: RunnableGraph, run: Run): Promise<RunRequest | undefined> {
  const state = await newestOf(graph, run.threadId);
  if (!state || !run.from) return run.request;
  const isTaken = run.from.answers !== (await answersBefore(graph, run));
  if (checkpointIdOf(state) === run.from.id && !isTaken) return run.request;
  if ((state.next ?? []).length === 0) {
    run.ending.values = shownState(graph, (state.values ?? {}) as object);
    return undefined;
  }
  const { input: _, command: __, checkpoint: ___, checkpoint_id: ____, config, ...rest } = run.request;
  const { checkpoint_id: _____, ...configurable } = (config?.["configurable"] ?? {}) as { checkpoint_id?: unknown };
  return { ...rest, config: { ...config, configurable } } as RunRequest;
}

function partsOf(
  graph: RunnableGraph,
  run: Run,
  request: RunRequest,
  modes: readonly string[],
  more: More,
  attempt: number,
): AsyncIterable<RunPart> {
  const { config: own, change } = more;
  const config = { ...withInbox(configFor(graph, run, request, own, attempt), run.inbox), signal: run.stop.signal };
  const steps = request.stream_steps === true;
  const input = inputOf(request, graph);
  const told = beginning(run, attempt, runParts(graph, { input, config, modes, end: run.ending, steps }));
  return change ? change(told, run) : told;
}

/** Yields parts until the run is stopped. */
async function* untilStopped(parts: AsyncIterable<RunPart>, signal: AbortSignal): AsyncGenerator<RunPart> {
  for await (const one of parts) {
    if (signal.aborted) return;
    yield one;
  }
}

/** The parts of a run, from the one on that says which it is. */
async function* beginning(run: Run, attempt: number, parts: AsyncIterable<RunPart>): AsyncGenerator<RunPart> {
  yield { event: "metadata", data: { run_id: run.id, attempt } };
  yield* parts;
}
