// Signals that abort with others, in place of `AbortSignal.any()`: Node 20 keeps a reference to each of its results for as
// long as the signal lives. Once anybody listens to a result, it keeps the result itself.

/** A signal that aborts with the outer one. Node warns of more than ten listeners on one signal: it has none. */
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

/** Does work that a controller can abort, as the caller's signal does. Leaves nothing with that signal. */
export async function abortedWith<T>(
  signal: AbortSignal | undefined,
  controller: AbortController,
  work: () => Promise<T>,
): Promise<T> {
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
