// Runs in this program's memory: the default store of both servers.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkNumbers, checkOptions } from "../../shared/options.js";
import { inTask } from "../../thread/schedule.js";
import { latestFirst } from "../latest-first.js";
import {
  type BegunRun,
  type NewRun,
  type NumberedPart,
  type Part,
  type RunFilter,
  type RunKey,
  type RunLease,
  type RunStore,
  type StoredRun,
  type TakeText,
} from "./run-store.js";
import { busy } from "./shared-runs.js";

/** The parts of a run, sent to all who follow it, from wherever they left. */
class MemoryRun implements StoredRun {
  readonly threadId: string;
  readonly id: string;
  readonly server: string;
  readonly owner: string | undefined;
  /** Its number in the store. */
  readonly at: number;
  about: object;
  isStopped = false;
  #hasEnded = false;
  readonly #parts: Part[] = [];
  readonly #stop: () => void;
  readonly #take: TakeText | undefined;
  readonly #waiting = new Set<() => void>();

  constructor({ threadId, id, server, owner, about }: NewRun, at: number, stop: () => void, take?: TakeText) {
    this.at = at;
    this.threadId = threadId;
    this.id = id;
    this.server = server;
    this.owner = owner;
    this.about = about;
    this.#stop = stop;
    this.#take = take;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  add(parts: readonly Part[]): void {
    for (const part of parts) this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  cancel(): void {
    if (this.#hasEnded || this.isStopped) return;
    this.isStopped = true;
    this.#stop();
  }

  send(text: string): void {
    if (!this.#hasEnded) this.#take?.(text);
  }

  /** Not an async generator: thousands of followers would each wait for several promises a part. */
  read(after: number, signal: AbortSignal | undefined): AsyncIterableIterator<NumberedPart> {
    let at = Math.max(0, after);
    let isOver = false;
    let wake = () => {};
    const left = () => wake();
    signal?.addEventListener("abort", left);
    const end = () => {
      isOver = true;
      signal?.removeEventListener("abort", left);
      wake();
      return DONE;
    };
    /** The next part or the end; undefined while neither is there. */
    const next = (): IteratorResult<NumberedPart> | undefined => {
      if (isOver || signal?.aborted) return end();
      if (at < this.#parts.length) return { done: false, value: [++at, this.#parts[at - 1] ?? ""] };
      return this.#hasEnded ? end() : undefined;
    };
    return {
      next: () =>
        new Promise((resolve) => {
          const look = () => {
            wake = () => {};
            this.#waiting.delete(look);
            const here = next();
            if (here) return resolve(here);
            wake = look;
            this.#waiting.add(look);
          };
          look();
        }),
      return: () => Promise.resolve(end()),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Some at a time: each batch writes what it was woken for before the next one makes more garbage. */
  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const wakeFrom = (first: number) => {
      for (const wake of waiting.slice(first, first + BATCH)) wake();
      if (first + BATCH < waiting.length) inTask(() => wakeFrom(first + BATCH));
    };
    wakeFrom(0);
  }
}

const DONE = { done: true, value: undefined } as const;

/** How many followers of a run are woken in one task. */
const BATCH = 100;

/**
 * Keeps runs in this program's memory: the default of `serveAgUi` and `serveLangGraph`. Give one to several servers of a
 * program, and each joins, lists and stops the runs of the others. It keeps the latest of those that are over.
 */
export class MemoryRuns implements RunStore {
  /** By thread, and by id. */
  readonly #runs = new Map<string, Map<string, MemoryRun>>();
  /** The run of each lease, also if it was dropped or replaced. */
  readonly #leased = new WeakMap<RunKey, MemoryRun>();
  /** Those that are over, the first to end first. */
  readonly #over = new Set<MemoryRun>();
  readonly #kept: number;
  /** Those who wait for the next run of a thread. */
  readonly #watching = new Map<string, Set<() => void>>();
  /** From the time on: a program that starts again gives no number twice. */
  #fence = Date.now();

  /** @param options - `keep`: how many runs that are over can still be joined. Default 100. */
  constructor(options: { readonly keep?: number | undefined } = {}) {
    checkOptions("new MemoryRuns", options, ["keep"]);
    const { keep = 100 } = options;
    checkNumbers("new MemoryRuns", { keep });
    this.#kept = keep;
  }

  async begin(given: NewRun, stop: () => void, take?: TakeText): Promise<RunLease> {
    const { threadId, id, isAlone } = given;
    const runs = this.#runs.get(threadId) ?? new Map<string, MemoryRun>();
    const before = [...runs.values()].filter(({ hasEnded }) => !hasEnded);
    if (before.some((other) => isAlone || other.id === id)) throw busy(threadId);
    const replaced = runs.get(id);
    if (replaced) this.#over.delete(replaced);
    const run = new MemoryRun(given, ++this.#fence, stop, take);
    runs.delete(id);
    this.#runs.set(threadId, runs.set(id, run));
    const lease = { threadId, id, fence: run.at, last: 0, before };
    this.#leased.set(lease, run);
    for (const wake of this.#watching.get(threadId) ?? []) wake();
    return lease;
  }

  /** A lease lasts as long as the program: no run is orphaned. */
  async claim(): Promise<undefined> {
    return undefined;
  }

  async renew(): Promise<void> {}

  async append(lease: RunLease, parts: readonly Part[]): Promise<void> {
    this.#leasedTo(lease).add(parts);
  }

  async update(lease: RunLease, about: object): Promise<void> {
    this.#leasedTo(lease).about = about;
  }

  async end(lease: RunLease, about: object): Promise<void> {
    const run = this.#leasedTo(lease);
    run.about = about;
    run.end();
    // Not one that was removed while it ended.
    if (this.#runs.get(run.threadId)?.get(run.id) === run) this.#over.add(run);
    for (const oldest of this.#over) {
      if (this.#over.size <= this.#kept) return;
      this.#drop(oldest);
    }
  }

  async cancel(key: RunKey): Promise<void> {
    this.#find(key)?.cancel();
  }

  async send(key: RunKey, text: string): Promise<void> {
    this.#find(key)?.send(text);
  }

  follow(key: RunKey, after: number, signal?: AbortSignal): AsyncIterable<NumberedPart> {
    const run = this.#find(key);
    if (!run) throw new ThreadfoldError("LOST", `There is no run ${key.id} of the thread ${key.threadId}.`);
    return run.read(after, signal);
  }

  async *watch(threadId: string, after: number | undefined, signal: AbortSignal): AsyncGenerator<BegunRun> {
    const of = () => [...(this.#runs.get(threadId)?.values() ?? [])];
    const first = of().find(({ hasEnded }) => !hasEnded)?.at ?? this.#fence + 1;
    for (let last = after !== undefined && after <= this.#fence ? after : first - 1; !signal.aborted;) {
      const next = of().find(({ at }) => at > last);
      if (next) {
        last = next.at;
        yield [next.at, next];
      } else await this.#next(threadId, signal);
    }
  }

  /** Resolves when a run of the thread begins, or the signal aborts. */
  async #next(threadId: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#watching.get(threadId) ?? new Set();
    this.#watching.set(threadId, waiting);
    let wake = () => {};
    await new Promise<void>((resolve) => {
      wake = resolve;
      waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
    signal.removeEventListener("abort", wake);
    waiting.delete(wake);
    if (waiting.size === 0) this.#watching.delete(threadId);
  }

  async runs({ threadId, id }: RunFilter): Promise<StoredRun[]> {
    const runs = this.#runs.get(threadId);
    return id === undefined ? latestFirst(runs?.values() ?? []) : [runs?.get(id) ?? []].flat();
  }

  async remove(key: RunKey): Promise<void> {
    const run = this.#find(key);
    if (run) this.#drop(run);
  }

  async close(): Promise<void> {}

  #find(key: RunKey): MemoryRun | undefined {
    return this.#leased.get(key) ?? this.#runs.get(key.threadId)?.get(key.id);
  }

  #leasedTo(lease: RunLease): MemoryRun {
    const run = this.#leased.get(lease);
    if (!run || run.hasEnded) throw new ThreadfoldError("FENCED", `The run ${lease.id} has ended.`);
    return run;
  }

  #drop(run: MemoryRun): void {
    const { threadId, id } = run;
    this.#over.delete(run);
    const runs = this.#runs.get(threadId);
    if (runs?.get(id) === run) runs.delete(id);
    if (runs?.size === 0) this.#runs.delete(threadId);
  }
}
