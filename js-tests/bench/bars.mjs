// The bars of DESIGN.md ("Figures to reach") that this bench can measure.

/** How many times as long as `of` the contender `what` takes, in the case of that name and size. */
const ratio =
  (name, n, what, of) =>
  ({ us }) =>
    us(name, n, what) / us(name, n, of);
const LOOK = "token and a new snapshot";
const NO_LOOK = "token, one snapshot after 1000";
const TEXT = "AG-UI TEXT_MESSAGE_CONTENT";
const AGENT = "AG-UI agent, a token";
const DELTA = "AG-UI STATE_DELTA of one leaf of 1 MB";
const MODE = "token and a look, by NODE_ENV";
const ARGUMENTS = "LangGraph token of tool arguments";
const PREDICTED = "AG-UI token of predicted arguments";
const UPDATES = "token and a look, by updates";
const DECISION = "context, a streamed token and the decision";
const DUE = "context, due where something is due, one message more";
const TRIM = "trimMessages to 4,000 tokens";
const STEP = "graph, a super-step that adds a message";
const RUN = "graph, a run of so many nodes";
const CHECKPOINT = "checkpoint in memory, one message added";
const BYTES = "checkpoints of so many steps, a message each, bytes";
const TURN = "LangGraph, a turn of ten super-steps, bytes";
const SAVE = "a token and a save";
const PAGE = "token on a page in Chromium, main thread";

