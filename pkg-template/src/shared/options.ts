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

/** Returns the name with the fewest letters to change, if that is at most every third. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3));
  const [near] = names
    .map((one) => ({ one, letters: distance(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ letters }) => letters <= most)
    .sort((one, other) => one.letters - other.letters);
  return near?.one;
}

/** Returns how many letters to add, remove, replace or swap with the next make one text of the other. */
function distance(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] as number) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[to.length] as number;
}
