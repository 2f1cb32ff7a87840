// Options whose names are misspelt would silently change nothing: an approval that nobody is asked for.
import { ThreadfoldError } from "./errors.js";
import { reading } from "./reading.js";

/** Every name that options may have: one left out does not compile. */
export type NamesOf<O> = { readonly [Name in keyof Required<O>]: true };

/** @throws {@link ThreadfoldError} `INVALID_VALUE` for an option that is none of `known`. */
export function checkNames(options: object | null | undefined, known: readonly string[]): void {
  for (const [name, value] of reading(() => Object.entries(options ?? {})))
    if (value !== undefined && !known.includes(name))
      throw new ThreadfoldError("INVALID_VALUE", `There is no option '${name}'.`);
}
