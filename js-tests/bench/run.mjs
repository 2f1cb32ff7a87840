// `npm run bench [-- --json FILE] [--quick] [--only NAME]`: the cost of threadfold, compared with its peers and with
// handwritten code. Run `npm run build` first.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { costsApart } from "./cases/apart.mjs";
import { checkAgreement, measure } from "./harness.mjs";
import { printBars, printCase, printSizes } from "./report.mjs";

// Before anything that is measured is imported: the packages look at it once.
process.env.NODE_ENV = "production";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const SUBJECTS = [
  "add-messages",
  "stream",
  "tools",
  "patch",
  "schema",
  "ag-ui",
  "ag-ui-agent",
  "predict",
  "langgraph",
  "thread",
  "persist",
  "context",
  "context-decisions",
  "react",
];
const wanted = (name) => !options.only || name.includes(options.only);

const results = [];
for (const subject of SUBJECTS) {
  const { cases } = await import(`./cases/${subject}.mjs`);
  const chosen = cases().filter(({ name }) => wanted(name));
  for (const benchCase of chosen) await checkAgreement(benchCase);
  // Cases of one name differ in size: they are compared with each other, so they take turns, too.
  for (const name of new Set(chosen.map(({ name }) => name))) {
    const sameName = chosen.filter((benchCase) => benchCase.name === name);
    const times = await measure(sameName, { quick: options.quick });
    for (const [at, us] of times.entries()) {
      results.push({ name, n: sameName[at].n, us });
      printCase(results.at(-1));
    }
  }
}

for (const file of ["graph.mjs", "graph-cold.mjs", "checkpoint.mjs", "agent.mjs"]) {
  const costs = costsApart(file, options.quick, options.only);
  if (!costs)
    console.log(`\n${file} measures nothing: \`npm ci\` in js-tests/peers/langchain installs what it measures beside.`);
  for (const result of costs ?? []) {
    results.push(result);
    printCase(result);
  }
}

if (wanted("import")) {
  const { importCost } = await import("./cases/import.mjs");
  results.push({ name: "import (cold, in a process of its own)", n: 1, us: await importCost(options.quick ? 1 : 9) });
  printCase(results.at(-1));
}

if (wanted("trimMessages")) {
  const { trimCosts } = await import("./cases/trim.mjs");
  for (const result of await trimCosts(options.quick)) {
    results.push(result);
    printCase(result);
  }
}

if (
  wanted("context, due beside the middlewares that summarize") ||
  wanted("context, repairToolCalls beside deepagents' middleware")
) {
  const { middlewareCosts } = await import("./cases/context-middlewares.mjs");
  for (const result of (await middlewareCosts(options.quick)) ?? []) {
    results.push(result);
    printCase(result);
  }
}

if (wanted("LangGraph, a turn of ten super-steps, bytes")) {
  const { turnCosts } = await import("./cases/turns.mjs");
  for (const result of await turnCosts([100, 1_000, 10_000])) {
    results.push(result);
    printCase(result);
  }
}

if (wanted("NODE_ENV")) {
  const { modeCosts } = await import("./cases/mode.mjs");
  for (const result of await modeCosts(options.quick ? 5 : 150)) {
    results.push(result);
    printCase(result);
  }
}

if (wanted("token on a page in Chromium")) {
  const { pageCosts } = await import("./cases/page.mjs");
  const costs = await pageCosts(options.quick ? 1 : 3);
  if (!costs) console.log("\nNo page is measured: there is no Chromium.");
  for (const result of costs ?? []) {
    results.push(result);
    printCase(result);
  }
}

let sizes = {};
if (wanted("sizes")) {
  const { measureSizes } = await import("./cases/sizes.mjs");
  sizes = await measureSizes();
  printSizes(sizes);
}

const missed = printBars(results, sizes);
if (options.json) {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown" };
  writeFileSync(options.json, `${JSON.stringify({ cases: results, sizes, machine }, undefined, 2)}\n`);
}
if (missed > 0) console.log(`\n${missed} missed.`);
