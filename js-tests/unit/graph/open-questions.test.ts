// A question whose node fails with the answer stays open, side by side with langgraph.js.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import * as ours from "threadfold/graph";
import { expect, test } from "vitest";

/** A node asks, and fails with its answer. */
function ask(interrupt: (value: unknown) => unknown): never {
  throw new Error(`cannot use ${String(interrupt("First?"))}`);
}

const LIBRARIES = {
  "langgraph.js": () =>
    new theirs.StateGraph(theirs.Annotation.Root({ log: theirs.Annotation<string[]>() }))
      .addNode("ask", () => ask(theirs.interrupt))
      .addEdge(theirs.START, "ask")
      .compile({ checkpointer: new theirs.MemorySaver() }),
  threadfold: () =>
    new ours.StateGraph(defineSchema({ log: field.replace<string[]>() }))
      .addNode("ask", (_, { interrupt }) => ask(interrupt))
      .addEdge(ours.START, "ask")
      .compile({ checkpointer: new ours.MemorySaver() }),
};

test.each(Object.entries(LIBRARIES))("%s: a question is open until its node has finished", async (name, made) => {
  const graph = made() as ReturnType<(typeof LIBRARIES)["langgraph.js"]>;
  const { Command } = (name === "threadfold" ? ours : theirs) as unknown as { Command: new (answer: object) => never };
  const config = { configurable: { thread_id: "t" } };
  const open = async () => {
    const { tasks } = await graph.getState(config);
    return tasks.map(({ interrupts, error }) => [interrupts.map(({ value }) => value as unknown), Boolean(error)]);
  };
  await graph.invoke({ log: [] }, config);
  expect(await open()).toEqual([[["First?"], false]]);
  const answer = new Command({ resume: 1 });
  await expect(graph.invoke(answer, config)).rejects.toThrow("cannot use 1");
  expect(await open()).toEqual([[["First?"], true]]);
  // It runs again with the answer that it has.
  await expect(graph.invoke(null, config)).rejects.toThrow("cannot use 1");
  expect(await open()).toEqual([[["First?"], true]]);
});
