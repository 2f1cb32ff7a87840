// Hooks take a thread, or a runner, whose thread is meant.

/** A thread, or an object that has one: a runner, an agent of `@ag-ui/client`. */
export type Of<T extends object> = T | { readonly thread: T };

/** Returns the thread that a hook was given, itself or by its runner. */
export function threadOf<T extends object>(of: Of<T>): T {
  return "thread" in of ? of.thread : of;
}
