// Options whose names are misspelt would silently change nothing: an approval that nobody is asked for.
import { refuseOthers } from "../context/options.js";

/** @throws {@link ThreadfoldError} `INVALID_VALUE` for an option that is none of `known`. */
export function checkNames(options: object, known: readonly string[]): void {
  refuseOthers(Object.fromEntries(Object.entries(options).filter(([name]) => !known.includes(name))));
}
