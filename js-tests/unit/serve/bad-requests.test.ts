// Requests that make no sense are answered so, and never by a closed connection or as the server's own fault.
import { connect } from "node:net";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MemorySaver } from "@langchain/langgraph";
import { serveAgUi, serveLangGraph, toNodeListener } from "threadfold/serve";
import { describe, expect, test, vi } from "vitest";
import { LIBRARIES } from "./libraries";

describe.each(LIBRARIES)("$library", ({ chatGraph, halfGraph }) => {
  test.each([
    ["GET // HTTP/1.1", "Host: localhost", 404],
    ["GET //elsewhere/threads/t HTTP/1.1", "Host: localhost", 404],
    ["GET http://localhost/threads/none HTTP/1.1", "Host: localhost", 404],
    ["OPTIONS * HTTP/1.1", "Host: localhost", 400],
    ["GET /threads/t HTTP/1.1", "Host: [", 400],
    ["GET /threads/t HTTP/1.1", "Host: a b", 400],
    ["TRACE / HTTP/1.1", "Host: localhost", 400],
  ])("toNodeListener answers %s, %s by %d", async (line, host, status) => {
    const server = createServer(toNodeListener(serveAgUi(chatGraph())));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(`${line}\r\n${host}\r\nConnection: close\r\n\r\n`);
    let said = "";
    for await (const part of socket) said += String(part);
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await new Promise((resolve) => server.close(resolve));
  });

  /** A server with a thread, and the status and words of its answers. */
  async function served(saver = new MemorySaver()) {
    const handler = serveLangGraph(halfGraph(saver));
    const ask = async (method: string, path: string, body?: object) => {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const response = await handler(new Request(`http://localhost${path}`, init));
      return [response.status, ((await response.json()) as { detail?: string }).detail] as const;
    };
    const input = { messages: [{ type: "human", content: "Hi" }] };
    expect(await ask("POST", "/threads/t/runs/wait", { assistant_id: "agent", input })).toEqual([200, undefined]);
    return ask;
  }

  test.each([
    [{ values: 5 }, /values/],
    [{ values: { messages: 5 }, as_node: "half" }, /message/],
    [{ values: { messages: [{ type: "nobody", content: "x" }] }, as_node: "half" }, /message/],
    [{ values: { messages: [] }, as_node: "nobody" }, /nobody/],
    [{ values: { messages: [] }, as_node: 5 }, /as_node/],
  ])("an update of a state that it cannot take is refused: %j", async (body, words) => {
    const ask = await served();
    expect(await ask("POST", "/threads/t/state", body)).toEqual([422, expect.stringMatching(words)]);
    const good = { values: { messages: [{ type: "ai", content: "By hand" }] }, as_node: "half" };
    expect(await ask("POST", "/threads/t/state", good)).toEqual([200, undefined]);
  });

  test.each(["5", "[5]", '[["run_modes"]]', `${"[".repeat(9_000)}${"]".repeat(9_000)}`])(
    "a thread's stream in a mode that is no word of it is refused: %.20s",
    async (mode) => {
      const ask = await served();
      const refused = [422, expect.stringMatching(/^Unknown stream_mode/)];
      expect(await ask("GET", `/threads/t/stream?stream_mode=${mode}`)).toEqual(refused);
    },
  );

  test.each([
    ["/threads/t/runs/wait", { assistant_id: "agent", input: null, checkpoint_id: 5 }],
    ["/threads/t/runs/wait", { assistant_id: "agent", input: null, checkpoint: { checkpoint_id: {} } }],
    ["/threads/t/state", { values: { messages: [] }, as_node: "half", checkpoint_id: 5 }],
    ["/threads/t/state/checkpoint", { checkpoint: { checkpoint_id: 5 } }],
  ])("a checkpoint's id that is no string is refused: %s %j", async (path, body) => {
    const ask = await served();
    expect(await ask("POST", path, body)).toEqual([422, expect.stringMatching(/checkpoint_id/)]);
  });

  test("an update that the saver fails is the server's fault, and its log's alone", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const saver = new MemorySaver();
    const ask = await served(saver);
    const error = new Error("The disk of postgres://app:secret@host is full.");
    saver.put = () => Promise.reject(error);
    expect(await ask("POST", "/threads/t/state", { values: { messages: [] }, as_node: "half" })).toEqual([
      500,
      "The server failed. Its log says why.",
    ]);
    expect(logged.mock.calls).toEqual([[error]]);
    logged.mockRestore();
  });

  const run = { assistant_id: "agent", input: { messages: [] } };
  test.each<[string, string, object, RegExp]>([
    ["POST", "/threads", { if_exists: "zzz" }, /^if_exists should be raise or do_nothing/],
    ["POST", "/threads/search", { status: "zzz" }, /^status should be idle, busy, interrupted or error/],
    ["POST", "/threads/t/runs/wait", { ...run, checkpoint_id: {} }, /^checkpoint_id/],
    ["POST", "/threads/t/runs/wait", { ...run, on_disconnect: 5 }, /^on_disconnect should be continue or cancel/],
    ["POST", "/threads/t/runs/wait", { ...run, if_not_exists: 5 }, /^if_not_exists should be create or reject/],
    ["POST", "/threads/t/runs/wait", { ...run, durability: "zzz" }, /^durability should be sync, async or exit/],
    ["POST", "/threads/t/runs/wait", { ...run, on_completion: "zzz" }, /^on_completion/],
    ["POST", "/threads/t/runs/wait", { ...run, stream_subgraphs: "yes" }, /^stream_subgraphs should be true or false/],
    ["POST", "/threads/t/runs/wait", { ...run, interrupt_before: 5 }, /^interrupt_before/],
    ["POST", "/threads/t/runs/wait", { ...run, interrupt_after: [{}] }, /^interrupt_after/],
    ["POST", "/threads/t/runs/wait", { assistant_id: "agent", command: { goto: 5 } }, /^command.goto/],
    ["POST", "/threads/t/runs/wait", { assistant_id: "agent", command: { goto: ["a", {}] } }, /^command.goto/],
    ["POST", "/threads/t/runs/wait", { assistant_id: "agent", command: { update: 5 } }, /^command.update/],
    ["POST", "/threads/t/runs/wait", { assistant_id: "agent", command: { update: [["a"]] } }, /^command.update/],
    ["POST", "/threads/t/runs/wait", { ...run, assistant_id: 5 }, /^assistant_id/],
    ["POST", "/threads/t/runs/wait", { input: run.input }, /^assistant_id should be the name of a graph/],
    ["POST", "/runs/wait", { input: run.input }, /^assistant_id should be the name of a graph/],
    ["POST", "/threads/t/commands", { id: 1, method: "run.start", params: 5 }, /^params should be an object/],
  ])("a field of another form is refused by its name: %s %s %j", async (method, path, body, words) => {
    const ask = await served();
    expect(await ask(method, path, body)).toEqual([422, expect.stringMatching(words)]);
  });

  test("a run is cancelled by interrupting it, and by no other action", async () => {
    const handler = serveLangGraph(halfGraph(new MemorySaver()));
    const post = async (path: string, body: object) => {
      const response = await handler(
        new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) }),
      );
      return { status: response.status, body: (await response.json()) as { run_id: string; detail?: string } };
    };
    const at = `/threads/t/runs/${(await post("/threads/t/runs", run)).body.run_id}/cancel`;
    expect(await post(`${at}?action=zzz`, {})).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("zzz") as string },
    });
    expect((await post(`${at}?action=interrupt`, {})).status).toBe(200);
  });

  test.each([
    ["POST", "/threads/t/history", { limit: "x" }, /limit/],
    ["GET", "/threads/t/history?limit=x", undefined, /limit/],
    ["GET", "/threads/t/runs?limit=-1", undefined, /limit/],
    ["GET", "/threads/t/runs?offset=x", undefined, /offset/],
    ["POST", "/threads/search", { limit: 1.5 }, /limit/],
    ["POST", "/threads/t/runs", { assistant_id: "agent", multitask_strategy: "bogus" }, /bogus/],
    ["POST", "/threads", { thread_id: 5 }, /^thread_id should be a string/],
    ["POST", "/threads", { metadata: "s" }, /^metadata should be an object/],
    ["PATCH", "/threads/t", { metadata: [] }, /^metadata/],
    ["POST", "/threads/search", { metadata: "s" }, /^metadata/],
    ["POST", "/threads/search", { ids: "t" }, /^ids should be a list/],
    ["POST", "/threads/t/runs/stream", { assistant_id: "agent", stream_steps: "true" }, /^stream_steps/],
    ["POST", "/threads/t/runs/wait", { assistant_id: "agent", config: [] }, /^config should be an object/],
    ["POST", "/threads/t/runs/stream", { assistant_id: "agent", config: "a" }, /^config/],
    ["POST", "/threads/t/runs", { assistant_id: "agent", metadata: "s" }, /^metadata/],
    ["POST", "/runs/wait", { assistant_id: "agent", command: "a" }, /^command/],
    ["POST", "/runs/wait", { assistant_id: "agent", config: { recursion_limit: "5" } }, /^config.recursion_limit/],
    ["POST", "/runs/wait", { assistant_id: "agent", config: { configurable: 5 } }, /^config.configurable/],
    ["POST", "/runs/wait", { assistant_id: "agent", config: { tags: "a" } }, /^config.tags/],
  ])("%s %s of %j is refused", async (method, path, body, words) => {
    const ask = await served();
    expect(await ask(method, path, body)).toEqual([422, expect.stringMatching(words)]);
  });

  test("a null field counts as missing", async () => {
    const ask = await served();
    const none = { metadata: null, command: null };
    expect(await ask("POST", "/threads", { ...none, thread_id: null })).toEqual([200, undefined]);
    const config = { recursion_limit: null, tags: null, configurable: null };
    const input = { messages: [{ type: "human", content: "Hi" }] };
    for (const given of [null, config])
      expect(await ask("POST", "/runs/wait", { ...none, assistant_id: "agent", config: given, input })).toEqual([
        200,
        undefined,
      ]);
  });

  test.each([
    [{ resume: [null] }, /resume/],
    [{ resume: [{ status: "resolved" }] }, /resume/],
    [{ resume: { a: 1 } }, /resume/],
    [{ state: [] }, /state/],
    [{ state: "text" }, /state/],
  ])("a run with %j is refused by serve", async (more, words) => {
    const body = JSON.stringify({ threadId: "t", runId: "r", messages: [], ...more });
    const response = await serveAgUi(chatGraph())(new Request("http://localhost/", { method: "POST", body }));
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringMatching(words),
    ]);
  });

  test("a run without state and answers is one, also if they are null", async () => {
    const messages = [{ id: "q", role: "user", content: "Hi" }];
    const body = JSON.stringify({ threadId: "t", runId: "r", messages, state: null, resume: null });
    const response = await serveAgUi(chatGraph())(new Request("http://localhost/", { method: "POST", body }));
    expect(await response.text()).toContain("RUN_FINISHED");
  });
});
