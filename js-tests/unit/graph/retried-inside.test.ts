// Graphs inside a node that is tried again: each continues where it failed, as in Python.
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { describe, expect, test } from "vitest";

const schema = defineSchema({ log: field.append<string>() });
const retryPolicy = { initialInterval: 0, jitter: false, maxAttempts: 3, retryOn: () => true };
const thread = { threadId: "1" };

/** A graph of two nodes, whose second one fails at first. */
function flaky(options: object = {}) {
  const ran: string[] = [];
  let failures = 1;
  const graph = new StateGraph(schema)
    .addNode("a", () => ({ log: [ran.push("a") ? "a" : ""] }))
    .addNode("b", async () => {
      ran.push("b");
      if (failures-- > 0) throw new Error("flaky");
      return { log: ["b"] };
    })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile(options);
  return { graph, ran };
}

const around = (node: unknown) =>
  new StateGraph(schema)
    .addNode("node", node as never, { retryPolicy })
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() });

describe.each(["async", "sync", "exit"] as const)("with durability %s", (durability) => {
  test("one that is the node continues", async () => {
    const { graph, ran } = flaky();
    const { log } = await around(graph).invoke({ log: ["in"] }, { ...thread, durability });
    expect(log).toEqual(["in", "in", "a", "b"]);
    expect(ran).toEqual(["a", "b", "b"]);
  });

  test("one that a node calls continues", async () => {
    const { graph, ran } = flaky();
    const outer = around(async (_: object, ctx: never) => ({ log: (await graph.invoke({ log: ["in"] }, ctx)).log }));
    expect((await outer.invoke({}, { ...thread, durability })).log).toEqual(["in", "a", "b"]);
    expect(ran).toEqual(["a", "b", "b"]);
  });
});

test("one that has ended is not run again, and the next begins with its input", async () => {
  const [first, second] = [flaky(), flaky()];
  const outer = around(async (_: object, ctx: never) => {
    const one = await first.graph.invoke({ log: ["1"] }, ctx);
    return { log: [...one.log, ...(await second.graph.invoke({ log: ["2"] }, ctx)).log] };
  });
  expect((await outer.invoke({}, thread)).log).toEqual(["1", "a", "b", "2", "a", "b"]);
  expect([first.ran, second.ran]).toEqual([
    ["a", "b", "b"],
    ["a", "b", "b"],
  ]);
});

test("one that keeps its state takes its input, if no earlier attempt began it", async () => {
  const kept = new StateGraph(schema)
    .addNode("a", () => ({ log: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: true });
  let attempts = 0;
  const outer = around(async (_: object, ctx: { attempt: number }) => {
    if (++attempts === 2) throw new Error("flaky");
    return { log: (await kept.invoke({ log: [`in ${attempts}`] }, ctx as never)).log };
  });
  await outer.invoke({}, thread);
  const { log } = await outer.invoke({}, thread);
  expect(log.slice(2)).toEqual(["in 1", "a", "in 3", "a"]);
});
