// `node in-node.mjs FOLDER`: runs the tests that xtask has bound into FOLDER.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runTests } from "./tests.mjs";

const [folder] = process.argv.slice(2);
const glue = await import(pathToFileURL(join(folder, "tests.js")).href);
process.exitCode = runTests(glue, readFileSync(join(folder, "tests_bg.wasm"))) ? 0 : 1;
