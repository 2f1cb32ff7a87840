// Defaults of a graph's nodes, and what LangGraph's server says about a run: beside langgraph.js.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import * as ours from "threadfold/graph";
import { expect, test } from "vitest";

const Theirs = theirs.Annotation.Root({
  log: theirs.Annotation<string[]>({ reducer: (log, more) => [...log, ...more], default: () => [] }),
});
const Ours = defineSchema({ log: field.append<string>() });

type Handled = { node: string; error: Error };

const fails = (message: string) => () => {
  throw new Error(message);
};

/** Two nodes that fail at once, one with a handler of its own after them. */
function build({ StateGraph, START }: typeof theirs, state: unknown) {
  return new StateGraph(state as typeof Theirs)
    .setNodeDefaults({
      errorHandler: ((_: object, { node, error }: Handled) => ({ log: [`${node}: ${error.message}`] })) as never,
    })
    .addNode("a", fails("A"))
    .addNode("b", fails("B"))
    .addNode("c", () => ({ log: ["c"] }))
    .addNode("d", fails("D"), { errorHandler: (() => ({ log: ["its own"] })) as never })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge(START, "c")
    .addEdge("c", "d")
    .compile();
}

async function partsOf(graph: ReturnType<typeof build>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of await graph.stream({ log: ["in"] }, { streamMode: ["updates", "values"] }))
    parts.push(JSON.parse(JSON.stringify([...part])));
  return parts;
}

test("a default error handler runs for the nodes without one", async () => {
  const parts = await partsOf(build(ours as never, Ours));
  expect(parts).toEqual(await partsOf(build(theirs, Theirs)));
  expect(parts.at(-1)).toEqual(["values", { log: ["in", "a: A", "b: B", "c", "its own"] }]);
});

test("the server's data is in the configurable, or else in the metadata", async () => {
  const seen: unknown[] = [];
  const graph = new ours.StateGraph(Ours)
    .addNode("a", (_, { serverInfo }) => {
      seen.push(serverInfo);
      return {};
    })
    .addEdge(ours.START, "a")
    .compile();
  const metadata = { assistant_id: "m", graph_id: "g" };
  await graph.invoke({ log: [] }, { metadata });
  await graph.invoke({ log: [] }, { metadata, configurable: { assistant_id: "c" } });
  await graph.invoke({ log: [] });
  expect(seen).toEqual([{ assistantId: "m", graphId: "g" }, { assistantId: "c", graphId: "g" }, undefined]);
});
