// The bars of DESIGN.md ("Figures to reach") that this bench can measure.

/** How many times as long as `of` the contender `what` takes, in the case of that name and size. */
const ratio = (name, n, what, of) => ({ us }) => us(name, n, what) / us(name, n, of);
const LOOK = "token and a new snapshot";
const NO_LOOK = "token, one snapshot after 1000";
const LEAF = "applyPatch, one leaf of 1 MB";

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
    what: "one leaf of 1 MB, fast-json-patch as in @ag-ui/client / threadfold",
    measured: ratio(LEAF, 1, "fast-json-patch", "threadfold"),
    atLeast: 500,
  },
  { what: "the wasm, gzipped, KiB", measured: ({ sizes }) => sizes["the wasm"] / 1024, atMost: 45 },
  {
    what: "all JS of the default entry, wasm inlined, gzipped, KiB",
    measured: ({ sizes }) => sizes["index.js as published"] / 1024,
    atMost: 65,
  },
];
