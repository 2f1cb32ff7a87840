// A run that ends with several questions, of nodes that run at once and of graphs inside: `runs.wait` has all of them.
import { Client } from "@langchain/langgraph-sdk";
import { field, defineSchema } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const state = () => defineSchema({ log: field.append<string>() });
const asks =
  (name: string) =>
  (_: object, { interrupt }: { interrupt: (value: unknown) => unknown }) => ({
    log: [`${name}: ${String(interrupt(`${name}?`))}`],
  });

test("all interrupts are in the result of runs.wait", async () => {
  const inner = new StateGraph(state()).addNode("c", asks("c")).addEdge(START, "c").compile();
  const graph = new StateGraph(state())
    .addNode("a", asks("a"))
    .addNode("b", asks("b"))
    .addNode("inner", inner)
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge(START, "inner")
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph(graph);
  const client = new Client({
    apiUrl: "http://localhost",
    callerOptions: { fetch: ((url: string, init: RequestInit) => handler(new Request(url, init))) as never },
  });
  const { thread_id } = await client.threads.create();
  const asked = (await client.runs.wait(thread_id, "agent", { input: { log: ["go"] } })) as {
    log: string[];
    __interrupt__: { id: string; value: string }[];
  };
  expect(asked.__interrupt__.map(({ value }) => value).sort()).toEqual(["a?", "b?", "c?"]);
  const resume = Object.fromEntries(asked.__interrupt__.map(({ id, value }) => [id, value.slice(0, 1).toUpperCase()]));
  const done = (await client.runs.wait(thread_id, "agent", { command: { resume } })) as { log: string[] };
  // The inner graph's log is added to the outer one.
  expect(done.log.sort()).toEqual(["a: A", "b: B", "c: C", "go", "go"]);
  expect(done).not.toHaveProperty("__interrupt__");
});
