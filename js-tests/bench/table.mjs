// `node js-tests/bench/table.mjs FILE`: writes the figures of a `npm run bench -- --json FILE` into README.md,
// docs/figures.md and cases.md, between `<!-- figures -->` and `<!-- /figures -->`, so that nobody types one.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMain } from "../../scripts/process.mjs";
import { barsOf, precise } from "./report.mjs";

const root = new URL("../../", import.meta.url);

const TURN = "LangGraph, a turn of ten super-steps, bytes";
const PAGE = "token on a page in Chromium, main thread";

/** The README's part, for a reader who has a minute. */
export function readmeFigures({ cases, sizes }) {
  const measured = (name, n, contender) => {
    const found = cases.find((one) => one.name === name && one.n === n)?.us[contender];
    if (found === undefined) throw new Error(`The bench has no "${name}" of ${n}: run it whole, without --only.`);
    return found;
  };
  const bytes = (contender, unit, size) => `${precise(measured(TURN, 1_000, contender) / size)} ${unit}`;
  const ms = (contender) => `${precise(measured(PAGE, 5_000, contender) / 1_000)} ms`;
  const kib = (what) => `${Math.round(sizes[what] / 1_024)} KiB`;
  const rows = [
    [
      "a LangGraph turn of ten super-steps, 1,000 messages",
      bytes("threadfold", "KB", 1e3),
      `${bytes("with states", "MB", 1e6)} with each state`,
    ],
    [
      "a token on a page of 5,000 messages, main thread",
      ms("threadfold"),
      `\`HttpAgent\` ${ms("@ag-ui/client HttpAgent")}, \`useStream\` ${ms("langgraph-sdk useStream")}`,
    ],
    [
      "the download, gzipped",
      `${kib("a page: Thread, AgUiRunner, hooks, persistence, bundled and minified")} with runner, hooks and storage`,
      `\`@ag-ui/client\` alone ${kib("@ag-ui/client")}`,
    ],
  ];
  return table(["", "threadfold", "others"], rows);
}

/** The bars and the sizes, for a reader who doubts. */
export function barFigures({ cases, sizes, machine }) {
  return [
    machineOf(machine),
    "",
    "## The bars",
    "",
    ...table(
      ["bar", "measured", "reached"],
      barsOf(cases, sizes).map(({ what, value, bar, ok }) => [
        what,
        precise(value),
        `${bar}: ${ok ? "yes" : "**no**"}`,
      ]),
    ),
    "",
    "## Sizes, gzipped",
    "",
    ...table(
      ["what", "KiB"],
      Object.entries(sizes).map(([what, bytes]) => [what, (bytes / 1_024).toFixed(1)]),
    ),
  ];
}

/** Each case of the bench, for who changes the code. */
export function caseFigures({ cases, machine }) {
  const names = [...new Set(cases.map(({ name }) => name))];
  return [
    machineOf(machine),
    ...names.flatMap((name) => {
      const same = cases.filter((one) => one.name === name);
      const contenders = [...new Set(same.flatMap(({ us }) => Object.keys(us)))];
      const rows = same.map(({ n, us }) => [
        n.toLocaleString("en"),
        ...contenders.map((contender) => (us[contender] === undefined ? "–" : precise(us[contender]))),
      ]);
      return ["", `## ${name}`, "", ...table(["n", ...contenders], rows)];
    }),
  ];
}

const machineOf = ({ node, cpu }) =>
  `Node ${node.slice(1)}, ${cpu}. Times are medians in microseconds, unless the case says bytes.`;

const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);

/** A document with other figures between its marks. */
export function withFigures(text, lines) {
  const marks = /(<!-- figures -->\n)[^]*?(<!-- \/figures -->)/;
  if (!marks.test(text)) throw new Error("The document has no marks for the figures.");
  return text.replace(marks, (_, start, end) => `${start}\n${lines.join("\n")}\n\n${end}`);
}

if (isMain(import.meta.url)) {
  const [file] = process.argv.slice(2);
  if (!file) throw new Error("Say which file: npm run bench -- --json FILE wrote it.");
  const bench = JSON.parse(readFileSync(file, "utf8"));
  const documents = {
    "README.md": readmeFigures,
    "docs/figures.md": barFigures,
    "js-tests/bench/cases.md": caseFigures,
  };
  for (const [name, figures] of Object.entries(documents)) {
    const path = fileURLToPath(new URL(name, root));
    writeFileSync(path, withFigures(readFileSync(path, "utf8"), figures(bench)));
  }
}
