// The runs of an AG-UI server: each begins alone in its thread, is joined, and goes on for an instance that is gone.
import type { ServedEvent } from "../../ag-ui/graph/graph-event.js";
import {
  checkpointOf,
  runConfig,
  servedEvents,
  threadState,
  type FoldingClient,
  type ServedOptions,
} from "../../ag-ui/graph/graph-events.js";
import type { GraphRunInput } from "../../ag-ui/graph/graph-input.js";
import { REPEATS, WHOLE } from "../../ag-ui/graph/whole.js";
import { newId } from "../../shared/new-id.js";
import { ownConfig } from "../../shared/own-config.js";
import { errorWords } from "../../stream/error-words.js";
import type { GraphState, RunnableGraph } from "../../stream/graph-parts.js";
import { checkUnchanged } from "../late-answers.js";
import { checkId, sooner, type Asker } from "../http.js";
import { isReplaced } from "../threads/checkpoints.js";
import type { Owner, Owners } from "../owners.js";
import { Refusal } from "../refusal.js";
import { Leases, type ClaimedRun } from "../run-stores/leases.js";
import { isPlainJson } from "../run-stores/plain-json.js";
import { ended, isStoreError, type Part, type RunKey, type RunFilter, type RunStore } from "../run-stores/run-store.js";
import { isSwitch } from "../run-stores/switches.js";
import { WorkedRun } from "../run-stores/worked-run.js";
import { savedAnswers } from "../saved-answers.js";
import { Turns } from "../turns.js";
import { UnderWay } from "../under-way.js";
import { recordedAnswers, isJoined, sentWith, type About, type CarriedOn, type KnownRun } from "./about.js";
import { answersOfInput } from "./input-answers.js";
import { foldingClient, folds } from "./capabilities.js";
import { continuedEvents } from "./continued.js";
import { partOf, SERVER, streamed } from "./parts.js";
import { SentEvents } from "./sent-events.js";
import type { ServeAgUiOptions } from "./serve-options.js";
import { stateOf } from "./thread.js";

/** How many milliseconds the end of a connection may take to become known. */
const LEAVING = 100;

/** A request for a run, and whose thread it found. */
interface Asked extends Pick<ServedOptions, "client" | "changes"> {
  readonly input: GraphRunInput;
  readonly config: object | undefined;
  readonly request: Request;
  readonly asker: Asker | undefined;
  readonly owner: Owner;
  readonly isMissing: boolean;
}

/** Begins runs, joins them, and continues those of an instance that is gone. */
export class AgUiRuns {
  readonly #graph: RunnableGraph;
  readonly #options: ServeAgUiOptions;
  readonly #store: RunStore;
  readonly #owners: Owners;
  readonly #leases: Leases;
  readonly #underWay: UnderWay;
  /** The requests to begin a run, by thread. */
  readonly #turns = new Turns();

  constructor(graph: RunnableGraph, options: ServeAgUiOptions, store: RunStore, owners: Owners) {
    this.#graph = graph;
    this.#options = options;
    this.#store = store;
    this.#owners = owners;
    this.#leases = new Leases(store, SERVER, (claimed) => this.#continue(claimed));
    this.#underWay = new UnderWay(graph);
  }

  /** Watches for runs of instances that are gone. */
  watch(): void {
    this.#leases.watch();
  }

