// Values are read through here wherever reading one may run the caller's code.
import { ThreadfoldError } from "./errors.js";

/** Reads an option, which may run the caller's code. */
export function option<T extends object, K extends keyof T>(options: T | undefined, key: K): T[K] | undefined {
  try {
    return options?.[key] ?? undefined;
  } catch (cause) {
    throw new ThreadfoldError("UNREADABLE_VALUE", `Reading the option '${String(key)}' threw: see the cause.`, {
      cause,
    });
  }
}

/** Returns what `read` returns, which reads a value and so may run the caller's code. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ThreadfoldError) throw cause;
    throw unreadable(cause);
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

const unreadable = (cause: unknown) =>
  new ThreadfoldError("UNREADABLE_VALUE", "Reading a value threw: see the cause.", { cause });
