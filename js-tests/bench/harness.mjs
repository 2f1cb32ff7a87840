// Times the contenders of a case in turn, A B C A B C …. So a machine that speeds up does so for all of them.
import { isDeepStrictEqual } from "node:util";
import { measure as time } from "mitata";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {number} n - How much there is already: messages, tools, …
 * @property {Record<string, Contender>} contenders
 * @property {Record<string, number>} [times] - How often a contender does it for each sample: 1, if not said.
 * @property {(answer: any) => unknown} [comparable] - What of an answer has to agree.
 *
 * @typedef {Run | { prepare: () => unknown, run: (prepared: any, times: number) => unknown }} Contender - The second
 *   form begins anew for each sample: what `prepare` makes is not timed.
 *
 * @typedef {(times: number) => unknown} Run - Does the thing `times` times over and gives its last answer, or a promise
 *   of it.
 */

/** Throws unless all contenders of a case give one answer. */
export async function checkAgreement({ name, n, contenders, comparable = (answer) => answer }) {
  const answers = [];
  for (const [contender, does] of Object.entries(contenders)) {
    const answer = typeof does === "function" ? does(3) : does.run(await does.prepare(), 3);
    answers.push([contender, await comparable(await answer)]);
  }
  const [[first, expected], ...others] = answers;
  for (const [other, answer] of others) {
    // Not shown: an answer may have thousands of messages.
    if (!isDeepStrictEqual(answer, expected)) throw new Error(`${name}, n = ${n}: ${other} and ${first} disagree`);
  }
}

/** The median time of each contender of each case in µs; all of the cases' contenders take turns. */
export async function measure(cases, { quick }) {
  const rounds = quick ? 2 : 9;
  const entrants = cases.flatMap(({ contenders, times = {} }, at) =>
    Object.entries(contenders).map(([name, does]) => {
      const count = times[name] ?? 1;
      return { at, name, timed: timed(does, count), count, samples: [] };
    }),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { timed, count, samples } of entrants) {
      const stats = await time(timed, {
        // Short slices, so that the turns follow each other closely.
        min_cpu_time: quick ? 1e6 : 40e6,
        min_samples: quick ? 2 : 5,
        batch_samples: 64,
        gc: () => {},
      });
      samples.push(...stats.samples.map((ns) => ns / 1000 / count));
    }
  }
  return cases.map((_, at) => {
    const own = entrants.filter((entrant) => entrant.at === at);
    return Object.fromEntries(own.map(({ name, samples }) => [name, median(samples)]));
  });
}

function timed(does, count) {
  if (typeof does === "function") return () => does(count);
  return function* () {
    yield { 0: does.prepare, bench: (prepared) => does.run(prepared, count) };
  };
}

/** A contender that continues where its last sample ended; `begin` returns the function that runs a sample. */
export function begun(begin) {
  let running;
  return async (times) => {
    const run = await (running ??= begin());
    return run(times);
  };
}

/** Has a contender's code compiled as it will be. In time of the processor: a busy machine gives less of it. */
export async function warmUp(measure) {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const until = spent() + 400_000;
  do await measure();
  while (spent() < until);
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
