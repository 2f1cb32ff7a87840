// A server that marks a run's end is not asked whether the run is over.
import { defineSchema, field, Thread } from "threadfold";
import { StateGraph, MemorySaver } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const graph = () =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("reply", () => ({ messages: [{ type: "ai" as const, id: "a", content: "Hello" }] }))
    .addEdge("__start__", "reply")
    .compile({ checkpointer: new MemorySaver() });

/** Runs once, and returns the requests. `cut` shortens the stream's text. */
async function requests(cut = (text: string) => text) {
  const serve = serveLangGraph(graph());
  const asked: string[] = [];
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, {
    apiUrl: "http://localhost",
    assistantId: "agent",
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname.replaceAll(/[0-9a-f-]{36}/g, "…")}`);
      const response = await serve(request);
      if (!pathname.endsWith("/runs/stream")) return response;
      return new Response(cut(await response.text()), response);
    },
  });
  await runner.sendMessage("Hi");
  return { asked, thread };
}

test("the end is marked", async () => {
  const { asked, thread } = await requests();
  expect(thread.doubts).toEqual([]);
  expect(thread.getState().messages.map(({ id }) => id)).toContain("a");
  expect(asked.slice(0, 2)).toEqual(["POST /threads", "POST /threads/…/runs/stream"]);
  expect(asked.filter((request) => request.startsWith("GET"))).toEqual([]);
});

test("a stream without that mark may be cut", async () => {
  const { asked } = await requests((text) =>
    text.replace(/event: updates\n[^\n]*\n?data: [^\n]*"end":true[^]*?\n\n/, ""),
  );
  expect(asked).toContain("GET /threads/…/runs/…");
});

test("a stream that ends between two parts, as if it were over, leaves a doubt", async () => {
  const whole = (await requests()).thread.getState().messages.map(({ content }) => content);
  let count = 0;
  for (let kept = 0; kept === 0 || kept < count; kept++) {
    const { asked, thread } = await requests((text) => {
      const parts = text.split("\n\n").filter((part) => part !== "");
      count = parts.length;
      return parts
        .slice(0, kept)
        .map((part) => `${part}\n\n`)
        .join("");
    });
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(whole);
    // It joined the stream again, or asked for what it lacks.
    expect(
      asked.some((path) => /\/(digest|state|search|stream)$/.test(path) && path !== "POST /threads/…/runs/stream"),
    ).toBe(true);
  }
  expect(count).toBeGreaterThan(4);
});
