/** A signal that aborts when the caller of a request leaves, however its server says so, and the function to say so. */
export function leaving(request: Request): { readonly signal: AbortSignal; readonly leave: () => void } {
  const left = new AbortController();
  const leave = () => {
    // Names the request, which lives as long as its stream: Node lets the signal of one that is collected never abort.
    request.signal.removeEventListener("abort", leave);
    left.abort();
  };
  // Where the handler is called as `fetch`, nobody closes the body.
  if (request.signal.aborted) leave();
  request.signal.addEventListener("abort", leave);
  return { signal: left.signal, leave };
}

/** Resolves once a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}
