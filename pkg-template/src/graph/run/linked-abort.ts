/**
 * A signal that aborts with the outer one. `AbortSignal.any()` would do, but Node 20 keeps its result for good once
 * anybody listens to it. Node also warns of more than ten listeners on one signal.
 */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #around: LinkedAbort | undefined;
  readonly #inside = new Set<LinkedAbort>();

  constructor(around?: LinkedAbort) {
    this.#around = around;
    if (!around) return;
    if (around.signal.aborted) this.abort(around.signal.reason);
    else around.#inside.add(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts it, and all inside. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    for (const one of this.#inside) one.abort(this.signal.reason);
    this.#inside.clear();
  }

  /** From now on it is not aborted with the one around it, which no longer holds it. */
  leave(): void {
    if (this.#around) this.#around.#inside.delete(this);
  }
}
