// Compiling graphs of many nodes, in the shapes that they have; and running them.
import "fake-indexeddb/auto";
import { defineSchema, field } from "threadfold";
import { END, IndexedDBSaver, MemorySaver, START, StateGraph } from "threadfold/graph";
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

const counting = defineSchema({ n: field.replace<number>(), log: field.append<number>() });

/** A node that calls itself until it has run so often. */
const loop = (n: number, checkpointer: MemorySaver | IndexedDBSaver) =>
  new StateGraph(counting)
    .addNode("count", ({ n = 0 }) => ({ n: n + 1, log: [n] }))
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n: at = 0 }) => (at < n ? "count" : END), ["count", END])
    .compile({ checkpointer, recursionLimit: 1e6 });

const THREAD = { threadId: "t" };
let databases = 0;

const run: Case[] = [
  {
    name: "run: n graphs in one another",
    prepare: (n) => {
      let graph = new StateGraph(counting)
        .addNode("count", () => ({ n: 1 }))
        .addEdge(START, "count")
        .compile();
      for (let depth = 1; depth < n; depth++)
        graph = new StateGraph(counting).addNode("inner", graph).addEdge(START, "inner").compile();
      return () => graph.invoke({ n: 0 });
    },
  },
  {
    name: "run: n steps that each add to a list, over a MemorySaver",
    prepare: (n) => {
      const graph = loop(n, new MemorySaver());
      return () => graph.invoke({ n: 0 }, THREAD);
    },
  },
  {
    name: "getState: a list that grew by n steps, from IndexedDB",
    // Filling it takes longer.
    most: 400,
    prepare: async (n) => {
      const name = `growth-${databases++}`;
      await loop(n, new IndexedDBSaver({ name })).invoke({ n: 0 }, THREAD);
      const graph = loop(n, new IndexedDBSaver({ name }));
      return () => graph.getState(THREAD);
    },
  },
  {
    name: "getStateHistory: n steps, over a MemorySaver",
    prepare: async (n) => {
      const graph = new StateGraph(schema)
        .addNode("count", ({ n = 0 }) => ({ n: n + 1 }))
        .addEdge(START, "count")
        .addConditionalEdges("count", ({ n: at = 0 }) => (at < n ? "count" : END), ["count", END])
        .compile({ checkpointer: new MemorySaver(), recursionLimit: 1e6 });
      await graph.invoke({ n: 0 }, THREAD);
      return async () => {
        for await (const { next } of graph.getStateHistory(THREAD)) void next;
      };
    },
  },
];

export const graphs: Case[] = [...compiled, drawn, ...run];
