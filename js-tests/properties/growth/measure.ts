// How the time of an operation grows with its input.
import { isThorough } from "../../support/seed.js";

export interface Case {
  name: string;
  /** Prepares the input for a size, not measured, and returns the operation. */
  prepare: (n: number) => (() => unknown) | Promise<() => unknown>;
  /** The size to begin with; default 100. */
  from?: number;
  /** The largest size to begin with; default 1024, and 4096 where all is tried. */
  most?: number;
}

export interface Growth {
  n: number;
  /** Milliseconds at n, 2n and 4n. */
  times: [number, number, number];
  /** The operation costs about n to the power of this. */
  exponent: number;
}

/** Shorter runs are mostly noise. */
const LONG_ENOUGH = 1;
const LARGEST = isThorough() ? 4096 : 1024;

async function timed({ prepare }: Case, n: number): Promise<number> {
  const run = await prepare(n);
  // Collects earlier objects now, so that this run does not.
  (globalThis.gc as ((options: object) => void) | undefined)?.({ type: "minor" });
  const [start, used] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(used);
  // The clock counts other programs on this machine, the CPU time counts the engine's background work.
  return Math.min(performance.now() - start, (user + system) / 1000);
}

/** The least of some runs at each size, in turns, so that other load meets them all. */
async function once(subject: Case, n: number, runs: number): Promise<Growth> {
  const times: [number, number, number] = [Infinity, Infinity, Infinity];
  for (let run = 0; run < runs; run++) {
    for (const at of [0, 1, 2] as const) times[at] = Math.min(times[at], await timed(subject, n << at));
  }
  return { n, times, exponent: Math.log(times[2] / times[0]) / Math.log(4) };
}

/** The first runs are those of an engine that has yet to compile. */
async function isShort(subject: Case, n: number): Promise<boolean> {
  for (let run = 0; run < 4; run++) if ((await timed(subject, n)) < LONG_ENOUGH) return true;
  return false;
}

/**
 * Measures how a case grows. A case that seems to grow too fast is measured again, at its size and at larger ones, and
 * the smallest exponent counts. Quadratic code is quadratic at every size, but a cache is outgrown only once.
 */
export async function growth(subject: Case, limit: number): Promise<Growth> {
  let n = subject.from ?? 100;
  while (2 * n <= (subject.most ?? LARGEST) && (await isShort(subject, n))) n *= 2;
  let least = await once(subject, n, 1);
  // Twice: other load may last as long as a measurement.
  for (let more = 0; more < 8 && least.exponent > limit; more++) {
    const again = await once(subject, n << (more % 4), 4);
    if (again.exponent < least.exponent) least = again;
  }
  return least;
}
