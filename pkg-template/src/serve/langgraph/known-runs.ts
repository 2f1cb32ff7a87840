// The calls of clients about a run that is there: to look at it, wait for it, join, steer, stop and remove it.
import type { Dict } from "../../shared/dict.js";
import { eventStream } from "../http.js";
import { aborted, leaving } from "../leaving.js";
import { Refusal } from "../refusal.js";
import { steered } from "../run-stores/steered.js";
import { rangeOf } from "../threads/list-query.js";
import { isResumable, resultOf, Run, toldRun, type KnownRun } from "./run.js";
import type { Runs } from "./runs.js";
import { selected } from "./selected.js";
import type { ServeLangGraphOptions } from "./serve-options.js";
import { closing, locationOf, partsOf, type Streaming } from "./streamed-run.js";
import type { ThreadStates } from "./thread-states.js";
import type { ThreadEvents } from "./v2/thread-events.js";

export class KnownRuns {
  readonly #runs: Runs;
  readonly #states: ThreadStates;
  readonly #events: ThreadEvents;
  readonly #options: ServeLangGraphOptions;

  constructor(runs: Runs, states: ThreadStates, events: ThreadEvents, options: ServeLangGraphOptions) {
    this.#runs = runs;
    this.#states = states;
    this.#events = events;
    this.#options = options;
  }

  /** @throws {@link Refusal} 404 for an unknown run. */
  async get(threadId: string, id: string): Promise<KnownRun> {
    const run = await this.#runs.get(threadId, id);
    if (!run) throw new Refusal(404, `There is no run ${id} of the thread ${threadId}.`);
    return run;
  }

  async list(threadId: string, query: URLSearchParams, select: unknown): Promise<object[]> {
    await this.#states.checkKnown(threadId);
    const [from, to] = rangeOf(Object.fromEntries(query));
    const status = query.get("status");
    const runs = (await this.#runs.of(threadId)).filter(({ facts }) => status === null || facts.status === status);
    return runs.slice(from, to).map((run) => selected(toldRun(run), select));
  }

  /** Resolves with the response of `wait` and `join` once the run is over. */
  async result(run: KnownRun): Promise<string> {
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
    this.#events.forget(run.threadId, run.id);
    return {};
  }

  /** Streams a run to its starter from its start, to others after `Last-Event-ID`. */
  stream(run: KnownRun, request: Request, { modes, starters, left, closed }: Streaming): Response {
    if (run.facts.answers)
      throw new Refusal(
        422,
        `Protocol v2 started the run ${run.id}: read it at /threads/${run.threadId}/stream/events.`,
      );
    const seen = starters ? null : request.headers.get("last-event-id");
    const after = seen === null || !/^\d+$/.test(seen) ? 0 : Number(seen) + 1;
    const { signal, leave } = leaving(request);
    const hasIds = isResumable(run.facts);
    const coming = run instanceof Run ? run.follow(after, signal) : this.#runs.store.follow(run, after, signal);
    const parts = partsOf(coming, hasIds, modes, starters);
    void aborted(signal).then(() => {
      left?.();
      closed?.();
    });
    return eventStream(closing(parts, closed), this.#options, locationOf(run), leave);
  }
}
