// `npm test` is deterministic: no property test draws its own seed.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { seeded } from "../../support/seed.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = (folder: string, ending: RegExp): [path: string, text: string][] =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((path) => ending.test(path) && !/node_modules|fuzz.seeds\.test\.ts$/.test(path))
    .map((path) => [`${folder}/${path}`, readFileSync(`${root}${folder}/${path}`, "utf8")]);
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

afterEach(() => vi.unstubAllEnvs());

test("a subject has the same cases every time, and others when that is asked for", () => {
  const drawn = (subject: string, all = 40) => {
    const { seed, numRuns } = seeded(subject, all);
    return fc.sample(fc.integer(), { seed, numRuns });
  };
  for (const variable of ["THREADFOLD_SEED", "THREADFOLD_RUNS", "THREADFOLD_THOROUGH"]) vi.stubEnv(variable, "");
  expect(drawn("one")).toEqual(drawn("one"));
  expect(drawn("one")).not.toEqual(drawn("another"));
  expect(seeded("one", 80)).toEqual({ seed: 1_561_562_359, numRuns: 2 });
  vi.stubEnv("THREADFOLD_THOROUGH", "1");
  expect(seeded("one", 40)).toEqual({ seed: 1_561_562_359, numRuns: 40 });
  vi.stubEnv("THREADFOLD_SEED", "5");
  vi.stubEnv("THREADFOLD_RUNS", "3");
  expect(seeded("one", 40)).toEqual({ seed: 5, numRuns: 3 });
});

test("every property in TypeScript is given a seed", () => {
  const asserting = sources("js-tests", /\.ts$/).filter(([, text]) => text.includes("fc.assert("));
  expect(asserting.length).toBeGreaterThan(10);
  const lacking = asserting.filter(([, text]) => count(text, /\bfc\.assert\(/g) > count(text, /\bseeded\(/g));
  expect(lacking.map(([path]) => path)).toEqual([]);
});

test("every property in Rust is given a seed", () => {
  const properties = sources("tests", /\.rs$/).filter(([, text]) => text.includes("proptest! {"));
  expect(properties.length).toBeGreaterThan(1);
  const lacking = properties.filter(
    ([, text]) => count(text, /^proptest! \{/gm) > count(text, /proptest_config\(seeded::config\(|RngSeed::Fixed\(/g),
  );
  expect(lacking.map(([path]) => path)).toEqual([]);
});

test("nothing in the tests is left to chance", () => {
  // Tests draw from a seed. The random-use page replaces Math.random.
  const chance = sources("js-tests", /\.(ts|mjs)$/).filter(
    ([path, text]) => /Math\.random\(|fc\.sample\(/.test(text) && !path.includes("/bench/"),
  );
  expect(chance.map(([path]) => path)).toEqual([]);
});
