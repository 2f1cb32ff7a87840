/** Whether reading ended because the user said so: by the signal, or by one that `fetch` was given. */
export function isAbort(error: unknown, signal?: AbortSignal): boolean {
  return signal?.aborted === true || isAbortError(error);
}

/** What `fetch` and its bodies give once they are aborted. */
export function isAbortError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}
