// Refuses unknown options: a misspelt name would silently change nothing, such as an approval that nobody is asked for.
import { ThreadfoldError } from "./errors.js";
import { reading } from "./reading.js";

/** Every name that options may have: one left out does not compile. */
export type NamesOf<O> = { readonly [Name in keyof Required<O>]: true };

/**
 * Refuses an option that is not in `names`. `call` is the caller's code, such as `new Thread`.
 *
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION`, with the nearest name.
 */
export function checkOptions(call: string, options: object | null | undefined, names: readonly string[]): void {
  for (const [name, value] of reading(() => Object.entries(options ?? {}))) {
    if (value === undefined || names.includes(name)) continue;
    const near = nearest(name, names);
    const remedy = near === undefined ? `The options are ${names.join(", ")}.` : `Did you mean '${near}'?`;
    throw new ThreadfoldError("UNKNOWN_OPTION", `${call}: unknown option '${name}'. ${remedy}`);
  }
}

/**
 * Refuses an option that is not a number from `least`, if it is given.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 */
export function checkNumbers(call: string, options: Readonly<Record<string, unknown>>, least = 0): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (typeof value === "number" && value >= least)) continue;
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `${call}: expected ${name} to be a number from ${least}, got ${String(value)}.`,
    );
  }
}

/** Returns the name with the fewest letters to change, if that is at most every third, and at most three. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
  for (let letters = 0; letters <= most; letters++) {
    const near = names.find((one) => isNear(name.toLowerCase(), one.toLowerCase(), letters));
    if (near !== undefined) return near;
  }
}

/** Whether so many letters to add, remove, replace or swap with the next make one text of the other. */
function isNear(from: string, to: string, letters: number): boolean {
  if (from === to) return true;
  if (from[0] === to[0]) return isNear(from.slice(1), to.slice(1), letters);
  if (letters === 0) return false;
  const isSwap = from[0] === to[1] && from[1] === to[0];
  const pairs = [[1, 0], [0, 1], [1, 1], ...(isSwap ? [[2, 2]] : [])];
  return pairs.some(([mine, its]) => isNear(from.slice(mine), to.slice(its), letters - 1));
}
