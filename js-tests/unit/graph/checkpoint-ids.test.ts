// The checkpoint that a config names.
import { MemorySaver as TheirSaver } from "@langchain/langgraph";
import { field, defineSchema } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, type Loose } from "./beside-langgraph.js";

const thread = { configurable: { thread_id: "t" } };
const graphOf = (checkpointer: Loose): Loose =>
  new StateGraph(defineSchema({ log: field.append<string>() }))
    .addNode("a", () => ({ log: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer });

describe("a checkpoint_id that is not a string", () => {
  const refused = { code: "INVALID_ARGUMENT", message: expect.stringContaining("checkpoint_id to be a string") };
  test.each([5, {}, true, ["1"]])("is refused: %j", async (checkpoint_id) => {
    const config = { configurable: { thread_id: "t", checkpoint_id } };
    for (const saver of [new MemorySaver(), new TheirSaver()]) {
      const graph = graphOf(saver);
      await graph.invoke({ log: ["in"] }, thread);
      const before = await all(graph.getStateHistory(thread));
      await expect(graph.invoke({ log: ["again"] }, config)).rejects.toMatchObject(refused);
      await expect(all(graph.stream(null, config))).rejects.toMatchObject(refused);
      await expect(graph.getState(config)).rejects.toMatchObject(refused);
      await expect(graph.updateState(config, { log: ["by hand"] })).rejects.toMatchObject(refused);
      expect(await all(graph.getStateHistory(thread))).toEqual(before);
    }
    await expect(new MemorySaver().getTuple(config as never)).rejects.toMatchObject(refused);
  });
});
