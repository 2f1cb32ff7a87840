// `node in-node.mjs FOLDER`: runs the tests that xtask has bound into FOLDER.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runTests } from "./tests.mjs";

// wasm-bindgen-test prints with it in Node.
globalThis.__wbgtest_og_console_log = console.log;

const [folder] = process.argv.slice(2);
const glue = await import(pathToFileURL(join(folder, "tests.js")).href);
process.exitCode = (await runTests(glue, readFileSync(join(folder, "tests_bg.wasm")))) ? 0 : 1;
