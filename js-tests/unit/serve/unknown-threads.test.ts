// Threads that were never made, subgraphs that no graph has, and the graph that a thread's metadata name.
import { MemorySaver } from "@langchain/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

describe.each(LIBRARIES)("$library", ({ library, chatGraph, halfGraph }) => {
  function served(saver = new MemorySaver()) {
    const handler = serveLangGraph({ chat: chatGraph(), half: halfGraph(saver) });
    return async (method: string, path: string, body?: object) => {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const response = await handler(new Request(`http://localhost${path}`, init));
      const text = await response.text();
      return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as unknown };
    };
  }
  const run = { assistant_id: "half", input: { messages: [{ type: "human", content: "Hi" }] } };

  test.each<[string, string, object?]>([
    ["PATCH", "/threads/none", { metadata: { a: 1 } }],
    ["DELETE", "/threads/none"],
    ["POST", "/threads/none/state", { values: { messages: [] }, as_node: "half" }],
    ["GET", "/threads/none/history"],
    ["POST", "/threads/none/history", {}],
    ["GET", "/threads/none/runs"],
  ])("%s %s is 404 and makes no thread", async (method, path, body) => {
    const ask = served();
    expect(await ask(method, path, body)).toEqual({ status: 404, body: { detail: "There is no thread none." } });
    expect((await ask("GET", "/threads/none")).status).toBe(404);
  });

  test("a thread is known by its making, its run or its checkpoints alone", async () => {
    const saver = new MemorySaver();
    const ask = served(saver);
    await ask("POST", "/threads", { thread_id: "made" });
    await ask("POST", "/threads/ran/runs/wait", run);
    const other = served(saver);
    for (const [one, id] of [
      [ask, "made"],
      [ask, "ran"],
      [other, "ran"],
    ] as const) {
      expect((await one("GET", `/threads/${id}/history`)).status).toBe(200);
      expect((await one("GET", `/threads/${id}/runs`)).status).toBe(200);
      expect((await one("PATCH", `/threads/${id}`, { metadata: { a: 1 } })).status).toBe(200);
    }
    expect((await other("DELETE", "/threads/ran")).status).toBe(204);
  });

  test.each<[string, string, object?]>([
    ["POST", "/threads/t/state/checkpoint", { checkpoint: { checkpoint_ns: "nope:1" } }],
    ["POST", "/threads/t/state", { values: { messages: [] }, checkpoint: { checkpoint_ns: "nope:1" } }],
    ["POST", "/threads/t/history", { checkpoint: { checkpoint_ns: "nope:1" } }],
  ])("%s %s with an unknown checkpoint_ns is 404", async (method, path, body) => {
    const ask = served();
    await ask("POST", "/threads/t/runs/wait", run);
    const answer = await ask(method, path, body);
    // langgraph.js reads nothing there.
    if (library === "langgraph.js" && !path.endsWith("/state")) {
      expect(answer).toMatchObject({ status: 200, body: path.endsWith("/history") ? [] : { values: {}, next: [] } });
      return;
    }
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: expect.stringContaining('checkpoint_ns. Subgraph "nope" not found') as string },
    ]);
  });

  test("a thread's metadata name the graph that ran on it last, and a search finds it by that", async () => {
    const ask = served();
    await ask("POST", "/threads", { thread_id: "made", metadata: { user: "Ada" } });
    await ask("POST", "/threads/made/runs/wait", { ...run, metadata: { of: "the run" } });
    await ask("POST", "/threads/ran/runs/wait", { ...run, metadata: { of: "the run" } });
    const own = { graph_id: "half", assistant_id: "half" };
    expect((await ask("GET", "/threads/made")).body).toMatchObject({ metadata: { user: "Ada", ...own } });
    expect((await ask("GET", "/threads/ran")).body).toMatchObject({ metadata: { of: "the run", ...own } });
    const found = (await ask("POST", "/threads/search", { metadata: { graph_id: "half" } })).body;
    expect((found as { thread_id: string }[]).map(({ thread_id }) => thread_id)).toEqual(["ran", "made"]);
    expect((await ask("POST", "/threads/search", { metadata: { graph_id: "chat" } })).body).toEqual([]);
  });
});
