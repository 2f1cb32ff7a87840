/** A part that is another one for who joins the run; `own` is undefined if its starter needs none. */
interface TwoParts {
  readonly own: string | undefined;
  readonly joined: () => string;
}

/** The parts of a run: made once, and sent to all who follow it, from wherever they left. */
export class RunLog {
  readonly id: string;
  readonly threadId: string;
  /** The identity that its thread belongs to, if that is known. */
  readonly owner: string | undefined;
  /** The answers that it was started with, as JSON. */
  readonly resume: string | undefined;
  /** Stops the run. */
  readonly stop = new AbortController();
  /** Resolves when the run is over. */
  readonly over: Promise<void>;
  #settle: () => void = () => {};
  readonly #parts: (string | TwoParts)[] = [];
  #hasEnded = false;
  #waiting: (() => void)[] = [];

  constructor(id: string, threadId: string, owner?: string, resume?: string) {
    this.resume = resume;
    this.id = id;
    this.threadId = threadId;
    this.owner = owner;
    this.over = new Promise((resolve) => (this.#settle = resolve));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** How many parts there are. */
  get length(): number {
    return this.#parts.length;
  }

  add(part: string | TwoParts): void {
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#settle();
    this.#wake();
  }

  /** The parts from the given one on, as they come, each with its place; as its starter gets them, or who joins it. */
  async *from(place: number, isStarter = false): AsyncGenerator<readonly [place: number, part: string]> {
    for (let at = Math.max(0, place); ; at++) {
      while (at >= this.#parts.length) {
        if (this.#hasEnded) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      const part = this.#parts[at] ?? "";
      const told = typeof part === "string" ? part : isStarter ? part.own : part.joined();
      if (told !== undefined) yield [at, told];
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Runs by their threads and their ids: two threads may have runs of one id. The latest finished runs are kept. */
export class RunLogs<Log extends RunLog = RunLog> {
  /** By thread, and by id. */
  readonly #runs = new Map<string, Map<string, Log>>();
  /** Those that are over, the first to end first. */
  readonly #over = new Set<Log>();
  readonly #kept: number;
  readonly #forgotten: (run: Log) => void;

  /** @param forgotten - Called when a run is dropped. */
  constructor(kept: number, forgotten: (run: Log) => void = () => {}) {
    this.#kept = kept;
    this.#forgotten = forgotten;
  }

  get(threadId: string, id: string): Log | undefined {
    return this.#runs.get(threadId)?.get(id);
  }

  /** Runs of a thread, the latest first. */
  of(threadId: string): Log[] {
    return latestFirst(this.#runs.get(threadId)?.values() ?? []);
  }

  add(run: Log): void {
    const runs = this.#runs.get(run.threadId) ?? new Map<string, Log>();
    this.#runs.set(run.threadId, runs.set(run.id, run));
    void run.over.then(() => this.#forget(run));
  }

  remove(run: Log): void {
    const { threadId, id } = run;
    this.#over.delete(run);
    const runs = this.#runs.get(threadId);
    if (runs?.get(id) === run) runs.delete(id);
    if (runs?.size === 0) this.#runs.delete(threadId);
    this.#forgotten(run);
  }

  #forget(run: Log): void {
    // Not one that was removed, or had its place taken, while it ended.
    if (this.get(run.threadId, run.id) === run) this.#over.add(run);
    for (const oldest of this.#over) {
      if (this.#over.size <= this.#kept) return;
      this.remove(oldest);
    }
  }
}

/** A map's values, latest first. */
export function latestFirst<T>(values: Iterable<T>): T[] {
  const list = [...values];
  return list.map((_, at) => list[list.length - 1 - at] as T);
}
