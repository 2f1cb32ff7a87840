// Seeds of the property tests: the same on every machine, and printed, so that a failure can be run again.
// `npm run fuzz` asks for others.

/** A whole number that an environment variable asks for. */
function asked(variable: string): number | undefined {
  const value = Number(process.env[variable] || Number.NaN);
  return Number.isInteger(value) ? value : undefined;
}

/** `{ seed, numRuns }` for fast-check: the subject's own and the usual, or THREADFOLD_SEED and THREADFOLD_RUNS. */
export function seeded(subject: string, usual: number): { seed: number; numRuns: number } {
  const seed = asked("THREADFOLD_SEED") ?? seedOf(subject);
  const numRuns = runs(usual);
  console.log(`${subject}: seed ${seed}, ${numRuns} cases`);
  return { seed, numRuns };
}

/** A number of cases: the usual one, or what THREADFOLD_RUNS, or a variable of the subject's own, asks for. */
export function runs(usual: number, variable = "THREADFOLD_RUNS"): number {
  return asked(variable) ?? asked("THREADFOLD_RUNS") ?? usual;
}

/** Each subject has cases of its own: a hash (FNV-1a) of its name. */
function seedOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < subject.length; at++) hash = Math.imul(hash ^ subject.charCodeAt(at), 0x01000193);
  return hash >>> 1;
}
