// Values are read through here wherever reading one may run the caller's code.
import { ThreadfoldError } from "./errors.js";

/** Reads an option, which may run the caller's code. */
export function option<T extends object, K extends keyof T>(options: T | undefined, key: K): T[K] | undefined {
  try {
    return options?.[key] ?? undefined;
  } catch (cause) {
    throw unreadable(cause, `the option '${String(key)}'`);
  }
}

/** Returns what `read` returns, which reads a value and so may run the caller's code. `what` names it in the error. */
export function reading<T>(read: () => T, what?: string): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ThreadfoldError ? cause : unreadable(cause, what);
  }
}

/** Does the same as {@link reading} for a `read` that throws no error of its own: every error is the caller's code's. */
export function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** The error of the caller's code, with what was being read. */
export const unreadable = (cause: unknown, what = "a value"): ThreadfoldError =>
  new ThreadfoldError("UNREADABLE_VALUE", `Reading ${what} threw: see the cause.`, { cause });
