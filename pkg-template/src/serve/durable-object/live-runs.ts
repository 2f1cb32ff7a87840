// The part of an object's runs that is in its memory: it is gone with the object's instance.
import type { ObjectContext } from "../../shared/object-storage.js";
import type { TakeText } from "../run-stores/run-store.js";

/** So many characters of a run's last parts are in memory, for those who follow it. */
const RECENT = 500_000;

/** A run that this instance works on. */
export class LiveRun {
  /** The number of its record. */
  readonly at: number;
  readonly stop: () => void;
  readonly take: TakeText | undefined;
  #last: number;
  #recent: string[] = [];
  #size = 0;

  constructor(at: number, last: number, stop: () => void, take: TakeText | undefined) {
    this.at = at;
    this.stop = stop;
    this.take = take;
    this.#last = last;
  }

  /** How many parts it has. */
  get last(): number {
    return this.#last;
  }

  add(texts: readonly string[]): void {
    for (const text of texts) {
      this.#last++;
      this.#recent.push(text);
      this.#size += text.length;
    }
    let gone = 0;
    while (this.#size > RECENT) this.#size -= this.#recent[gone++]?.length ?? 0;
    if (gone > 0) this.#recent = this.#recent.slice(gone);
  }

  /** The parts after a number; undefined if some of them are only in the storage. */
  after(number: number): [at: number, text: string][] | undefined {
    const first = this.#last - this.#recent.length;
    if (number < first) return undefined;
    return this.#recent.slice(number - first).map((text, at) => [number + at + 1, text]);
  }
}

/** Wakes those who wait for something to happen. */
class Signals {
  readonly #waiting = new Map<string, Set<() => void>>();

  wake(name: string): void {
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    for (const wake of waiting) wake();
  }

  /** Resolves at the next `wake` of the name, or when the signal aborts. */
  async next(name: string, signal: AbortSignal | undefined): Promise<void> {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    let wake = () => {};
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (signal?.aborted) return resolve();
      waiting.add(wake);
      signal?.addEventListener("abort", wake);
    });
    signal?.removeEventListener("abort", wake);
    waiting.delete(wake);
    if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
  }
}

/** The runs of one instance of an object. */
export class LiveRuns {
  /** By their fences. */
  readonly leased = new Map<number, LiveRun>();
  readonly signals = new Signals();
  /** Called when the alarm wakes the object: servers claim its runs. */
  readonly looks = new Set<() => Promise<void>>();

  of(at: number): LiveRun | undefined {
    return [...this.leased.values()].find((run) => run.at === at);
  }
}

const INSTANCES = new WeakMap<object, LiveRuns>();

/** Every store of an instance has the same ones. */
export function liveRunsOf({ storage }: ObjectContext): LiveRuns {
  const live = INSTANCES.get(storage) ?? new LiveRuns();
  INSTANCES.set(storage, live);
  return live;
}
