/** What a run has said: made once, and told to whoever listens, from wherever they left. */
export class RunLog {
  readonly id: string;
  readonly threadId: string;
  /** Stops the run. */
  readonly stop = new AbortController();
  /** Resolves when the run is over. */
  readonly over: Promise<void>;
  #settle: () => void = () => {};
  readonly #parts: string[] = [];
  #hasEnded = false;
  #waiting: (() => void)[] = [];

  constructor(id: string, threadId: string) {
    this.id = id;
    this.threadId = threadId;
    this.over = new Promise((resolve) => (this.#settle = resolve));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** How many parts there are. */
  get length(): number {
    return this.#parts.length;
  }

  add(part: string): void {
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#settle();
    this.#wake();
  }

  /** The parts from the given one on, as they come, each with its place. */
  async *from(place: number): AsyncGenerator<readonly [place: number, part: string]> {
    for (let at = Math.max(0, place); ; at++) {
      while (at >= this.#parts.length) {
        if (this.#hasEnded) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      yield [at, this.#parts[at] ?? ""];
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Runs by their ids; of those that are over, the latest are kept. */
export class RunLogs<Log extends RunLog = RunLog> {
  readonly #runs = new Map<string, Log>();
  /** The last run of each thread. */
  readonly #last = new Map<string, Log>();
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  get(id: string): Log | undefined {
    return this.#runs.get(id);
  }

  lastOf(threadId: string): Log | undefined {
    return this.#last.get(threadId);
  }

  /** Runs of a thread, the latest first. */
  of(threadId: string): Log[] {
    return latestFirst(this.#runs.values()).filter((run) => run.threadId === threadId);
  }

  add(run: Log): void {
    this.#runs.set(run.id, run);
    this.#last.set(run.threadId, run);
    void run.over.then(() => this.#forget());
  }

  remove(run: Log): void {
    this.#runs.delete(run.id);
    if (this.#last.get(run.threadId) === run) this.#last.delete(run.threadId);
  }

  #forget(): void {
    let over = 0;
    for (const run of this.#runs.values()) if (run.hasEnded) over++;
    for (const run of this.#runs.values()) {
      if (over <= this.#kept) return;
      if (!run.hasEnded) continue;
      this.remove(run);
      over--;
    }
  }
}

/** What was put into a map, the other way round. */
export function latestFirst<T>(values: Iterable<T>): T[] {
  const list = [...values];
  return list.map((_, at) => list[list.length - 1 - at] as T);
}
