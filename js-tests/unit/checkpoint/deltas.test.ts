// Fields of langgraph.js's DeltaChannel: its savers keep the writes, and the whole value only now and then.
import { Annotation, DeltaChannel, MemorySaver, Send } from "@langchain/langgraph";
import { END, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";

const config = { configurable: { thread_id: "1" }, recursionLimit: 1e6 };

/** A log that is saved whole after so many updates. */
const fields = (snapshotFrequency: number) =>
  Annotation.Root({
    log: () => new DeltaChannel((log: string[], more: string[][]) => log.concat(...more), { snapshotFrequency }),
    n: Annotation<number>,
  } as never) as never;

/** Runs a node so often, and returns how many bytes of it are kept then. */
async function stored(steps: number, frequency: number) {
  const saver = new MemorySaver();
  let calls = 0;
  const graph = new StateGraph(fields(frequency))
    .addNode("a", () => ({ log: [`${++calls}`.padStart(40, "0")], n: calls }) as never)
    .addEdge(START, "a")
    .addConditionalEdges("a", () => (calls < steps ? "a" : END), ["a", END])
    .compile({ checkpointer: saver });
  await graph.invoke({ log: ["in"] } as never, config);
  const kept = Object.values(saver.storage["1"]?.[""] ?? {});
  const bytes = kept.reduce((sum, [checkpoint]) => sum + checkpoint.length, 0);
  return { graph, bytes };
}

test("bytes grow with the steps, and each state is as it was", async () => {
  const [small, large] = [await stored(100, 20), await stored(400, 20)];
  // Twenty whole values, up to four times as long; every step's would be sixteen times as much.
  const all = await stored(400, 1);
  expect(large.bytes / all.bytes).toBeLessThan(0.1);
  expect(large.bytes / small.bytes).toBeLessThan(8);
  const lengths: number[] = [];
  for await (const { values } of large.graph.getStateHistory(config, { limit: 60 }))
    lengths.push((values as { log: string[] }).log.length);
  expect(lengths).toEqual(Array.from({ length: 60 }, (_, at) => 401 - at));
});

test("writes of several tasks in one step come back in their order", async () => {
  const saver = new MemorySaver();
  const graph = new StateGraph(fields(1_000))
    .addNode("plan", () => {})
    .addNode("work", ({ item }: { item: number }) => ({ log: [`${item}`] }) as never)
    .addEdge(START, "plan")
    .addConditionalEdges("plan", () => Array.from({ length: 9 }, (_, item) => new Send("work", { item })) as never, [
      "work",
    ])
    .compile({ checkpointer: saver });
  const { log } = (await graph.invoke({ log: ["in"] } as never, config)) as { log: string[] };
  expect(log).toEqual(["in", "0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  expect((await graph.getState(config)).values).toMatchObject({ log });
});

test("an input that gives up what a task wrote gives it up for good", async () => {
  const saver = new MemorySaver();
  let fails = true;
  const graph = new StateGraph(fields(1_000))
    .addNode("a", () => ({ log: ["a"] }) as never)
    .addNode("b", async () => {
      await new Promise((resolve) => void setTimeout(resolve, 10));
      if (fails) throw new Error("not yet");
    })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ log: ["first"] } as never, config)).rejects.toThrow("not yet");
  fails = false;
  const ended = await graph.invoke({ log: ["second"] } as never, config);
  expect(ended).toMatchObject({ log: ["first", "second", "a"] });
  expect((await graph.getState(config)).values).toEqual(ended);
});
