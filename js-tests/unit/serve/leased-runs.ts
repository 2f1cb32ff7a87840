// A store of runs in memory whose instances may die, as those of Redis do: another one takes their runs over.
import { MemoryRuns, type NewRun, type RunKey, type RunLease, type RunStore, type StoredRun } from "threadfold/serve";

/** The memory that all instances share. */
export class SharedRuns {
  readonly runs = new MemoryRuns();
  /** The leases of runs whose instance is dead. */
  readonly orphans: RunLease[] = [];
}

/** The store of one instance. Facts pass through JSON. */
export class LeasedRuns implements RunStore {
  readonly ttl = 60_000;
  readonly #shared: SharedRuns;
  readonly #held = new Set<RunLease>();
  #isDead = false;
  #isMute = false;
  #look: () => Promise<void> = async () => {};

  constructor(shared: SharedRuns) {
    this.#shared = shared;
  }

  /** Lets nothing of this instance reach the store any more. */
  die(): void {
    this.#isDead = true;
    this.#shared.orphans.push(...this.#held);
  }

  /** Lets no end of a run reach the store any more. */
  mute(): void {
    this.#isMute = true;
  }

  /** Takes over the runs of dead instances. The server must have been asked something before. */
  takeOver(): Promise<void> {
    return this.#look();
  }

  whenOrphaned(look: () => Promise<void>): void {
    this.#look = look;
  }

  async begin(run: NewRun, stop: () => void, take?: (text: string) => void): Promise<RunLease> {
    const lease = await this.#alive(() => this.#shared.runs.begin({ ...run, about: json(run.about) }, stop, take));
    this.#held.add(lease);
    return lease;
  }

  async claim(server: string, stop: () => void): Promise<(RunLease & { readonly run: StoredRun }) | undefined> {
    for (const lease of this.#shared.orphans) {
      const [run] = await this.#shared.runs.runs(lease);
      if (!run || run.hasEnded || run.server !== server) continue;
      this.#shared.orphans.splice(this.#shared.orphans.indexOf(lease), 1);
      this.#held.add(lease);
      if (run.isStopped) stop();
      // The same object: the memory knows a lease by it.
      return Object.assign(lease, { last: await this.#count(lease), run });
    }
    return undefined;
  }

  async #count(key: RunKey): Promise<number> {
    const left = new AbortController();
    let count = 0;
    setTimeout(() => left.abort());
    for await (const [at] of this.#shared.runs.follow(key, 0, left.signal)) count = at;
    return count;
  }

  renew = () => this.#alive(() => Promise.resolve());
  append = (...args: Parameters<RunStore["append"]>) => this.#alive(() => this.#shared.runs.append(...args));
  update = (lease: RunLease, about: object) => this.#alive(() => this.#shared.runs.update(lease, json(about)));
  end = (lease: RunLease, about: object) =>
    this.#isMute ? never() : this.#alive(async () => this.#shared.runs.end(lease, json(about)));
  cancel = (key: RunKey) => this.#alive(() => this.#shared.runs.cancel(key));
  remove = (key: RunKey) => this.#alive(() => this.#shared.runs.remove(key));
  runs = (...args: Parameters<RunStore["runs"]>) => this.#alive(() => this.#shared.runs.runs(...args));
  follow: RunStore["follow"] = (...args) => this.#shared.runs.follow(...args);
  watch: RunStore["watch"] = (...args) => this.#shared.runs.watch(...args);
  close = async () => {};

  #alive<T>(call: () => Promise<T>): Promise<T> {
    return this.#isDead ? never() : call();
  }
}

const never = () => new Promise<never>(() => {});

const json = (about: object) => JSON.parse(JSON.stringify(about)) as object;
