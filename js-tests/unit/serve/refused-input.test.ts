// A thread whose graph refuses another client's input, beside the page that shows it.
import { MemorySaver as TheirSaver } from "@langchain/langgraph";
import { defineSchema, field, Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const texts = (thread: Thread) => thread.getState().messages.map(({ content }) => content);

test.each([
  ["threadfold", () => new MemorySaver()],
  ["langgraph.js", () => new TheirSaver() as unknown as MemorySaver],
])("its last state before that is shown, and can be gone on from: a saver of %s", async (_, saver) => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => ({ messages: [{ type: "ai", content: `${messages.length} heard` }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver() });
  const handler = serveLangGraph(graph);
  const fetch: typeof globalThis.fetch = (url, init) => handler(new Request(url as string, init));
  const options = { apiUrl: "http://localhost", assistantId: "agent", fetch };
  const open = (threadId?: string) => new LangGraphRunner(new Thread({ threadId }), options);
  const get = async (path: string) => {
    const response = await fetch(`http://localhost/threads/${path}`);
    return [response.status, (await response.json()) as { values?: { messages: unknown[] } }] as const;
  };

  const first = open();
  await first.sendMessage("Hi");
  const id = first.thread.threadId as string;
  const body = JSON.stringify({ assistant_id: "agent", input: { messages: [{ foo: 1 }] } });
  const headers = { "content-type": "application/json" };
  await (await fetch(`http://localhost/threads/${id}/runs/wait`, { method: "POST", headers, body })).text();

  for (const path of [id, `${id}/state`]) {
    const [status, told] = await get(path);
    expect([status, told.values?.messages.length]).toEqual([200, 2]);
  }
  const second = open(id);
  expect(await second.load()).toMatchObject({ status: "finished" });
  expect(texts(second.thread)).toEqual(["Hi", "1 heard"]);
  const [messageId] = first.thread.messageIds;
  expect(await first.sendMessage("Hello", { messageId })).toMatchObject({ status: "finished" });
  expect(texts(first.thread)).toEqual(["Hello", "1 heard"]);
  expect((await get(`${id}/state`))[0]).toBe(200);
});