export const BARS = [
  {
    what: "token and a new snapshot, n = 10,000, langgraph.js / threadfold",
    measured: ratio(LOOK, 10_000, "langgraph.js", "threadfold"),
    atLeast: 200,
  },
  {
    what: "the same, threadfold / handwritten",
    measured: ratio(LOOK, 10_000, "threadfold", "handwritten"),
    atMost: 1.5,
  },
  {
    what: "token without a look, n = 10,000 / n = 100",
    measured: ({ us }) => us(NO_LOOK, 10_000, "threadfold") / us(NO_LOOK, 100, "threadfold"),
    atMost: 1.3,
  },
  ...["threadfold", "threadfold, instances"].flatMap((what) => [
    {
      what: `addMessages, 10,000 + 1, ${what} / langgraph.js`,
      measured: ratio("addMessages, 1 appended", 10_000, what, "langgraph.js"),
      atMost: 0.25,
    },
    {
      what: `addMessages, 1,000 + 1,000, ${what} / langgraph.js`,
      measured: ratio("addMessages, as many appended", 1_000, what, "langgraph.js"),
      atMost: 1,
    },
  ]),
  {
    what: "bytes of a LangGraph turn of ten super-steps, n = 1,000, with states / without",
    measured: ratio(TURN, 1_000, "with states", "threadfold"),
    atLeast: 100,
  },
  {
    what: "AG-UI event into a thread, n = 1,000, defaultApplyEvents / threadfold",
    measured: ratio(TEXT, 1_000, "@ag-ui/client", "threadfold"),
    atLeast: 500,
  },
  {
    what: "FoldHttpAgent, n = 10,000, HttpAgent / FoldHttpAgent",
    measured: ratio(AGENT, 10_000, "@ag-ui/client", "threadfold"),
    atLeast: 100,
  },
  {
    what: "STATE_DELTA of one leaf of 1 MB, defaultApplyEvents / threadfold",
    measured: ratio(DELTA, 1, "@ag-ui/client", "threadfold"),
    atLeast: 500,
  },
  ...["1,000 sent", "1,000 acknowledged"].map((what) => ({
    what: `token and a look, ${what} / without updates`,
    measured: ratio(UPDATES, 10_000, `threadfold, ${what}`, "threadfold"),
    atMost: 1.3,
  })),
  ...[100, 10_000].map((n) => ({
    what: `token and a look, n = ${n.toLocaleString("en")}, NODE_ENV unset / production`,
    measured: ratio(MODE, n, "threadfold, NODE_ENV unset", "threadfold"),
    atMost: 1.1,
  })),
  {
    what: "LangGraph token of tool arguments, number 8,000 / number 100",
    measured: ({ us }) => us(ARGUMENTS, 8_000, "threadfold") / us(ARGUMENTS, 100, "threadfold"),
    atMost: 1.3,
  },
  {
    what: "AG-UI token of predicted arguments, number 20,000 (100 KB), µs",
    measured: ({ us }) => us(PREDICTED, 20_000, "threadfold"),
    atMost: 10,
  },
  {
    what: "a token and a save, n = 5,000, µs",
    measured: ({ us }) => us(SAVE, 5_000, "threadfold"),
    atMost: 3_000,
  },
  {
    what: "token on a page in Chromium, n = 5,000, ms of the main thread",
    measured: ({ us }) => us(PAGE, 5_000, "threadfold") / 1000,
    atMost: 2,
  },
  {
    what: "the same, n = 5,000 / n = 100",
    measured: ({ us }) => us(PAGE, 5_000, "threadfold") / us(PAGE, 100, "threadfold"),
    atMost: 1.5,
  },
  {
    what: "the same, n = 5,000, naive list / threadfold",
    measured: ratio(PAGE, 5_000, "threadfold, naive list", "threadfold"),
    atLeast: 10,
  },
  {
    what: "a token of one of 20 sub-agents on that page, ms",
    measured: ({ us }) => us(PAGE, 5_000, "threadfold, a token of each of 20 sub-agents") / 20 / 1000,
    atMost: 2,
  },
  ...[100, 1_000, 10_000].map((n) => ({
    what: `context, decision a streamed token, n = ${n.toLocaleString("en")}, threadfold / handwritten`,
    measured: ratio(DECISION, n, "threadfold", "handwritten"),
    atMost: 3,
  })),
  ...[100, 1_000, 10_000].map((n) => ({
    what: `the same, n = ${n.toLocaleString("en")}, µs`,
    measured: ({ us }) => us(DECISION, n, "threadfold"),
    atMost: 1,
  })),
  {
    what: "context, due where something is due, one message more on 10,000, µs",
    measured: ({ us }) => us(DUE, 10_000, "threadfold"),
    atMost: 200,
  },
  ...["threadfold", "threadfold, messages not seen before"].map((what) => ({
    what: `trimMessages of 10,000 to 4,000 tokens, @langchain/core / ${what}`,
    measured: ratio(TRIM, 10_000, "@langchain/core", what),
    atLeast: 10_000,
  })),
  {
    what: "graph, a super-step of { n }, langgraph.js / threadfold",
    measured: ratio("graph, a super-step of { n }", 1, "langgraph.js", "threadfold"),
    atLeast: 150,
  },
  ...[
    [1_000, 60],
    [10_000, 50],
  ].map(([n, atLeast]) => ({
    what: `graph, + 1 message on ${n.toLocaleString("en")}, langgraph.js / threadfold`,
    measured: ratio(STEP, n, "langgraph.js", "threadfold"),
    atLeast,
  })),
  ...[
    ["a process's first 300 super-steps of { n }", 1, 150],
    ["a process's first 300 super-steps that add a message", 1_000, 60],
  ].map(([name, n, atLeast]) => ({
    what: `graph, ${name}, langgraph.js / threadfold`,
    measured: ratio(`graph, ${name}`, n, "langgraph.js", "threadfold"),
    atLeast,
  })),
  {
    what: "graph, a Send in a fan-out of 100, langgraph.js / threadfold",
    measured: ratio("graph, a Send in a fan-out of 100", 100, "langgraph.js", "threadfold"),
    atLeast: 150,
  },
  {
    what: "graph, a run of one node, langgraph.js / threadfold",
    measured: ratio(RUN, 1, "langgraph.js", "threadfold"),
    atLeast: 200,
  },
  {
    what: "checkpoint in memory of 10,000 messages, one added, µs",
    measured: ({ us }) => us(CHECKPOINT, 10_000, "threadfold"),
    atMost: 5,
  },
  {
    what: "the same, bytes",
    measured: ({ us }) => us(`${CHECKPOINT}, bytes`, 10_000, "threadfold"),
    atMost: 1024,
  },
  ...["threadfold", "threadfold, IndexedDB"].map((what) => ({
    what: `bytes of checkpoints, ${what}, 1,000 steps / 500 steps`,
    measured: ({ us }) => us(BYTES, 1_000, what) / us(BYTES, 500, what),
    atMost: 2.2,
  })),
  ...["", " with three middlewares"].map((more) => ({
    what: `agent, own share of a turn${more}, langchain / threadfold`,
    measured: ratio(`agent, own share of a turn${more}`, 1, "langchain", "threadfold"),
    atLeast: 20,
  })),
  {
    what: "Context alone, with the wasm, gzipped, KiB",
    measured: ({ sizes }) => sizes["threadfold/context, bundled and minified, its Context alone"] / 1024,
    atMost: 32,
  },
  { what: "the wasm, gzipped, KiB", measured: ({ sizes }) => sizes["the wasm"] / 1024, atMost: 49 },
  {
    what: "all JS of the default entry, wasm inlined, gzipped, KiB",
    measured: ({ sizes }) => sizes["index.js as published"] / 1024,
    atMost: 68,
  },
  {
    what: "a page with Thread, runner, hooks and persistence, gzipped, KiB",
    measured: ({ sizes }) => sizes["a page: Thread, AgUiRunner, hooks, persistence, bundled and minified"] / 1024,
    atMost: 87,
  },
  {
    what: "graph, agent and context as published, added together, gzipped, KiB",
    measured: ({ sizes }) => sizes["graph, agent, context and agent-core as published"] / 1024,
    atMost: 83,
  },
];
