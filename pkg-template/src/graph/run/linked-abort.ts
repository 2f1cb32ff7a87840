// Signals that abort with others, in place of `AbortSignal.any()`: Node 20 keeps a reference to each of its results for as
// long as the signal lives. Once anybody listens to a result, it keeps the result itself.

/** A signal that aborts with the outer one. */
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
  const leave = signal && onAbort(signal, () => controller.abort(signal.reason));
  try {
    return await work();
  } finally {
    leave?.();
  }
}

/** The functions to call when a signal aborts, and the listener that calls them. */
interface Calls {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const callsOf = new WeakMap<AbortSignal, Calls>();

/**
 * Calls a function when a caller's signal aborts, or at once if it has. Returns how to leave. All functions share one
 * listener: Node warns of more than ten on a signal.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call();
    return () => {};
  }
  const calls = callsOf.get(signal) ?? listening(signal);
  calls.all.add(call);
  return () => {
    if (!calls.all.delete(call) || calls.all.size > 0) return;
    signal.removeEventListener("abort", calls.listener);
    callsOf.delete(signal);
  };
}

function listening(signal: AbortSignal): Calls {
  const all = new Set<() => void>();
  const listener = () => {
    for (const one of all) one();
  };
  const calls = { all, listener };
  callsOf.set(signal, calls);
  signal.addEventListener("abort", listener, { once: true });
  return calls;
}
