// Options that choose one of a few names. The core knows each by its number.
import { prefer, rules } from "../../generated/numbers.js";
import { ThreadfoldError } from "./errors.js";
import { option } from "./reading.js";

export const RULES = Object.keys(rules);
export const PREFERENCES = Object.keys(prefer);

/** Returns the number of the name that an option chooses; 0, the first, if it is left out. */
export function choice<T extends object, K extends keyof T & string>(
  options: T | undefined,
  key: K,
  names: readonly string[],
): number {
  return numberOf(option(options, key), key, names);
}

/** Returns the number of the name that a value is; 0, the first, for undefined. `what` is the value's name. */
export function numberOf(value: unknown, what: string, names: readonly string[]): number {
  if (value === undefined) return 0;
  const number = names.indexOf(value as string);
  if (number >= 0) return number;
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop();
  throw new ThreadfoldError("INVALID_ARGUMENT", `${what} should be ${quoted.join(", ")} or ${last}.`);
}
