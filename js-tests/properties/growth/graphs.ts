// Compiling graphs of many nodes, in the shapes that they have.
import { defineSchema, field } from "threadfold";
import { START, StateGraph } from "threadfold/graph";
import { times } from "./lists.js";
import type { Case } from "./measure.js";

type Builder = StateGraph<unknown, string>;
const schema = defineSchema({ n: field.replace<number>() });
const name = (at: number) => `node${at}`;

const SHAPES: Record<string, (graph: Builder, n: number) => void> = {
  "a chain": (graph, n) => {
    for (let at = 0; at < n; at++) graph.addEdge(at ? name(at - 1) : START, name(at));
  },
  "all from the start": (graph, n) => {
    for (let at = 0; at < n; at++) graph.addEdge(START, name(at));
  },
  "a join of all": (graph, n) => {
    for (let at = 0; at < n - 1; at++) graph.addEdge(START, name(at));
    graph.addEdge(times(n - 1, name), name(n - 1));
  },
  "n joins": (graph, n) => {
    graph.addEdge(START, name(0)).addEdge(START, name(1));
    for (let at = 2; at < n; at++) graph.addEdge([name(at - 2), name(at - 1)], name(at));
  },
  "n conditions that may lead anywhere": (graph, n) => {
    graph.addEdge(START, name(0));
    for (let at = 0; at < n; at++) graph.addConditionalEdges(name(at), () => name(0));
  },
};

const built = (n: number, connect: (graph: Builder, n: number) => void): Builder => {
  const graph = new StateGraph(schema) as unknown as Builder;
  for (let at = 0; at < n; at++) graph.addNode(name(at), () => ({}));
  connect(graph, n);
  return graph;
};

const compiled: Case[] = Object.entries(SHAPES).map(([shape, connect]) => ({
  name: `compile: ${shape}`,
  prepare: (n) => {
    const graph = built(n, connect);
    return () => graph.compile();
  },
}));

/** Ten edges from each node. */
const drawn: Case = {
  name: "drawMermaid: 10 n edges",
  from: 400,
  prepare: (n) => {
    const graph = built(n, (graph, n) => {
      graph.addEdge(START, name(0));
      for (let at = 0; at < n; at++)
        for (const step of times(10, (one) => one + 1)) graph.addEdge(name(at), name((at + step) % n));
    }).compile();
    return () => graph.drawMermaid();
  },
};

export const graphs: Case[] = [...compiled, drawn];
