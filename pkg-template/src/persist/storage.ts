// Where threads are kept: text by name.
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import type { LoadOptions, PersistOptions, ThreadStorage } from "./types.js";

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
