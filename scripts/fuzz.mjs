// `npm run fuzz -- --minutes 30` runs the property tests with random seeds, one after another, until time is up.
// It stops at the first failure and prints its seed and smallest case: turn that into a test with fixed input.
// `--seed N` starts with that seed, `--runs N` sets the number of cases of each property, and names of test files, or
// parts of them, choose tests: `npm run fuzz -- thread --minutes 5`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Complaint, isMain, main, root, watch } from "./process.mjs";
import { OPTIMISED } from "./rust.mjs";
import { setup } from "./setup.mjs";
import { IN_NODE, vitestIn } from "./vitest.mjs";

const OPTIONS = {
  minutes: { type: "string", default: "5" },
  seed: { type: "string" },
  runs: { type: "string" },
};
const SEEDS = 2 ** 31;

/** A property test, and the command that runs it. */
const rust = (name) => ({ name, program: "cargo", args: ["test", "--quiet", "--test", "all", `${name}::`] });
const javascript = (path) => ({
  name: path,
  program: process.execPath,
  args: vitestIn(IN_NODE, path),
});

/** Not in vitest's project `node`, or about seeds themselves. */
const ELSEWHERE = /^(node_modules|hosts\/(browser|demo|servers|consumers|rust))\b|seeds\.test\.ts$/;

/** Returns the property tests, alternating Rust and JavaScript. */
function targets(wanted) {
  const speaksOfSeeds = (path) =>
    /THREADFOLD_SEED|\buse crate::seeded\b|\/support\/seed(\.js)?"/.test(readFileSync(join(root, path), "utf8"));
  const files = (folder, ending) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => ending.test(path) && speaksOfSeeds(join(folder, path)))
      .sort();
  // Those of one module of tests/all.rs, which may be a folder.
  const modules = files("tests", /\.rs$/).map((path) => /^[^./\\]+/.exec(path)[0]);
  const native = [...new Set(modules)].filter((name) => name !== "seeded").map(rust);
  const inNode = files("js-tests", /\.test\.ts$/)
    .filter((path) => !ELSEWHERE.test(path))
    .map(javascript);
  const all = Array.from({ length: Math.max(native.length, inNode.length) }, (_, at) => [native[at], inNode[at]])
    .flat()
    .filter(Boolean);
  const exact = all.filter(({ name }) => wanted.includes(name));
  return exact.length > 0
    ? exact
    : all.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
}

function whole(name, text, most) {
  const value = Number(text);
  if (text === "" || !(value >= 0) || value >= most)
    throw new Complaint(`--${name} must be a number from 0 to ${most - 1}.`);
  return value;
}

/** Runs a target under a seed. Returns its output if it failed. */
async function failure({ program, args }, env) {
  const { code, output } = await watch(program, args, { env, show: false });
  return code === 0 ? undefined : output;
}

export async function fuzz({ minutes, seed, runs, wanted }) {
  const all = targets(wanted);
  if (all.length === 0) throw new Complaint(`There is no property test called ${wanted.join(" or ")}.`);
  if (all.some(({ program }) => program !== "cargo") && !existsSync(join(root, "pkg")))
    throw new Complaint("There is no pkg/ to test: run `npm run build` first.");
  const end = Date.now() + minutes * 60_000;
  let next = seed;
  let count = 0;
  for (let round = 1; round === 1 || Date.now() < end; round++) {
    for (const target of all) {
      if (count > 0 && Date.now() >= end) break;
      // A seed from the command line is used for every test of the first round.
      const now = next ?? Math.floor(Math.random() * SEEDS);
      const env = {
        ...OPTIMISED,
        THREADFOLD_SEED: String(now),
        ...(runs !== undefined && { THREADFOLD_RUNS: String(runs) }),
      };
      console.log(`round ${round}, seed ${now}: ${target.name}`);
      const output = await failure(target, env);
      count++;
      if (output !== undefined) {
        console.error(output);
        const again = [`--seed ${now}`, ...(runs !== undefined ? [`--runs ${runs}`] : []), "--minutes 0", target.name];
        throw new Complaint(
          `${target.name} fails under seed ${now}; its smallest case is above. To repeat: npm run fuzz -- ${again.join(" ")}`,
        );
      }
    }
    next = undefined;
  }
  console.log(`\n✓ ${count} property tests, no failure`);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    await setup();
    await fuzz({
      minutes: whole("minutes", values.minutes, 10_000),
      ...(values.seed !== undefined && { seed: whole("seed", values.seed, SEEDS) }),
      ...(values.runs !== undefined && { runs: whole("runs", values.runs, SEEDS) }),
      wanted: positionals,
    });
  });
}
