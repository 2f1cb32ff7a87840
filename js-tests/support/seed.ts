// Seeds of the property tests: printed, so that a failure can be run again.

/** `{ seed, numRuns }` for fast-check; the seed is THREADFOLD_SEED or random. */
export function seeded(subject: string, numRuns: number): { seed: number; numRuns: number } {
  const given = Number(process.env["THREADFOLD_SEED"] ?? Number.NaN);
  const seed = Number.isInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);
  console.log(`${subject}: seed ${seed}, ${numRuns} cases`);
  return { seed, numRuns };
}

/** A number of runs: the usual one, or what this environment variable asks for when that is more. */
export function runs(usual: number, variable: string): number {
  return Math.max(usual, Number(process.env[variable] ?? 0) || 0);
}