  /**
   * Starts a run, or joins the one that the request repeats.
   *
   * @throws {@link Refusal} For what the thread does not allow.
   */
  async start(given: GraphRunInput, request: Request, asker: Asker | undefined): Promise<Response> {
    for (const id of [given.threadId, given.runId]) checkId(id);
    const said = foldingClient(given);
    // A client may say so before it knows that this server does not fold.
    const { input, client, changes } = folds(this.#graph, this.#options)
      ? said
      : { ...said, client: undefined, changes: undefined };
    const { threadId, runId } = input;
    // First: a run that begins after this look may be another user's.
    const known = await this.known(threadId, runId);
    const { owner, isMissing } = await this.#owners.look(asker, threadId);
    if (known && isJoined(input, known)) return this.joined(known, request);
    const config = await ownConfig(this.#options.config, input, request);
    const asked = { input, client, changes, config, request, asker, owner, isMissing };
    // Without a checkpointer there is no thread that two runs could share.
    if (!this.#graph.checkpointer && !this.#options.resumable) return this.#begin(asked);
    return this.#turns.take(threadId, async () => {
      // The thread may have had other runs since.
      const since = await this.#joinable(input, asker);
      if (since) return this.joined(since, request);
      await this.#checkAnswers(input);
      try {
        return await this.#begin(asked);
      } catch (error) {
        // Another instance may have begun it first.
        const begun = error instanceof Refusal && error.status === 409 && (await this.#joinable(input, asker));
        if (begun) return this.joined(begun, request);
        throw error;
      }
    });
  }

  async #begin(asked: Asked): Promise<Response> {
    const { input, client, changes, config, request, asker, owner, isMissing } = asked;
    const { threadId, runId } = input;
    const isAlone = Boolean(this.#graph.checkpointer);
    const { interrupts, subagents, resumable } = this.#options;
    const claim = () => {
      // Such runs share no thread and are joined by nobody: two may have one id.
      const id = isAlone || resumable ? runId : newId();
      const run = new WorkedRun(this.#store, { threadId, id }, owner);
      if (isAlone) this.#underWay.add(run);
      return run;
    };
    const run = isAlone ? await this.whenFree(threadId, claim) : claim();
    // A caller who leaves before there is a response stops the run, too.
    const stop = () => run.stop.abort();
    if (!resumable) request.signal.addEventListener("abort", stop);
    if (!resumable && request.signal.aborted) stop();
    let state: GraphState | undefined;
    try {
      // First: followers would join a run that begins, and not find it once it is refused.
      if (client) state = await this.#stateAt(run, client, config);
      const about = { ...sentWith(input), carriedOn: await this.#carriedOn(asked) };
      const begin = (owner: Owner) => run.begin({ server: SERVER, about, isAlone, owner });
      // Last: a refused request makes no thread.
      await (isMissing ? this.#owners.make(asker, threadId, begin) : begin(owner));
    } catch (error) {
      run.drop();
      throw isStoreError(error, "BUSY") ? new Refusal(409, (error as Error).message) : error;
    }
    this.#leases.hold(run);
    // Another instance may have run the thread since.
    if (client && this.#store.ttl !== undefined) state = await this.#stateAt(run, client, config);
    const starters = new Map<number, string | undefined>();
    const response = streamed(run, 0, this.#options, { starters, left: resumable ? undefined : stop });
    const served = {
      config: config as ServedOptions["config"],
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

  /** The thread's run of an id, if clients may join runs. */
  async known(threadId: string, id: string): Promise<KnownRun | undefined> {
    return this.#options.resumable ? (await this.#own({ threadId, id }))[0] : undefined;
  }

  /** The thread's run that is under way, unless it is another protocol's. */
  async active(threadId: string): Promise<KnownRun | undefined> {
    return (await this.#own({ threadId })).filter(({ hasEnded }) => !hasEnded).at(-1);
  }

  /**
   * Streams a run, after `Last-Event-ID` or from its start.
   *
   * @throws {@link Refusal} 404 for a run that the store has forgotten since.
   */
  joined(run: RunKey, { headers }: Request): Response {
    const seen = headers.get("last-event-id") ?? "";
    const follow = (after: number, signal: AbortSignal) => this.#store.follow(run, after, signal);
    try {
      return streamed({ follow }, /^\d+$/.test(seen) ? Number(seen) : 0, this.#options);
    } catch (error) {
      throw isStoreError(error, "LOST") ? new Refusal(404, (error as Error).message) : error;
    }
  }

  /**
   * Claims the thread once no run of it is under way. One that was stopped is over soon; any other is somebody else's.
   * Nothing waits between the look and the claim: of several requests, one gets the thread.
   */
  async whenFree<Claim>(threadId: string, claim: () => Claim): Promise<Claim> {
    for (;;) {
      const stored = (await this.#store.runs({ threadId })).filter(({ hasEnded }) => !hasEnded);
      // Last, without an await after it: another request may have waited, too, and have begun its run first.
      const here = this.#underWay.of(threadId);
      const elsewhere = stored.filter(({ id }) => !here.some((run) => run.id === id));
      if (here.length === 0 && elsewhere.length === 0) return claim();
      const left = new AbortController();
      const others = elsewhere.map((run) => ended(this.#store, run, left.signal));
      const over = Promise.all([...here.map((run) => run.over), ...others]);
      // A run of another instance may end in an error that nobody waits for any more.
      over.catch(() => {});
      // The client may have left a run just now, by another connection than this one.
      const isOver = !this.#options.resumable && (await sooner(over, LEAVING)) !== undefined;
      const areStopped =
        here.every(({ stop, hasEnded }) => hasEnded || stop.signal.aborted) &&
        elsewhere.every((run) => run.isStopped || isSwitch(run));
      if (!isOver && !areStopped) {
        left.abort();
        throw new Refusal(409, `The thread ${threadId} has a run that goes on.`);
      }
      await over;
    }
  }

  /** The runs of this protocol, the latest first. */
  async #own(filter: RunFilter): Promise<KnownRun[]> {
    return (await this.#store.runs(filter)).filter(({ server }) => server === SERVER) as KnownRun[];
  }

  /** Returns the run that a request joins, as it has begun since, here or on another instance. Another user's is refused. */
  async #joinable(input: GraphRunInput, asker: Asker | undefined): Promise<KnownRun | undefined> {
    const known = await this.known(input.threadId, input.runId);
    if (!known) return undefined;
    await this.#owners.look(asker, input.threadId);
    return isJoined(input, known) ? known : undefined;
  }

  async #checkAnswers(input: GraphRunInput): Promise<void> {
    const answers = answersOfInput(input);
    if (!answers) return;
    const { threadId } = input;
    const earlier = (await this.#own({ threadId })).flatMap(({ about }) => recordedAnswers(about));
    await checkUnchanged(answers, earlier, () => stateOf(this.#graph, threadId));
  }

  /**
   * Reads the thread of a client that names its checkpoint. Refuses a run if the thread has replaced messages of that
   * checkpoint, or has another one and the client left those messages out.
   */
  async #stateAt(run: WorkedRun, { at, leavesOut, since = at }: FoldingClient, config: object | undefined) {
    if (since === undefined && !leavesOut) return undefined;
    try {
      const known = await threadState(this.#graph, runConfig(config, run.threadId));
      if (since !== undefined && checkpointOf(known) === since) return known;
      // All its messages would join both branches.
      if (await isReplaced(this.#graph, run.threadId, since))
        throw new Refusal(409, `The thread ${run.threadId} shows another branch: load it.`);
      if (!leavesOut) return known;
      throw new Refusal(412, `The thread ${run.threadId} is at another checkpoint: send all its messages.`);
    } catch (error) {
      if (run.lease) {
        await run.end({});
        await this.#store.remove(run.lease);
      }
      throw error;
    }
  }

  /** Returns all that another instance needs to continue the run, if leases run out and JSON takes it. */
  async #carriedOn({ input, client, changes, config: given, request }: Asked): Promise<CarriedOn | undefined> {
    if (this.#store.ttl === undefined || !this.#options.resumable) return undefined;
    const config = typeof this.#options.config === "function" ? given : undefined;
    if (config !== undefined && !isPlainJson(config)) return undefined;
    const known = await threadState(this.#graph, runConfig(given, input.threadId));
    const answers = answersOfInput(input) && (await savedAnswers(this.#graph, input.threadId));
    return { input, client, changes, config, from: checkpointOf(known), answers, url: request.url };
  }

  /** Continues a run whose instance is gone, from the thread's last checkpoint. */
  #continue(claimed: ClaimedRun): WorkedRun {
    const { carriedOn } = claimed.run.about as About;
    const { threadId, id: runId } = claimed;
    const run = new WorkedRun(this.#store, claimed, claimed.run.owner);
    run.continue(claimed);
    this.#leases.hold(run);
    if (this.#graph.checkpointer) this.#underWay.add(run);
    const input = carriedOn?.input ?? { threadId, runId, messages: [] };
    const request = new Request(carriedOn?.url ?? "http://localhost/", { method: "POST" });
    const sent = new SentEvents();
    const told = continuedEvents(this.#graph, this.#options, run, carriedOn, sent);
    void this.#work(run, input, request, new Map(), told, sent);
    return run;
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
}
