// Times the contenders of a case in turn, A B C A B C …, so that a machine that speeds up or slows down does so for
// all of them.
import { deepStrictEqual } from "node:assert";
import { measure as time } from "mitata";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {number} n - How much there is already: messages, tools, …
 * @property {Record<string, (times: number) => unknown>} contenders - Each does the thing `times` times over and
 *   returns its last answer.
 * @property {Record<string, number>} [times] - How often a contender does it for each sample: 1, if not said.
 * @property {(answer: any) => unknown} [comparable] - What of an answer has to agree.
 */

/** Throws unless all contenders of a case give one answer. */
export function checkAgreement({ name, n, contenders, comparable = (answer) => answer }) {
  const [[first, run], ...others] = Object.entries(contenders);
  const expected = comparable(run(3));
  for (const [other, run] of others) {
    deepStrictEqual(comparable(run(3)), expected, `${name}, n = ${n}: ${other} and ${first} disagree`);
  }
}

/** The median time of each contender of each case in µs; all of the cases' contenders take turns. */
export async function measure(cases, { quick }) {
  const rounds = quick ? 2 : 9;
  const entrants = cases.flatMap(({ contenders, times = {} }, at) =>
    Object.entries(contenders).map(([name, run]) => ({ at, name, run, count: times[name] ?? 1, samples: [] })));
  for (let round = 0; round < rounds; round++) {
    for (const { run, count, samples } of entrants) {
      const stats = await time(() => run(count), {
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

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
