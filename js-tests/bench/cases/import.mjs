// The cost of an import to a program that has just started.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "../harness.mjs";

const SCRIPTS = {
  threadfold: 'import("threadfold")',
  "langgraph.js": 'import("@langchain/langgraph/web")',
  "@ag-ui/client": 'import("@ag-ui/client")',
};
const here = fileURLToPath(new URL("..", import.meta.url));

/** The median time of each import in µs. */
export function importCost(rounds) {
  const taken = Object.fromEntries(Object.keys(SCRIPTS).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, script] of Object.entries(SCRIPTS)) {
      const timed = `const start = performance.now(); await ${script}; console.log(performance.now() - start);`;
      const output = execFileSync(process.execPath, ["--input-type=module", "-e", timed], { cwd: here });
      taken[name].push(Number(output) * 1000);
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, median(times)]));
}
