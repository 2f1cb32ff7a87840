// The cost of a graph's first super-steps in a process that has just started. A page's or a worker's agent seldom takes
// more.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "../harness.mjs";

const STEPS = 300;
const LIBRARIES = ["threadfold", "langgraph.js"];
const ROWS = [
  { name: "graph, a process's first 300 super-steps of { n }", n: 1, messages: 0 },
  { name: "graph, a process's first 300 super-steps that add a message", n: 1_000, messages: 1_000 },
];

const program = fileURLToPath(new URL("graph-cold-run.mjs", import.meta.url));

/** µs a step, in a process of its own. */
const cold = (library, messages) =>
  Number(execFileSync(process.execPath, [program, library, String(messages), String(STEPS)], { encoding: "utf8" }));

/** The medians, in µs; the contenders of a row take turns. `wanted` says by name which rows. */
export async function costs(quick, wanted) {
  return ROWS.filter(({ name }) => wanted(name)).map(({ name, n, messages }) => {
    const samples = Object.fromEntries(LIBRARIES.map((library) => [library, []]));
    for (let round = 0; round < (quick ? 5 : 15); round++)
      for (const library of LIBRARIES) samples[library].push(cold(library, messages));
    return { name, n, us: Object.fromEntries(LIBRARIES.map((library) => [library, median(samples[library])])) };
  });
}
