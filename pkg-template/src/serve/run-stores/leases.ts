import { ThreadfoldError } from "../../shared/errors.js";
import { LONGEST_TIMER } from "../../shared/timer.js";
import type { RunLease, RunStore, StoredRun } from "./run-store.js";
import { endSwitches } from "./switches.js";
import type { WorkedRun } from "./worked-run.js";

/** A run whose instance was silent for too long, leased to this program. */
export type ClaimedRun = RunLease & { readonly run: StoredRun };

/** Renews the leases of the runs that this program works on, and continues the runs of instances that are gone. */
export class Leases {
  readonly #store: RunStore;
  readonly #server: string;
  readonly #continue: (claimed: ClaimedRun) => WorkedRun;
  readonly #held = new Set<WorkedRun>();
  #isWatching = false;

  /** @param carryOn - Continues a run. */
  constructor(store: RunStore, server: string, carryOn: (claimed: ClaimedRun) => WorkedRun) {
    this.#store = store;
    this.#server = server;
    this.#continue = carryOn;
    store.whenOrphaned?.(() => this.#look());
  }

  /** Begins to look after runs, if leases of the store run out. Workers allow timers only within a request. */
  watch(): void {
    if (this.#isWatching || this.#store.ttl === undefined) return;
    this.#isWatching = true;
    void this.#watch();
  }

  /** Renews the run's lease until it is over. */
  hold(run: WorkedRun): void {
    this.#held.add(run);
    void run.over.then(() => this.#held.delete(run));
  }

  async #look(): Promise<void> {
    await Promise.all([...this.#held].map((run) => run.renew()));
    await endSwitches(this.#store);
    while (await this.#claim());
  }

  async #watch(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      // The store was closed. Any other error may pass: the next time tells.
      if (error instanceof ThreadfoldError && error.code === "DISPOSED") return;
    }
    if (this.#store.whenOrphaned) return;
    const timer: unknown = setTimeout(() => void this.#watch(), Math.min((this.#store.ttl ?? 0) / 3, LONGEST_TIMER));
    // In Node, a server that is closed does not keep its program.
    (timer as { unref?(): void }).unref?.();
  }

  async #claim(): Promise<boolean> {
    // It may be stopped, or get messages, while it is claimed.
    const early: ((run: WorkedRun) => void)[] = [];
    let run: WorkedRun | undefined;
    const told = (what: (run: WorkedRun) => void) => (run ? what(run) : void early.push(what));
    const claimed = await this.#store.claim(
      this.#server,
      () => told(({ stop }) => stop.abort()),
      (text) => told((one) => one.take(text)),
    );
    if (!claimed) return false;
    run = this.#continue(claimed);
    for (const what of early) what(run);
    return true;
  }
}
