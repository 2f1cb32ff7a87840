// A thread after an input that the graph refused: servers read it as before that, and it goes on. With graphs of both libraries.
import {
  Annotation,
  MemorySaver as TheirSaver,
  MessagesAnnotation,
  StateGraph as TheirGraph,
} from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";

const answer = { messages: [{ type: "ai" as const, content: "Hello" }] };

const ours = () =>
  new StateGraph(defineSchema({ messages: field.messages(), log: field.append<string>() }))
    .addNode("answer", () => answer)
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });

const log = Annotation<string[]>({
  reducer: (list, more) => {
    if (!Array.isArray(more)) throw new Error("log should be a list.");
    return list.concat(more);
  },
  default: () => [],
});
const theirs = () =>
  new TheirGraph(Annotation.Root({ ...MessagesAnnotation.spec, log }))
    .addNode("answer", () => answer as never)
    .addEdge("__start__", "answer")
    .compile({ checkpointer: new TheirSaver() });

async function asked(handler: FetchHandler, path: string, body?: object) {
  const init = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await handler(new Request(`http://localhost${path}`, init));
  return { status: response.status, text: await response.text() };
}

describe.each([
  ["threadfold", ours],
  ["langgraph.js", theirs],
] as const)("a graph of %s", (_, graph) => {
  test.each([false, true])("over AG-UI, a thread with messages: %s", async (hasMessages) => {
    const handler = serveAgUi(graph() as never, { resumable: true });
    let runs = 0;
    const run = (content: string | undefined, state: object = {}) => {
      const runId = `r${++runs}`;
      const messages = content === undefined ? [] : [{ id: runId, role: "user", content }];
      return asked(handler, "/agent", { threadId: "t", runId, messages, state });
    };
    if (hasMessages) await run("First");
    expect((await run("Lost", { log: "none" })).text).toContain("log should be a list.");
    const { status, text } = await asked(handler, "/threads/t");
    expect([status, text.includes("First"), text.includes("Lost")]).toEqual([200, hasMessages, false]);

    expect((await run("Second", { log: ["a"] })).text).toContain("RUN_FINISHED");
    const after = await asked(handler, "/threads/t");
    expect(after.status).toBe(200);
    expect(after.text.match(/First|Lost|Second|Hello/g)).toEqual(
      hasMessages ? ["First", "Hello", "Second", "Hello"] : ["Second", "Hello"],
    );
  });

  test("over LangGraph's API", async () => {
    const handler = serveLangGraph(graph() as never);
    const run = (content: string, log: unknown) =>
      asked(handler, "/threads/t/runs/wait", {
        assistant_id: "agent",
        input: { messages: [{ type: "human", content }], log },
      });
    await run("First", ["a"]);
    expect((await run("Lost", "none")).text).toContain("log should be a list.");
    expect((await asked(handler, "/threads/t/history", {})).status).toBe(200);
    expect((await run("Second", ["b"])).text.match(/First|Lost|Second|Hello/g)).toEqual([
      ...["First", "Hello", "Second", "Hello"],
    ]);
  });
});

test.each([
  ["tools", { tools: "interrupt" }],
  ["tools", { tools: [null] }],
  ["context", { context: { description: "d", value: "v" } }],
  ["messages", { messages: [{ id: "a", role: "assistant", content: "", toolCalls: "none" }] }],
  ["messages", { messages: [{ id: "a", role: "assistant", content: "", toolCalls: [1] }] }],
])("an input whose %s has another form is refused, by name and at once: %o", async (name, part) => {
  const handler = serveAgUi(ours());
  const run = (more: object) => asked(handler, "/agent", { threadId: "t", runId: "r", messages: [], ...more });
  expect((await run({ messages: [{ id: "q", role: "user", content: "Hi" }] })).status).toBe(200);
  const { status, text } = await run(part);
  expect([status, text]).toEqual([400, expect.stringContaining(`A run's input needs ${name}: a list`)]);
  // None counts as an empty list.
  const nothing = { tools: null, context: null, messages: [{ id: "q", role: "user", content: "Hi", toolCalls: null }] };
  expect((await run(nothing)).text).not.toContain("RUN_ERROR");
});
