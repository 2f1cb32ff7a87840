// `node in-node.mjs FOLDER [SETUP [NUMBER]]`: runs the tests that xtask has bound into FOLDER. SETUP is a module that
// prepares them, with threadfold and the number.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runTests } from "./tests.mjs";

// wasm-bindgen-test prints with it in Node.
globalThis.__wbgtest_og_console_log = console.log;

const [folder, setup, number] = process.argv.slice(2);
const prepare = setup && (await import(pathToFileURL(setup).href)).default;
const threadfold = setup && (await import("threadfold"));
const glue = await import(pathToFileURL(join(folder, "tests.js")).href);
process.exitCode = (await runTests(glue, readFileSync(join(folder, "tests_bg.wasm")), (glue) =>
  prepare?.(glue, threadfold, Number(number)),
))
  ? 0
  : 1;
