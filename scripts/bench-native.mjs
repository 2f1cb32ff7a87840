// `node scripts/bench-native.mjs` prints the native core's figures next to those of Python's add_messages. Python is
// $PYTHON or python3, with js-tests/peers/conformance/python/requirements.txt installed in it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Complaint, isMain, main, run, watch } from "./process.mjs";
import { step } from "./progress.mjs";
import { target } from "./rust.mjs";

const python = process.env.PYTHON ?? "python3";

/** Returns the figures of the last `cargo bench`: [{ name, n, us }], us the median. */
function criterionFigures() {
  const folder = join(target, "criterion");
  const figures = [];
  for (const group of existsSync(folder) ? readdirSync(folder) : []) {
    for (const size of readdirSync(join(folder, group))) {
      const file = (name) => join(folder, group, size, "new", name);
      if (!existsSync(file("benchmark.json"))) continue;
      const { group_id: name, value_str: n } = JSON.parse(readFileSync(file("benchmark.json"), "utf8"));
      const { median } = JSON.parse(readFileSync(file("estimates.json"), "utf8"));
      figures.push({ name, n: Number(n), us: median.point_estimate / 1000 });
    }
  }
  return figures;
}

/** Returns Python's figures, or undefined if its packages are not installed. */
async function pythonFigures() {
  if (ask(python, ["-c", "import langgraph.graph.message"]) === undefined) return undefined;
  const { code, output } = await step("Python's add_messages", () =>
    watch(python, [join("crates", "bench", "python", "add_messages.py")]),
  );
  if (code !== 0) throw new Complaint("crates/bench/python/add_messages.py failed");
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** One row for each figure: ours, Python's, and how many times ours goes into it. */
export function table(ours, theirs) {
  const rows = ours
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.n - b.n)
    .map(({ name, n, us }) => {
      const peer = theirs.find((figure) => figure.name === name && figure.n === n)?.us;
      const ratio = peer === undefined ? "" : `${(peer / us).toFixed(0)}×`;
      return [name, n.toLocaleString("en"), us.toFixed(2), peer?.toFixed(2) ?? "", ratio];
    });
  const all = [["case", "n", "ours, µs", "Python, µs", "faster"], ...rows];
  const width = (column) => Math.max(...all.map((row) => row[column].length));
  return all
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at)))).join("  "))
    .join("\n");
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await step("cargo bench", () => run("cargo", ["bench", "-p", "threadfold-bench"]));
    const theirs = await pythonFigures();
    console.log(`\n${table(criterionFigures(), theirs ?? [])}`);
    if (theirs === undefined) {
      console.log(
        `\n${python} has no langgraph, so Python's column is empty. To fill it, install js-tests/peers/conformance/python/requirements.txt in an environment and name its python in PYTHON.`,
      );
    }
  });
}
