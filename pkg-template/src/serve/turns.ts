/** Runs what is asked of one thread in turn, in the order in which it was asked. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(threadId: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(threadId) ?? Promise.resolve();
    const mine = before.then(run, run);
    this.#last.set(threadId, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(threadId) === mine) this.#last.delete(threadId);
    }
  }
}
