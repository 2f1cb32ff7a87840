/** Does many calls as one: those that come while one is under way wait for the next. */
export class Batches<V, R> {
  readonly #run: (waiting: ReadonlyMap<string, readonly V[]>) => Promise<ReadonlyMap<string, R>>;
  readonly #pause: number;
  #waiting = new Map<string, V[]>();
  #next: Promise<ReadonlyMap<string, R>> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param run - Does what waits, by its keys, and returns what it gives for each.
   * @param pause - How many milliseconds pass at least from the beginning of one to the next.
   */
  constructor(run: (waiting: ReadonlyMap<string, readonly V[]>) => Promise<ReadonlyMap<string, R>>, pause: number) {
    this.#run = run;
    this.#pause = pause;
  }

  /** Returns what the next call gives for the key. It has all values of the key. */
  async add(key: string, value: V): Promise<R | undefined> {
    const values = this.#waiting.get(key);
    if (values) values.push(value);
    else this.#waiting.set(key, [value]);
    this.#next ??= this.#start();
    return (await this.#next).get(key);
  }

  async #start(): Promise<ReadonlyMap<string, R>> {
    await this.#last;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#next = undefined;
    const done = this.#run(waiting);
    const pause = this.#pause > 0 && new Promise((resolve) => setTimeout(resolve, this.#pause));
    this.#last = Promise.allSettled([done, pause]);
    return done;
  }
}
