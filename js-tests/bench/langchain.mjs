// langchain and deepagents, for comparison. They are in a folder of their own, ../peers/langchain: `npm ci` there.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { median } from "./harness.mjs";

/** Returns the exports of the modules in one object, or undefined if they are not installed. */
export async function langchain(...names) {
  const require = createRequire(new URL("../peers/langchain/package.json", import.meta.url));
  try {
    const modules = await Promise.all(names.map((name) => import(pathToFileURL(require.resolve(name)).href)));
    return Object.assign({}, ...modules);
  } catch {
    return undefined;
  }
}

/**
 * The median time that each contender reports, in µs. They take turns and run equally long, so that each is compiled as
 * well: the first round is not counted.
 */
export async function takingTurns(contenders, { quick, milliseconds }) {
  const samples = Object.fromEntries(Object.keys(contenders).map((contender) => [contender, []]));
  for (let round = 0; round < (quick ? 2 : 9); round++) {
    for (const [contender, measure] of Object.entries(contenders)) {
      const [all, until] = [[], performance.now() + (quick ? 50 : milliseconds)];
      do all.push(await measure());
      while (performance.now() < until);
      if (round > 0) samples[contender].push(median(all));
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([contender, all]) => [contender, median(all)]));
}
