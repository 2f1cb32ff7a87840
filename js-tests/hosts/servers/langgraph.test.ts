// The LangGraph server itself, by every way to it: at the end of each run the thread equals the server's.
import { inject, test } from "vitest";
import { throughFetch, throughSdk, throughV2 } from "./drive-langgraph";
import { LANGGRAPH_GRAPHS, V2_GRAPHS } from "./scenarios.mjs";
import { checkLangGraph, checkV2 } from "./steps";

const url = inject("langGraph");

test.concurrent.each(LANGGRAPH_GRAPHS)("plain fetch: %s", async (graph) =>
  checkLangGraph(graph, await throughFetch(url, graph)),
);
test.concurrent.each(LANGGRAPH_GRAPHS)("the SDK: %s", async (graph) =>
  checkLangGraph(graph, await throughSdk(url, graph)),
);
test.concurrent.each(V2_GRAPHS)("protocol v2: %s", async (graph) => checkV2(graph, await throughV2(url, graph)));
