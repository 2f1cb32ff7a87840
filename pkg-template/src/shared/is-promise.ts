type PromiseOf<T> = unknown extends T ? PromiseLike<unknown> : Extract<T, PromiseLike<unknown>>;

/** Whether a value is a promise, of any library. */
export function isPromise<T>(value: T): value is T & PromiseOf<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
