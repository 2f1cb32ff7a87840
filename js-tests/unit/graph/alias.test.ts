// Programs as langgraph.js's docs and tests have them, run against threadfold through an alias.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  Annotation,
  Command,
  END,
  getWriter,
  GraphRecursionError,
  interrupt,
  InvalidUpdateError,
  isInterrupted,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { CompiledStateGraph } from "threadfold/graph";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import * as real from "@langchain/langgraph/web";

vi.mock("@langchain/langgraph", () => import("./alias.js"));

const State = Annotation.Root({
  subjects: Annotation<string[]>,
  jokes: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

test("it is threadfold that runs", () => {
  const graph = new StateGraph(State)
    .addNode("a", () => ({ jokes: ["x"] }))
    .addEdge(START, "a")
    .compile();
  expect(graph).toBeInstanceOf(CompiledStateGraph);
});

test("map and reduce", async () => {
  const graph = new StateGraph(State)
    .addNode("generate", (state: { subject: string }) => ({ jokes: [`Joke about ${state.subject}`] }))
    .addConditionalEdges(START, (state) => state.subjects.map((subject) => new Send("generate", { subject })))
    .addEdge("generate", END)
    .compile();
  const { jokes } = await graph.invoke({ subjects: ["cats", "dogs"] });
  expect(jokes).toEqual(["Joke about cats", "Joke about dogs"]);
});

test("a tool loop with ToolNode", async () => {
  const search = tool(({ query }: { query: string }) => `found ${query}`, {
    name: "search",
    description: "Searches.",
    schema: z.object({ query: z.string() }),
  });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", ({ messages }) =>
      messages.length > 1
        ? { messages: [{ role: "assistant", content: "done" }] }
        : {
            messages: [
              { role: "assistant", content: "", tool_calls: [{ id: "1", name: "search", args: { query: "x" } }] },
            ],
          },
    )
    .addNode("tools", new ToolNode([search]))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) =>
      (messages.at(-1) as { tool_calls?: unknown[] }).tool_calls?.length ? "tools" : END,
    )
    .addEdge("tools", "agent")
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage("find x")] });
  expect(messages.map(({ content }) => content)).toEqual(["find x", "", "found x", "done"]);
});

test("human in the loop", async () => {
  const graph = new StateGraph(State)
    .addNode(
      "ask",
      () => {
        getWriter()?.("asking");
        return new Command({ update: { jokes: [interrupt("More?") as string] }, goto: "end" });
      },
      { ends: ["end"] },
    )
    .addNode("end", () => ({ jokes: ["the end"] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "1" } };
  const asked = await graph.invoke({}, config);
  expect(isInterrupted(asked) && asked.__interrupt__[0]?.value).toBe("More?");
  const parts: unknown[] = [];
  for await (const part of await graph.stream(new Command({ resume: "yes" }), {
    ...config,
    streamMode: ["custom", "updates"],
  }))
    parts.push(part);
  expect(parts).toEqual([
    ["custom", "asking"],
    ["updates", { ask: { jokes: ["yes"] } }],
    ["updates", { end: { jokes: ["the end"] } }],
  ]);
});

test("context that langgraph.js finds by itself: the config of a model, of a graph inside, of a tool", async () => {
  const model = new FakeListChatModel({ responses: ["hi"] });
  const ask = tool(() => interrupt("Sure?") as string, { name: "ask", schema: z.object({}) });
  const asks = new AIMessage({ content: "", tool_calls: [{ id: "1", name: "ask", args: {} }] });
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("tools", new ToolNode([ask]))
    .addEdge(START, "tools")
    .compile();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async () => ({ messages: [await model.invoke("?")] }))
    .addNode("inner", async () => ({ messages: (await inner.invoke({ messages: [asks] })).messages.slice(1) }))
    .addEdge(START, "model")
    .addEdge("model", "inner")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "1" } };
  const tokens: unknown[] = [];
  for await (const [{ content }] of await graph.stream({ messages: [] }, { ...config, streamMode: "messages" }))
    tokens.push(content);
  expect(tokens).toEqual(["h", "i"]);
  const { messages } = await graph.invoke(new Command({ resume: "yes" }), config);
  expect(messages.map(({ content }) => content)).toEqual(["hi", "yes"]);
});

test("errors by their classes and codes", async () => {
  const loop = new StateGraph(State)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .addEdge("a", "a")
    .compile();
  const error: unknown = await loop.invoke({}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GraphRecursionError);
  expect(error).toMatchObject({ name: "GraphRecursionError", lc_error_code: "GRAPH_RECURSION_LIMIT" });
  const two = new StateGraph(State)
    .addNode("a", () => ({ subjects: ["a"] }))
    .addNode("b", () => ({ subjects: ["b"] }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .compile();
  const clash: unknown = await two.invoke({}).catch((thrown: unknown) => thrown);
  expect(clash).toBeInstanceOf(InvalidUpdateError);
  expect(clash).toMatchObject({ lc_error_code: "INVALID_CONCURRENT_GRAPH_UPDATE" });
});

test("shared features have one form", async () => {
  const ours = await import("threadfold/graph");
  const theirs = real as unknown as Record<string, unknown>;
  const shared = Object.entries(ours).filter(([name]) => name in theirs);
  expect(shared.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      "Command",
      "END",
      "INTERRUPT",
      "MemorySaver",
      "Send",
      "START",
      "StateGraph",
      "isInterrupted",
    ]),
  );
  for (const [name, value] of shared) expect(typeof value, name).toBe(typeof theirs[name]);
  expect([ours.START, ours.END, ours.INTERRUPT]).toEqual([real.START, real.END, real.INTERRUPT]);
});

test("a compiled graph has langgraph.js's methods", () => {
  const methods = ["invoke", "stream", "getState", "getStateHistory", "updateState", "bulkUpdateState", "withConfig"];
  const drawing = ["getGraph", "getGraphAsync", "getSubgraphs", "getSubgraphsAsync"];
  const theirs = new real.StateGraph(State)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .compile();
  const ours = new StateGraph(State)
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .compile();
  for (const name of [...methods, ...drawing]) {
    expect(typeof theirs[name as never], name).toBe("function");
    expect(typeof ours[name as never], name).toBe("function");
  }
});
