// A run lets the event loop turn, however quick its nodes are: a page draws, a server answers others.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, Send, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";

const schema = defineSchema({ n: field.replace<number>(), log: field.append<number>() });

/** Keeps the processor for a millisecond. */
function busy(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

/** How often the event loop turns during `work`, whose busy parts take 60 ms in all. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

const counting = (checkpointer?: MemorySaver) =>
  new StateGraph(schema)
    .addNode("count", ({ n = 0 }) => {
      busy();
      return { n: n + 1 };
    })
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n = 0 }) => (n < 60 ? "count" : END), ["count", END])
    .compile({ ...(checkpointer && { checkpointer }), recursionLimit: 100 });

test("between the steps of synchronous nodes", async () => {
  expect(await turnsDuring(() => counting().invoke({ n: 0 }))).toBeGreaterThanOrEqual(3);
});

test("over a saver in memory, too", async () => {
  const graph = counting(new MemorySaver());
  expect(await turnsDuring(() => graph.invoke({ n: 0 }, { threadId: "t" }))).toBeGreaterThanOrEqual(3);
});

test("inside a graph inside", async () => {
  const graph = new StateGraph(schema).addNode("inner", counting()).addEdge(START, "inner").compile();
  expect(await turnsDuring(() => graph.invoke({ n: 0 }))).toBeGreaterThanOrEqual(3);
});

test("among the many tasks of a step, with none lost", async () => {
  const graph = new StateGraph(schema)
    .addNode("work", ({ n }: { n: number }) => {
      busy();
      return { log: [n] };
    })
    .addConditionalEdges(START, () => Array.from({ length: 60 }, (_, n) => new Send("work", { n })))
    .compile();
  let log: readonly number[] = [];
  const turns = await turnsDuring(async () => ({ log } = await graph.invoke({ n: 0 })));
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(log).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test("between the states of a history", async () => {
  const graph = counting(new MemorySaver());
  await graph.invoke({ n: 0 }, { threadId: "t" });
  let states = 0;
  const turns = await turnsDuring(async () => {
    for await (const { values } of graph.getStateHistory({ threadId: "t" })) {
      busy();
      if (values.n !== undefined) states++;
    }
  });
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(states).toBe(61);
});

test("a run that is stopped meanwhile ends", async () => {
  const stop = new AbortController();
  const graph = new StateGraph(schema)
    .addNode("count", ({ n = 0 }) => ({ n: n + 1 }))
    .addEdge(START, "count")
    .addEdge("count", "count")
    .compile({ recursionLimit: 1e9 });
  setTimeout(() => stop.abort(new Error("stopped")), 30);
  await expect(graph.invoke({ n: 0 }, { signal: stop.signal })).rejects.toThrow("stopped");
});

test("siblings whose graphs pause end in the order in which they began", async () => {
  const ended: number[] = [];
  const inner = new StateGraph(schema)
    .addNode("count", ({ n = 0 }) => {
      busy();
      return { n: n + 1 };
    })
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ n = 0 }) => (n % 20 > 0 ? "count" : END), ["count", END])
    .compile({ recursionLimit: 100 });
  const graph = new StateGraph(schema)
    .addNode("run", async ({ n }: { n: number }, ctx) => {
      await inner.invoke({ n: 100 * n }, ctx);
      ended.push(n);
      return {};
    })
    .addConditionalEdges(START, () => [1, 2, 3].map((n) => new Send("run", { n })))
    .compile();
  await graph.invoke({ n: 0 });
  expect(ended).toEqual([1, 2, 3]);
});

test("a thousand graphs in one another fit on the stack", async () => {
  let graph = new StateGraph(schema)
    .addNode("count", () => ({ n: 1 }))
    .addEdge(START, "count")
    .compile();
  for (let depth = 0; depth < 1000; depth++)
    graph = new StateGraph(schema).addNode("inner", graph).addEdge(START, "inner").compile();
  expect((await graph.invoke({ n: 0 })).n).toBe(1);
});
