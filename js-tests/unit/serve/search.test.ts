// The cost of a search for threads depends on its page, not on the threads' lengths.
import { MemorySaver as TheirSaver } from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { type CheckpointSaver, END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

/** A server whose saver has threads of three runs each. */
async function served(saver: CheckpointSaver) {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({ messages: [{ type: "ai", content: "Hello" }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
  for (const threadId of ["a", "b", "c", "d"])
    for (const text of ["Hi", "And again", "Bye"]) await graph.invoke({ messages: text }, { threadId });
  const handler = serveLangGraph(graph);
  return async (query: object) => {
    const init = { method: "POST", body: JSON.stringify(query) };
    const response = await handler(new Request("http://localhost/threads/search", init));
    const found = (await response.json()) as { thread_id: string; values: { messages: object[] } }[];
    return found.map(({ thread_id, values }) => `${thread_id}: ${values.messages.length}`);
  };
}

test("a saver that lists its threads is asked for the states of the page, and for no other checkpoint", async () => {
  const saver = new MemorySaver();
  const search = await served(saver);
  const asked: unknown[] = [];
  const load = saver.getTuple.bind(saver);
  saver.getTuple = (config) => (asked.push(config.configurable?.["thread_id"]), load(config));
  saver.list = () => {
    throw new Error("The search lists checkpoints.");
  };
  expect(await search({ limit: 2 })).toEqual(["d: 6", "c: 6"]);
  expect([...new Set(asked)].toSorted()).toEqual(["c", "d"]);
  expect(await search({ limit: 2, offset: 2 })).toEqual(["b: 6", "a: 6"]);
});

test("of another saver the threads are those of its checkpoints, unless it is given the method", async () => {
  const saver = new TheirSaver() as CheckpointSaver;
  const search = await served(saver);
  expect(await search({})).toEqual(["d: 6", "c: 6", "b: 6", "a: 6"]);
  saver.listThreads = () =>
    ["b", "d"].map((threadId, at) => ({ threadId, createdAt: `2026-01-0${at + 1}`, updatedAt: "2026-02-01" }));
  expect(await search({})).toEqual(["d: 6", "b: 6"]);
});
