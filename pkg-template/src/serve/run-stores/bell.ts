/** Wakes the one who waits for it. If nobody waits, the next one who does is woken at once. */
export class Bell {
  #hasRung = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  /** Resolves when it rings, or the signal aborts. */
  async next(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#hasRung && !signal?.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          signal?.removeEventListener("abort", this.#wake);
          resolve();
        };
        signal?.addEventListener("abort", this.#wake);
      });
    this.#hasRung = false;
  }
}
