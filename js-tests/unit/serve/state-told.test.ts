// The states that graphEvents sends: a client, which has JSON, gets the graph's state as JSON has it.
import { AIMessage } from "@langchain/core/messages";
import { applyPatch, defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";
import { graphEvents } from "../../support/graph-events";

const kept = { deep: [1, { two: 2 }] };
const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  "a number": () => 1,
  NaN: () => NaN,
  "a text": () => "text",
  "a date": () => new Date(0),
  "another date": () => new Date(1),
  "a date inside": () => ({ at: new Date(0), kept }),
  "another date inside": () => ({ at: new Date(1), kept }),
  "an object": () => ({ at: { a: 1 }, kept }),
  "undefined inside": () => ({ at: undefined, kept }),
  "a list": () => [1, 2],
  "a list with undefined": () => [1, undefined, 3],
  "a URL": () => new URL("http://a/"),
  "a message": () => new AIMessage({ id: "1", content: "x" }),
  "another message": () => new AIMessage({ id: "2", content: "y" }),
  "a map": () => new Map([[1, 2]]),
  "a function": () => () => 1,
  "a number in a box": () => Object(1) as unknown,
  "an object without a prototype": () => Object.assign(Object.create(null) as object, { a: 1 }),
  "an object with a value": () => ({ valueOf: () => 1, b: 2 }),
  "a key with slashes": () => ({ "a/b~c": 1, "": 2 }),
};

test.each(Object.keys(VALUES))("%s, then anything", async (from) => {
  for (const to of Object.keys(VALUES)) await comparesTo(from, to);
});

async function comparesTo(from: string, to: string): Promise<void> {
  const graph = new StateGraph(defineSchema({ x: field.replace(), other: field.replace() }))
    .addNode("a", () => ({ x: VALUES[from]?.() }))
    .addNode("b", () => ({ x: VALUES[to]?.(), other: 1 }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: new MemorySaver() });
  let state: unknown = {};
  for await (const event of graphEvents(graph, { threadId: "t", runId: "r", messages: [] })) {
    const heard = JSON.parse(JSON.stringify(event)) as { type: string; snapshot?: unknown; delta?: never };
    expect(heard.type).not.toBe("RUN_ERROR");
    if (heard.type === "STATE_SNAPSHOT") state = heard.snapshot;
    if (heard.type === "STATE_DELTA") state = applyPatch(state, heard.delta as never);
  }
  const { values } = await graph.getState({ threadId: "t" });
  const { x } = values;
  const dict = x instanceof AIMessage && {
    x: { ...(state as { x: object }).x, type: "ai", content: x.content, id: x.id },
  };
  expect(state, `${from}, then ${to}`).toEqual({ ...(JSON.parse(JSON.stringify(values)) as object), ...dict });
}

test("JSON is sent as it is, and costs only its changes", async () => {
  const list = Array.from({ length: 1000 }, (_, at) => ({ at }));
  const graph = new StateGraph(defineSchema({ big: field.replace<object>(), n: field.replace<number>() }))
    .addNode("a", () => ({ big: { list }, n: 1 }))
    .addNode("b", ({ big }) => ({ big: { ...big, more: new Date(0) }, n: 2 }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .compile();
  const told: unknown[] = [];
  for await (const event of graphEvents(graph, { threadId: "t", runId: "r", messages: [] }))
    if (event.type.startsWith("STATE")) told.push(event);
  expect((told[0] as { snapshot: { big: { list: unknown } } }).snapshot.big.list).toBe(list);
  expect(told.slice(1)).toEqual([
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/big/more", value: "1970-01-01T00:00:00.000Z" },
        { op: "replace", path: "/n", value: 2 },
      ],
    },
  ]);
});
