/**
 * How many parts of a run a thread remembers at least. A server resumes a longer run from where the connection broke
 * (`lastEventId`) or from its start, which is a save point: neither needs more.
 */
export const REMEMBERED = 10_000;

/** The keys of a run's latest parts: at least the last `REMEMBERED`, at most twice as many. */
export class RecentParts {
  #older = new Set<string>();
  #newer: Set<string>;
  #hasForgotten: boolean;

  constructor(keys: readonly string[] = []) {
    this.#newer = new Set(keys.slice(-REMEMBERED));
    this.#hasForgotten = keys.length >= REMEMBERED;
  }

  /** Whether the run may have had more parts than are remembered. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  has(key: string): boolean {
    return this.#newer.has(key) || this.#older.has(key);
  }

  add(key: string): void {
    if (this.#newer.size >= REMEMBERED) {
      this.#hasForgotten ||= this.#older.size > 0;
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    this.#newer.add(key);
  }

  clear(): void {
    this.#older = new Set();
    this.#newer = new Set();
    this.#hasForgotten = false;
  }

  /** Returns the last of them, oldest first. */
  keys(): string[] {
    return [...this.#older, ...this.#newer].slice(-REMEMBERED);
  }
}
