// Where threads are kept: text by name.
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import type { LoadOptions } from "./load-thread.js";
import type { PersistOptions } from "./persist.js";

/**
 * Keeps text by name: `localStorage`, `sessionStorage`, React Native's `AsyncStorage`, or your own. For a store with
 * other names, such as `idb-keyval`, say which is which: `{ getItem: get, setItem: set }`.
 */
export interface ThreadStorage {
  getItem(name: string): string | null | undefined | PromiseLike<string | null | undefined>;
  /** Either keeps the whole text, or throws and keeps the earlier one. */
  setItem(name: string, text: string): unknown;
}

/** A storage that answers at once, as `localStorage` does. */
export interface SyncStorage extends ThreadStorage {
  getItem(name: string): string | null | undefined;
}

/** The saved form of a thread. */
export interface Saved {
  readonly state: object;
  /** The app's, not the record's. */
  readonly version: number;
}

/** The names of the options of persist and loadThread, which may share one object. */
const OPTIONS: NamesOf<PersistOptions & LoadOptions<object>> = {
  name: true,
  storage: true,
  version: true,
  onError: true,
  throttle: true,
  migrate: true,
  schema: true,
  notify: true,
  history: true,
};

/** Throws for invalid options. */
export function checked<O extends { readonly name: string; readonly storage: ThreadStorage }>(
  call: string,
  options: O,
): O {
  checkOptions(call, options, Object.keys(OPTIONS));
  const { name, storage } = options;
  if (typeof name !== "string")
    throw new ThreadfoldError("INVALID_ARGUMENT", "A saved thread's name should be a string.");
  if (typeof storage?.getItem !== "function" || typeof storage.setItem !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", "A storage should have getItem and setItem.");
  return options;
}

/** A storage error, as a sentence. */
export function failure(doing: string, cause: unknown): ThreadfoldError {
  return cause instanceof ThreadfoldError
    ? cause
    : new ThreadfoldError("STORAGE_FAILED", `${doing} failed: see the cause.`, { cause });
}

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}
