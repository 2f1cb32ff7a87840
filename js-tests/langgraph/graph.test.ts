// Threadfold's reducer in graphs of langgraph.js, beside langgraph's own.
import { AIMessage, HumanMessage, RemoveMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Annotation, END, MessagesValue, messagesStateReducer, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { addMessages, messagesValue } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { normalMessages } from "../conformance/normal-form.js";

type Write = () => unknown;

/** What the nodes of a graph write, one after the other: made anew for each graph, which may change what it is given. */
const WRITES: Write[] = [
  () => [new AIMessage({ id: "a1", content: "", tool_calls: [{ id: "c1", name: "find", args: { q: "x" } }] })],
  () => new ToolMessage({ id: "t1", tool_call_id: "c1", content: "found" }),
  () => [{ role: "assistant", id: "a2", content: "Here" }, { type: "human", id: "h2", content: "More" }],
  () => [new AIMessage({ id: "a2", content: "Here it is" }), new RemoveMessage({ id: "h2" })],
  () => [["user", "A pair"], "A text"],
  () => [new RemoveMessage({ id: "h1" })],
];

const INPUT = () => ({ messages: [new HumanMessage({ id: "h1", content: "Find it" })] });

interface Runnable {
  invoke(input: object): Promise<{ messages: unknown[] }>;
}

/** A graph that writes what is in WRITES, over this state. */
function graphOf(state: unknown, writes: Write[]): Runnable {
  const graph = new StateGraph(state as never) as unknown as {
    addNode(name: string, node: () => object): void;
    addEdge(from: string, to: string): void;
    compile(): Runnable;
  };
  for (const [at, write] of writes.entries()) {
    graph.addNode(`n${at}`, () => ({ messages: write() }));
    graph.addEdge(at === 0 ? START : `n${at - 1}`, `n${at}`);
  }
  graph.addEdge(`n${writes.length - 1}`, END);
  return graph.compile();
}

const annotated = (reducer: (left: BaseMessage[], right: never) => BaseMessage[]) =>
  Annotation.Root({ messages: Annotation<BaseMessage[], never>({ reducer, default: () => [] }) });

const STATES: [name: string, ours: unknown, theirs: unknown][] = [
  ["Annotation", annotated(addMessages as never), annotated(messagesStateReducer as never)],
  ["StateSchema", new StateSchema({ messages: messagesValue }), new StateSchema({ messages: MessagesValue })],
];

test.each(STATES)("a graph over %s comes to what langgraph's own reducer comes to", async (_name, ours, theirs) => {
  for (let length = 1; length <= WRITES.length; length++) {
    const writes = WRITES.slice(0, length);
    const { messages } = await graphOf(ours, writes).invoke(INPUT());
    const expected = await graphOf(theirs, writes).invoke(INPUT());
    expect(normalMessages(messages)).toEqual(normalMessages(expected.messages));
  }
});

test.each(STATES)("a graph over %s refuses to remove what is not there", async (_name, ours, theirs) => {
  const writes = [() => [new RemoveMessage({ id: "nobody" })]];
  await expect(graphOf(theirs, writes).invoke(INPUT())).rejects.toThrow("nobody");
  await expect(graphOf(ours, writes).invoke(INPUT())).rejects.toThrow("Attempting to delete a message with an ID that doesn't exist ('nobody')");
});

test("a StateSchema knows the field's reducer, default and JSON schema", () => {
  const schema = new StateSchema({ messages: messagesValue });
  expect(schema.getJsonSchema()).toMatchObject({ properties: { messages: { type: "array", langgraph_type: "messages" } } });
  expect(schema.getJsonSchema()).toHaveProperty("required", undefined);
});
