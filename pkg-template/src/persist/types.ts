// Options and stores of saved threads.
import type { ThreadfoldError } from "../shared/errors.js";
import type { ThreadOptions, ThreadUpdate } from "../thread/thread-types.js";

/**
 * Keeps text by name: `localStorage`, `sessionStorage`, React Native's `AsyncStorage`, or your own. For a store with
 * other names, such as `idb-keyval`, say which is which: `{ getItem: get, setItem: set }`.
 */
export interface ThreadStorage {
  getItem(name: string): string | null | undefined | PromiseLike<string | null | undefined>;
  /** Either keeps the whole text, or throws and keeps the earlier one. */
  setItem(name: string, text: string): unknown;
  /** Removes a text. Without it, an empty one is kept in its place. */
  removeItem?(name: string): unknown;
}

/** The saved form of a thread. */
export interface Saved {
  readonly state: object;
  /** The app's, not the record's. */
  readonly version: number;
}

/** Where to find a saved thread, and how to read it. */
export interface LoadOptions<S, U = ThreadUpdate<S>> extends Pick<
  ThreadOptions<S, U>,
  "schema" | "notify" | "history"
> {
  /** The name that it was saved under. */
  readonly name: string;
  readonly storage: ThreadStorage;
  /** The version of your state that you expect: 0, if you don't say. */
  readonly version?: number | undefined;
  /**
   * Makes this version's values of those of another version. The thread starts anew from what it returns; updates that
   * were not the server's yet are pending again. It may return a promise.
   */
  readonly migrate?:
    | ((values: Record<string, unknown>, version: number) => Partial<NoInfer<S>> | PromiseLike<Partial<NoInfer<S>>>)
    | undefined;
  /** Receives the error if the thread, or part of it, cannot be loaded. Without it, the error is thrown. */
  readonly onError?: ((error: ThreadfoldError) => void) | undefined;
}

/** Where and how often to save a thread. */
export interface PersistOptions {
  /** The name to save it under: one for each thread that you keep. */
  readonly name: string;
  readonly storage: ThreadStorage;
  /** The version of your state, for `migrate` of `loadThread`: 0, if you don't say. */
  readonly version?: number | undefined;
  /** Saves at most once in so many milliseconds: 1,000, if you don't say. */
  readonly throttle?: number | undefined;
  /**
   * Receives the error of a failed save, such as for a full quota: once, until one succeeds again. Without it the
   * thread's `error` listeners receive it.
   */
  readonly onError?: ((error: ThreadfoldError) => void) | undefined;
}
