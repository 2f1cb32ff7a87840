import type { Thread } from "../thread/thread.js";
import type { RunResult } from "./runner-types.js";
import { carried, isPending } from "./waiting.js";

/** A caller waiting for the end of the run that carries its message. */
export interface Waiter {
  /** The update with the message; undefined for a run without one. */
  readonly update: string | undefined;
  resolve(result: RunResult): void;
  reject(error: unknown): void;
}

/** What goes out as soon as no run is in the way, and the callers waiting for the end of the run that carries it. */
export class Outbox<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  /** Ids of pending updates. */
  readonly #unsent: Set<string>;
  #waiting: Waiter[] = [];
  #preparing = 0;

  constructor(thread: Thread<S, U>) {
    this.#thread = thread;
    // Messages queued when the page was left are still queued.
    this.#unsent = new Set(
      carried(thread)
        .filter(isPending)
        .map(({ id }) => id),
    );
  }

  /** Whether one of the user's messages is being written down. */
  get isPreparing(): boolean {
    return this.#preparing > 0;
  }

  /** Whether nobody waits, and no queued message is left that no run has sent. */
  get isEmpty(): boolean {
    return (
      this.#waiting.length === 0 &&
      !this.#thread.pending.some((update) => isPending(update) && this.#unsent.has(update.id))
    );
  }

  /** Writes what is to be sent. A listener that sends something, too, must not send this before somebody waits for it. */
  prepare<T>(write: () => T): T {
    this.#preparing++;
    try {
      return write();
    } finally {
      this.#preparing--;
    }
  }

  /** Queues an update. */
  add(update: string): void {
    this.#unsent.add(update);
  }

  /** Returns how the run ends that carries this update, or a run without one. */
  end(update: string | undefined): Promise<RunResult> {
    if (update !== undefined) this.add(update);
    return new Promise((resolve, reject) => this.#waiting.push({ update, resolve, reject }));
  }

  /** Takes note that a run has taken along all that was queued. */
  sent(): void {
    this.#unsent.clear();
  }

  /** Resolves the promises of messages that were taken back. */
  dropTakenBack(): void {
    const pending = new Set(this.#thread.pending.map(({ id }) => id));
    const isGone = ({ update }: Waiter) => update !== undefined && !pending.has(update);
    settle(this.#waiting.filter(isGone), { status: "stopped" });
    this.#waiting = this.#waiting.filter((waiter) => !isGone(waiter));
  }

  /** Returns the callers that wait, and forgets them. */
  takeWaiters(): Waiter[] {
    return this.#waiting.splice(0);
  }
}

export function settle(waiters: readonly Waiter[], result: RunResult): void {
  for (const { resolve } of waiters) resolve(result);
}
