// Runs binaryen on the bound wasm; a result is cached, so the same input is optimised once.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Complaint, run } from "../process.mjs";
import { target } from "../rust.mjs";
import { addHeadroom, HEADROOM } from "./headroom.mjs";
import { RULES, trapOnPanic } from "./panics.mjs";
import { uses, usesAll } from "./tricks.mjs";

const binaryen = createRequire(import.meta.url).resolve("binaryen/package.json");
const { version, bin } = JSON.parse(readFileSync(binaryen, "utf8"));

/** Each saves some 200 bytes of the core at most, all of them 700: see the table in README.md. */
const MORE = [
  // Flat code is found to have more in common.
  "--flatten",
  "--rereloop",
  "-Oz",
  // Rust's stack and data begin above.
  "--low-memory-unused",
  // Inlining functions called once saves bytes but costs more of them gzipped: repeated code packs well.
  "--one-caller-inline-max-function-size=8",
  "--always-inline-max-function-size=4",
  // Code that computes a value twice packs better than locals that keep it.
  "--skip-pass=local-cse",
  // Until nothing gets smaller.
  "--converge",
];

const FLAGS = [
  ...(uses("wasm-opt's flags") && uses("wasm-opt") ? MORE : []),
  ...(uses("wasm-opt") ? ["-Oz"] : []),
  // How a load or store is aligned is a hint that engines ignore: one hint for all packs better.
  ...(uses("wasm-opt's flags") && uses("wasm-opt") ? ["--dealign"] : []),
  "--strip-debug",
  "--strip-producers",
  "--strip-target-features",
];

/** Returns the path of the optimised wasm. */
export const optimiseCore = (bound) => optimised(bound, "wasm-opt");
export const optimiseAgent = (bound) => optimised(bound, "wasm-opt-agent");

async function optimised(input, folder) {
  const key = createHash("sha256")
    .update(version)
    .update(FLAGS.join())
    .update(["panics", "panic data"].filter(uses).join())
    .update(RULES)
    .update(HEADROOM)
    .update(readFileSync(input))
    .digest("hex")
    .slice(0, 32);
  const cache = join(target, folder);
  const output = join(cache, `${key}.wasm`);
  if (existsSync(output)) return output;
  mkdirSync(cache, { recursive: true });
  const partial = join(cache, `${key}.${process.pid}.partial`);
  const trimmed = uses("panics") ? trimmedInto(partial, input) : input;
  await run(process.execPath, [join(dirname(binaryen), bin["wasm-opt"]), trimmed, "-o", partial, ...FLAGS]);
  addHeadroom(partial);
  if (usesAll)
    for (const old of readdirSync(cache)) if (old.endsWith(".wasm")) rmSync(join(cache, old), { force: true });
  renameSync(partial, output);
  return output;
}

/** Another version of Rust may name its functions differently: the output is larger then, but as good. */
function trimmedInto(output, input) {
  try {
    trapOnPanic(input, output);
    return output;
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    console.log(`  ! ${error.message} It is left as it is, and larger.`);
    return input;
  }
}
