// The fields of a graph's state that a LangGraph server sends: those of the output in runs, all of them in a thread's
// state.
import * as theirs from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import * as own from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const { Annotation } = theirs;
const last = () => Annotation<number>();

const GRAPHS = {
  "langgraph.js": () =>
    new theirs.StateGraph({
      state: Annotation.Root({ question: last(), answer: last(), scratch: last() }),
      output: Annotation.Root({ answer: last() }),
    })
      .addNode("a", ({ question }) => ({ scratch: question * 2 }))
      .addNode("b", ({ scratch }) => ({ answer: scratch + 1 }))
      .addEdge("__start__", "a")
      .addEdge("a", "b")
      .compile({ checkpointer: new theirs.MemorySaver() }),
  "threadfold/graph": () => {
    const answer = field.replace<number>();
    const question = field.replace<number>();
    const scratch = field.replace<number>({ private: true });
    return new own.StateGraph(defineSchema({ question, answer, scratch }), { output: defineSchema({ answer }) })
      .addNode("a", ({ question = 0 }) => ({ scratch: question * 2 }))
      .addNode("b", ({ scratch = 0 }) => ({ answer: scratch + 1 }))
      .addEdge("__start__", "a")
      .addEdge("a", "b")
      .compile({ checkpointer: new own.MemorySaver() });
  },
};

test.each(Object.entries(GRAPHS))("%s: a run tells its output, a state all", async (_, make) => {
  const handler = serveLangGraph(make());
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch } });
  const { thread_id } = await client.threads.create();
  const parts: [string, unknown][] = [];
  const streamMode: ("values" | "updates")[] = ["values", "updates"];
  for await (const { event, data } of client.runs.stream(thread_id, "agent", { input: { question: 2 }, streamMode }))
    if (event !== "metadata") parts.push([event, data]);
  expect(parts).toEqual([
    ["values", {}],
    ["updates", { a: {} }],
    ["values", {}],
    ["updates", { b: { answer: 5 } }],
    ["values", { answer: 5 }],
  ]);
  expect(await client.runs.wait(thread_id, "agent", { input: { question: 3 } })).toEqual({ answer: 7 });
  expect((await client.threads.getState(thread_id)).values).toEqual({ question: 3, scratch: 6, answer: 7 });
});
