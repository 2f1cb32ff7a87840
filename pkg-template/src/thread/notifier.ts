// Decides when a thread's listeners are called, and with which changes.

/** The values that listeners observe: each is the same object while it is equal. */
export interface Seen<S> {
  readonly state: S;
  readonly pending: object;
  readonly run: object;
  readonly context: object | undefined;
  readonly subagents: object;
}

/** How many rounds of listeners that change the thread run in a row before the page gets its turn. */
const ROUNDS = 100;

/**
 * Calls listeners: at once, or later for many changes together. Compares the current state with the last one passed to
 * them, so no change is reported twice.
 */
export class Notifier<S> {
  readonly #listeners = new Set<(state: S, previous: S) => void>();
  readonly #look: () => Seen<S>;
  readonly #schedule: (call: () => void) => void;
  #told: Seen<S> | undefined;
  #isTelling = false;
  #isScheduled = false;
  /** The thread changed while listeners were being called. */
  #more = false;

  constructor(look: () => Seen<S>, schedule: (call: () => void) => void) {
    this.#look = look;
    this.#schedule = schedule;
  }

  add(listener: (state: S, previous: S) => void): () => void {
    const own = (state: S, previous: S) => listener(state, previous);
    // Changes made while nobody listened are not reported to a new listener.
    if (this.#listeners.size === 0) this.#told = this.#look();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  clear(): void {
    this.#listeners.clear();
  }

  later(): void {
    if (this.#isScheduled || this.#listeners.size === 0) return;
    this.#isScheduled = true;
    try {
      this.#schedule(() => {
        this.#isScheduled = false;
        this.now();
      });
    } catch (error) {
      // Where the host allows no tasks here, the next change tries again.
      this.#isScheduled = false;
      throw error;
    }
  }

  /**
   * Reports a listener's own changes once all listeners have seen the change before.
   *
   * @param change - Changes that listeners see together.
   */
  now(change?: () => void): void {
    this.#more = true;
    if (this.#isTelling) return change?.();
    this.#isTelling = true;
    try {
      change?.();
      for (let round = 0; this.#more && round < ROUNDS; round++) {
        this.#more = false;
        this.#round();
      }
      if (this.#more) this.later();
    } finally {
      this.#isTelling = false;
    }
  }

  #round(): void {
    if (this.#listeners.size === 0) return;
    const before = this.#told as Seen<S>;
    const now = this.#look();
    if ((Object.keys(now) as (keyof Seen<S>)[]).every((key) => now[key] === before[key])) return;
    this.#told = now;
    tellAll(this.#listeners, now.state, before.state);
  }
}

/** A listener may unsubscribe itself and others. Its error must not stop the others, nor the stream. */
export function tellAll<A extends unknown[]>(listeners: Set<(...args: A) => void>, ...args: A): void {
  for (const listener of [...listeners]) {
    if (!listeners.has(listener)) continue;
    try {
      listener(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
