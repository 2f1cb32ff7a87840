/** Whether a runner asks for the server's state of its thread, and who waits for that. */
export class Loading {
  #ended: Promise<void> | undefined;
  #end: () => void = () => {};

  get isUnderWay(): boolean {
    return this.#ended !== undefined;
  }

  begin(): void {
    this.end();
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The state is folded, or cannot be had. */
  end(): void {
    this.#ended = undefined;
    this.#end();
  }

  /** Resolves when nothing is asked for any more. */
  async over(): Promise<void> {
    while (this.#ended) await this.#ended;
  }
}
