// Seeds of the property tests: the same on every machine, and printed, so that a failure can be run again.
// `npm run fuzz` asks for others.

/** A whole number that an environment variable asks for. */
function asked(variable: string): number | undefined {
  const value = Number(process.env[variable] || Number.NaN);
  return Number.isInteger(value) ? value : undefined;
}

/** `{ seed, numRuns }` for fast-check: the subject's own and `runs(all)`, or THREADFOLD_SEED and THREADFOLD_RUNS. */
export function seeded(subject: string, all: number): { seed: number; numRuns: number } {
  const seed = asked("THREADFOLD_SEED") ?? seedOf(subject);
  const numRuns = runs(all);
  console.log(`${subject}: seed ${seed}, ${numRuns} cases`);
  return { seed, numRuns };
}

/** In CI, all that there is to try; elsewhere `npm test` takes a part of it, always the same. */
export const isThorough = (): boolean => asked("THREADFOLD_THOROUGH") === 1;

/**
 * A number of cases: a fortieth of all, unless thorough, or the number in THREADFOLD_RUNS or in a variable of the
 * subject's own.
 */
export function runs(all: number, variable = "THREADFOLD_RUNS"): number {
  return asked(variable) ?? asked("THREADFOLD_RUNS") ?? (isThorough() ? all : Math.ceil(all / 40));
}

/** Each subject has cases of its own: a hash (FNV-1a) of its name. */
function seedOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < subject.length; at++) hash = Math.imul(hash ^ subject.charCodeAt(at), 0x01000193);
  return hash >>> 1;
}
