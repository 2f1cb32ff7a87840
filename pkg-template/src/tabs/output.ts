type Next = IteratorResult<object | string, undefined>;

/** Values that are pushed, for one reader, until the end or an error. */
export class Output implements AsyncIterableIterator<object | string, undefined> {
  readonly #values: (object | string)[] = [];
  readonly #closed: () => void;
  #end: { readonly error?: unknown } | undefined;
  #waiting: { resolve(next: Next): void; reject(error: unknown): void } | undefined;

  /** @param closed - Called when the reader closes it. */
  constructor(closed: () => void) {
    this.#closed = closed;
  }

  push(value: object | string): void {
    if (this.#end) return;
    if (this.#waiting) this.#take()?.resolve({ done: false, value });
    else this.#values.push(value);
  }

  /** @param error - The reader gets it after the values that are left. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = error === undefined ? {} : { error };
    const waiting = this.#take();
    if (error === undefined) waiting?.resolve(DONE);
    else waiting?.reject(error);
  }

  #take() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  next(): Promise<Next> {
    const value = this.#values.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return new Promise((resolve, reject) => {
      if (!this.#end) this.#waiting = { resolve, reject };
      else if (this.#end.error === undefined) resolve(DONE);
      else reject(this.#end.error as Error);
    });
  }

  return(): Promise<Next> {
    this.end();
    this.#closed();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const DONE = { done: true, value: undefined } as const;
