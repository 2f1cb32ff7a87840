// A server that cannot be reached, in one sentence for every browser.
import { ThreadfoldError } from "../shared/errors.js";
import { BROKEN } from "../shared/run-error.js";

export const UNREACHABLE = "The server could not be reached.";

/**
 * Returns `NO_CONNECTION` for the error of `fetch`, of a response's body or of LangGraph's SDK when the connection failed;
 * any other error as it is. `fetch` throws a TypeError, which each browser words in its own way.
 */
export function connectionError(cause: unknown, sentence: string): unknown {
  const { name } = (cause ?? {}) as { name?: unknown };
  return name === "TypeError" || name === "ConnectionError"
    ? new ThreadfoldError("NO_CONNECTION", sentence, { cause })
    : cause;
}

/** Whether a request was not answered at all. */
export const isUnreached = (error: unknown): boolean =>
  error instanceof ThreadfoldError && error.code === "NO_CONNECTION" && error.message === UNREACHABLE;

/** Waits until a request is answered. Rejects if it did not reach the server; any other failure is the answer's. */
export async function arrives(answer: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await answer.catch((cause: unknown) => {
    const error = connectionError(cause, UNREACHABLE);
    if (isUnreached(error)) throw error;
  });
  signal.throwIfAborted();
}

/** The same for a run whose connection broke though nobody stopped it: a signal of the user's own `fetch` says so, too. */
export function brokenBy(cause: unknown): unknown {
  const { name } = (cause ?? {}) as { name?: unknown };
  return name === "AbortError" || name === "TimeoutError"
    ? new ThreadfoldError("NO_CONNECTION", BROKEN, { cause })
    : connectionError(cause, BROKEN);
}
