/** Calls a listener, if there is one. Its error must not cut off the stream. */
export function tell<A extends unknown[]>(listener: ((...args: A) => void) | undefined, ...args: A): void {
  try {
    listener?.(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
