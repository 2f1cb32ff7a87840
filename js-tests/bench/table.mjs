// `node js-tests/bench/table.mjs FILE`: writes the figures of a `npm run bench -- --json FILE` into README.md and
// docs/figures.md, between `<!-- figures -->` and `<!-- /figures -->`, so that nobody types one.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMain } from "../../scripts/process.mjs";
import { barsOf, precise } from "./report.mjs";

const root = new URL("../../", import.meta.url);

/** The README's rows: the case, its sizes, and its peers with their names there. */
const ROWS = [
  {
    what: "a token and a new snapshot, 100 / 1,000 / 10,000 messages",
    name: "token and a new snapshot",
    ns: [100, 1_000, 10_000],
    peers: { "langgraph.js": "`messagesStateReducer`" },
  },
  {
    what: "`addMessages`, 10,000 + 1",
    name: "addMessages, 1 appended",
    ns: [10_000],
    peers: { "langgraph.js": "`messagesStateReducer`" },
  },
  {
    what: "`addMessages`, 1,000 + 1,000",
    name: "addMessages, as many appended",
    ns: [1_000],
    peers: { "langgraph.js": "`messagesStateReducer`" },
  },
  {
    what: "an AG-UI content event into a thread, 100 / 1,000 / 10,000",
    name: "AG-UI TEXT_MESSAGE_CONTENT",
    ns: [100, 1_000, 10_000],
    peers: { "@ag-ui/client": "`defaultApplyEvents`" },
  },
  {
    what: "the same through the agent with a subscriber, 10,000",
    name: "AG-UI agent, a token",
    ns: [10_000],
    peers: { "@ag-ui/client": "`HttpAgent`" },
  },
  {
    what: "`STATE_DELTA` of one leaf of 1 MB",
    name: "AG-UI STATE_DELTA of one leaf of 1 MB",
    ns: [1],
    peers: { "@ag-ui/client": "`defaultApplyEvents`" },
  },
  {
    what: "`MESSAGES_SNAPSHOT` of 10,000, one of them new",
    name: "AG-UI MESSAGES_SNAPSHOT, all but the last equal",
    ns: [10_000],
    peers: { "@ag-ui/client": "`defaultApplyEvents`" },
  },
  {
    what: "a LangGraph token of text, 1,000 messages",
    name: "LangGraph token of text",
    ns: [1_000],
    peers: { "langgraph-sdk": "the SDK's `StreamManager`" },
  },
  {
    what: "the 8,000th token of tool arguments",
    name: "LangGraph token of tool arguments",
    ns: [8_000],
    peers: { "langgraph-sdk": "the SDK's `StreamManager`" },
  },
  {
    what: "the same in React, 1,000 messages",
    name: "token of tool arguments in React, 1,000 messages",
    ns: [8_000],
    peers: { "langgraph-sdk useStream": "`useStream`" },
  },
  {
    what: "bytes of a LangGraph turn of ten super-steps, 100 / 1,000 / 10,000",
    name: "LangGraph, a turn of ten super-steps, bytes",
    ns: [100, 1_000, 10_000],
    peers: { "with states": "with the server's states" },
  },
  {
    what: "a super-step of a graph, one message more on 1,000 / 10,000",
    name: "graph, a super-step that adds a message",
    ns: [1_000, 10_000],
    peers: { "langgraph.js": "langgraph.js" },
  },
  {
    what: "the same with a checkpoint in memory",
    name: "graph, a super-step that adds a message, MemorySaver",
    ns: [1_000, 10_000],
    peers: { "langgraph.js": "langgraph.js" },
  },
  {
    what: "a token on a page of 5,000 messages in Chromium, main thread",
    name: "token on a page in Chromium, main thread",
    ns: [5_000],
    peers: {
      "threadfold, naive list": "a naive list",
      "langgraph-sdk useStream": "`useStream`",
      "@ag-ui/client HttpAgent": "`HttpAgent`",
    },
  },
];

/** The README's part, for a reader who has a minute. */
export function readmeFigures({ cases, sizes, machine }) {
  const us = (name, n) => {
    const found = cases.find((one) => one.name === name && one.n === n)?.us;
    if (!found) throw new Error(`The bench has no "${name}" of ${n}: run it whole, without --only.`);
    return found;
  };
  const times = (name, ns, contender) =>
    ns.every((n) => us(name, n)[contender] !== undefined)
      ? ns.map((n) => precise(us(name, n)[contender])).join(" / ")
      : "–";
  const rows = ROWS.map(({ what, name, ns, peers }) => [
    what,
    times(name, ns, "threadfold"),
    times(name, ns, "handwritten"),
    Object.entries(peers)
      .map(([peer, called]) => `${called} ${times(name, ns, peer)}`)
      .join(", "),
  ]);
  const ms = (name, n, contender) => precise(us(name, n)[contender] / 1_000);
  const kib = (what) => Math.round(sizes[what] / 1_024);
  const cold = "import (cold, in a process of its own)";
  return [
    `Microseconds, medians of one run of \`npm run bench\` (Node ${machine.node.slice(1)}, ${machine.cpu}): compare the ratios.`,
    "",
    ...table(["one update", "threadfold", "by hand", "beside it"], rows),
    "",
    `Opening a thread of 10,000 messages takes ${ms("opening a thread", 10_000, "threadfold")} ms, \`messagesStateReducer\` alone ` +
      `${ms("opening a thread", 10_000, "langgraph.js")}. The default entry with its wasm is ${kib("index.js as published")} KiB gzipped; ` +
      `\`@ag-ui/client\` is ${kib("@ag-ui/client")}, \`messagesStateReducer\` ${kib("langgraph.js messagesStateReducer")}. ` +
      `It is imported in ${ms(cold, 1, "threadfold")} ms.`,
  ];
}

/** Everything that the bench measured. */
export function allFigures({ cases, sizes, machine }) {
  const bars = barsOf(cases, sizes);
  const names = [...new Set(cases.map(({ name }) => name))];
  return [
    `Node ${machine.node.slice(1)}, ${machine.cpu}. Times are medians in microseconds, unless the case says bytes.`,
    "",
    "## The bars",
    "",
    ...table(
      ["bar", "measured", "reached"],
      bars.map(({ what, value, bar, ok }) => [what, precise(value), `${bar}: ${ok ? "yes" : "**no**"}`]),
    ),
    "",
    "## Every case",
    ...names.flatMap((name) => {
      const same = cases.filter((one) => one.name === name);
      const contenders = [...new Set(same.flatMap(({ us }) => Object.keys(us)))];
      const rows = same.map(({ n, us }) => [
        n.toLocaleString("en"),
        ...contenders.map((contender) => (us[contender] === undefined ? "–" : precise(us[contender]))),
      ]);
      return ["", `### ${name}`, "", ...table(["n", ...contenders], rows)];
    }),
    "",
    "### Sizes, gzipped",
    "",
    ...table(
      ["what", "KiB"],
      Object.entries(sizes).map(([what, bytes]) => [what, (bytes / 1_024).toFixed(1)]),
    ),
  ];
}

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
  for (const [name, figures] of Object.entries({ "README.md": readmeFigures, "docs/figures.md": allFigures })) {
    const path = fileURLToPath(new URL(name, root));
    writeFileSync(path, withFigures(readFileSync(path, "utf8"), figures(bench)));
  }
}
