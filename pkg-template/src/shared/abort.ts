/** A signal's reason that ends only the reading: the run may continue on the server. */
export class LeftOff extends Error {}

/** The signals by which runners stop: what is aborted otherwise is a connection that broke. */
export const ofRunners = new WeakSet<AbortSignal>();

/** Whether the user ended the reading: by the signal, or by one that `fetch` was given. */
export function isAbort(error: unknown, signal?: AbortSignal): boolean {
  if (signal && ofRunners.has(signal) && !signal.aborted) return false;
  return (signal?.aborted === true && !(signal.reason instanceof LeftOff)) || isAbortError(error);
}

/** Whether it is the error of `fetch` and its bodies once they are aborted. */
export function isAbortError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}

/** Waits for one promise after the other, and for none once the signal aborts. */
export class Wait {
  readonly #signal: AbortSignal | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  readonly #abort = () => this.#reject?.(this.#signal?.reason);

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#abort);
  }

  for<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#signal?.aborted) this.#abort();
      work.then(resolve, reject);
    });
  }

  /** Rejects the promise that is waited for. */
  fail(error: unknown): void {
    this.#reject?.(error);
  }

  end(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}
