// Option parsing, and the errors for bad options.
import { ThreadfoldError } from "../shared/errors.js";

// For all files here: a bundle imports it once then.
export { ThreadfoldError } from "../shared/errors.js";
export { reading } from "../shared/reading.js";

export const wrong = (what: string, expected: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_ARGUMENT", `${what} should be ${expected}.`);

/** Returns the given options; missing ones are empty options. */
export function optionsOf<T extends object>(options: T | null | undefined, what = "options"): T {
  if (options === undefined || options === null) return {} as T;
  if (typeof options !== "object" || Array.isArray(options)) throw wrong(what, "an object");
  return options;
}

/** Options without those that are undefined. */
export const defined = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

/** Returns a list of messages as such. */
export function listed<M>(messages: readonly M[]): readonly M[] {
  if (!Array.isArray(messages)) throw wrong("messages", "a list of messages");
  return messages;
}

/** A numeric option, or its default. */
export function numberOr<T>(given: unknown, usual: T, what: string): number | T {
  if (given === undefined || given === null) return usual;
  if (typeof given !== "number" || Number.isNaN(given)) throw wrong(what, "a number");
  return given;
}

/** A boolean option, or its default. */
export function flagOr(given: unknown, usual: boolean, what: string): boolean {
  if (given === undefined || given === null) return usual;
  if (typeof given !== "boolean") throw wrong(what, "a boolean");
  return given;
}

/** Whether an option chooses the second of two names; the first is the default. */
export function isSecond(given: unknown, what: string, first: string, second: string): boolean {
  if (given === undefined || given === null || given === first || given === second) return given === second;
  throw wrong(what, `'${first}' or '${second}'`);
}

/** Calls a function of the caller's. */
export function calledBy<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new ThreadfoldError("INVALID_ARGUMENT", `${what} threw: see the cause.`, { cause });
  }
}
