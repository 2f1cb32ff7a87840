// A page that runs scenarios against one server over one protocol, and reports the view after each of their turns.
import * as agUi from "./drive-ag-ui";
import * as langGraph from "./drive-langgraph";

/** The ways to a server: the same in a page as in Node. */
const WAYS = {
  "AG-UI, plain fetch": agUi.throughFetch,
  "AG-UI, FoldHttpAgent": agUi.throughFoldHttpAgent,
  "AG-UI, HttpAgent": agUi.throughHttpAgent,
  "LangGraph, plain fetch": langGraph.throughFetch,
  "LangGraph, the SDK": langGraph.throughSdk,
  "LangGraph, protocol v2": langGraph.throughV2,
};

export type Way = keyof typeof WAYS;

const asked = new URLSearchParams(location.search);
const go = WAYS[asked.get("way") as Way];
const steps = await Promise.all(
  asked.getAll("graph").map(async (graph) => [graph, await go(asked.get("url") ?? "", graph)]),
);
const answer = document.createElement("pre");
answer.id = "answer";
answer.textContent = JSON.stringify(Object.fromEntries(steps));
document.body.append(answer);
