// Limits of both servers: the size and depth of a request, and the number of kept things.
import { createServer, request as nodeRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, toNodeListener, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";

const State = defineSchema({ messages: field.messages(), note: field.replace<unknown>() });

function parrot(checkpointer = new MemorySaver()) {
  return new StateGraph(State)
    .addNode("answer", ({ messages }) => ({
      messages: [{ type: "ai", content: `You said ${messages.at(-1)?.content}.` }],
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });
}

/** JSON of a list in a list in a list… */
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
/** The body, with the text `DEEP` replaced by nested lists, as JSON. */
const withDeep = (body: object, depth: number) => JSON.stringify(body).replaceAll('"DEEP"', nested(depth));

async function ask(handler: FetchHandler, method: string, path: string, body?: string | object) {
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const headers = { "content-type": "application/json" };
  const init = { method, headers, ...(text !== undefined && { body: text }) };
  const response = await handler(new Request(`http://localhost${path}`, init));
  const said = await response.text();
  return { status: response.status, said, json: (/^(data)?:/.test(said) ? undefined : JSON.parse(said)) as unknown };
}

const human = [{ type: "human", id: "q", content: "Hi" }];
const agUi = { threadId: "t", runId: "r", messages: [{ id: "q", role: "user", content: "Hi" }] };

/** Wherever a client's value may go in, by the server and the path that take it. */
const DEEP: [name: string, path: string, body: object][] = [
  ["a field of the input", "/threads/t/runs/wait", { assistant_id: "agent", input: { messages: human, note: "DEEP" } }],
  ["an answer", "/threads/t/runs/wait", { assistant_id: "agent", command: { resume: "DEEP" } }],
  ["an update by a command", "/threads/t/runs/wait", { assistant_id: "agent", command: { update: { note: "DEEP" } } }],
  ["metadata of a run", "/threads/t/runs/wait", { assistant_id: "agent", input: null, metadata: { note: "DEEP" } }],
  ["a run's context", "/runs/wait", { assistant_id: "agent", input: { messages: human }, context: { note: "DEEP" } }],
  ["metadata of a thread", "/threads", { metadata: { note: "DEEP" } }],
  ["an update of the state", "/threads/t/state", { values: { note: "DEEP" } }],
  ["what is searched for", "/threads/search", { values: { note: "DEEP" } }],
];

const AG_UI: [name: string, body: object][] = [
  ["the state", { ...agUi, state: { note: "DEEP" } }],
  ["a message's content", { ...agUi, messages: [{ id: "q", role: "user", content: "DEEP" }] }],
  ["a tool's parameters", { ...agUi, tools: [{ name: "t", description: "", parameters: "DEEP" }] }],
  ["an answer", { ...agUi, resume: [{ interruptId: "i", status: "resolved", payload: "DEEP" }] }],
];

describe.each([5_000, 201])("a body that is nested %i deep", (depth) => {
  test.each(DEEP)("is refused by serveLangGraph and nothing of it is kept: %s", async (_, path, body) => {
    const handler = serveLangGraph(parrot());
    await ask(handler, "POST", "/threads", { thread_id: "t" });
    expect(await ask(handler, "POST", path, withDeep(body, depth))).toMatchObject({
      status: 400,
      json: { detail: "The body is nested more than 200 deep." },
    });
    const search = await ask(handler, "POST", "/threads/search", {});
    expect([search.status, (search.json as object[]).length]).toEqual([200, 1]);
  });

  test.each(AG_UI)("is refused by serve: %s", async (_, body) => {
    const answer = await ask(serveAgUi(parrot()), "POST", "/", withDeep(body, depth));
    expect(answer).toMatchObject({ status: 400, json: { error: "The body is nested more than 200 deep." } });
  });

  test("is refused in a text, too, if it is JSON that will be parsed", async () => {
    const call = { id: "c", type: "function", function: { name: "t", arguments: `{"a":${nested(depth)}}` } };
    const called = { ...agUi, messages: [{ id: "a", role: "assistant", toolCalls: [call] }] };
    expect((await ask(serveAgUi(parrot()), "POST", "/", called)).status).toBe(400);
    const answered = { ...agUi, resume: [{ interruptId: "i", status: "resolved", payload: nested(depth) }] };
    expect((await ask(serveAgUi(parrot()), "POST", "/", answered)).status).toBe(400);
  });
});

test("brackets in a text are text, and up to the limit a body may be deep", async () => {
  const said = "[".repeat(1_000);
  const talk = { ...agUi, messages: [{ id: "q", role: "user", content: `${said} \\" ${said}` }] };
  expect((await ask(serveAgUi(parrot()), "POST", "/", talk)).said).toContain("RUN_FINISHED");
  expect(
    (await ask(serveAgUi(parrot()), "POST", "/", withDeep({ ...agUi, state: { note: "DEEP" } }, 198))).said,
  ).toContain("RUN_FINISHED");
  const flat = serveAgUi(parrot(), { maxDepth: 3 });
  expect((await ask(flat, "POST", "/", agUi)).status).toBe(200);
  expect((await ask(flat, "POST", "/", withDeep({ ...agUi, state: { note: "DEEP" } }, 3))).status).toBe(400);
});

describe("a thread that cannot be read", () => {
  /** As one that was saved before depth was looked at, or that a node made deep. */
  async function withDeepThread() {
    const saver = new MemorySaver();
    const graph = parrot(saver);
    for (const threadId of ["a", "b", "c"]) await graph.invoke({ messages: "Hi" }, { threadId });
    const tuple = await saver.getTuple({ configurable: { thread_id: "b" } });
    if (!tuple) throw new Error("The thread was not saved.");
    const channel_values = { ...tuple.checkpoint.channel_values, note: JSON.parse(nested(5_000)) as unknown };
    await saver.put(tuple.config, { ...tuple.checkpoint, channel_values }, tuple.metadata as never);
    return serveLangGraph(graph);
  }
  type Found = { thread_id: string; status: string; values: unknown; error?: { message: string } }[];

  test.each([{}, { status: "error" }, { select: ["thread_id", "status", "values", "error"] }])(
    "is one of status error in a search, and fails no other: %j",
    async (query) => {
      const { status, json } = await ask(await withDeepThread(), "POST", "/threads/search", query);
      expect(status).toBe(200);
      const found = json as Found;
      const shown = found.map((thread) => `${thread.thread_id} ${thread.status}`);
      expect(shown).toEqual("status" in query ? [] : ["c idle", "b error", "a idle"]);
      if (!("status" in query))
        expect(found[1]).toMatchObject({
          values: null,
          error: { message: expect.stringContaining("too deep") as string },
        });
    },
  );

  test("is an error by itself, in a sentence", async () => {
    const { status, json } = await ask(await withDeepThread(), "GET", "/threads/b");
    expect([status, json]).toEqual([500, { detail: expect.stringContaining("too deep") as string }]);
  });
});

describe("a body that is too large", () => {
  const large = JSON.stringify({ ...agUi, state: { note: "x".repeat(2_000) } });

  test("is refused by 413 in JSON; how large is an option", async () => {
    expect(await ask(serveAgUi(parrot(), { maxBodyBytes: 1_000 }), "POST", "/", large)).toMatchObject({
      status: 413,
      json: { error: "The body has more than 1000 bytes." },
    });
    expect((await ask(serveAgUi(parrot(), { maxBodyBytes: large.length }), "POST", "/", large)).status).toBe(200);
    const langGraph = serveLangGraph(parrot(), { maxBodyBytes: 1_000 });
    expect(await ask(langGraph, "POST", "/threads", large)).toMatchObject({
      status: 413,
      json: { detail: "The body has more than 1000 bytes." },
    });
  });

  test("is not read past the limit, with any headers", async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const init = { method: "POST", body, duplex: "half" };
    const response = await serveAgUi(parrot())(new Request("http://localhost/", init as RequestInit));
    expect(response.status).toBe(413);
    expect(read).toBeGreaterThan(10_000_000);
    expect(read).toBeLessThan(11_000_000);
  });

  test.each([
    ["with its length", true],
    ["without", false],
  ])("is answered in Node while it is still sent, %s, and the server goes on", async (_, isDeclared) => {
    const server = createServer((request, response) => void listener(request, response));
    const listener = toNodeListener(serveAgUi(parrot(), { maxBodyBytes: 100_000 }));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const before = process.memoryUsage().rss;
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = isDeclared ? { "content-length": 300_000_000 } : {};
      const sent = nodeRequest({ port, method: "POST", headers }, (response) => {
        let text = "";
        response.on("data", (part: Buffer) => (text += part.toString()));
        response.on("end", () => resolve({ status: response.statusCode, text }));
        response.on("error", reject);
      });
      sent.on("error", reject);
      const more = () => {
        while (!sent.destroyed && sent.write(Buffer.alloc(65_536, 0x20)));
      };
      sent.on("drain", more);
      more();
    });
    expect(answer).toEqual({ status: 413, text: '{"error":"The body has more than 100000 bytes."}' });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    const next = await fetch(`http://localhost:${port}/`, { method: "POST", body: JSON.stringify(agUi) });
    expect(await next.text()).toContain("RUN_FINISHED");
    server.closeAllConnections();
    server.close();
  });
});

test("a client asks for no more steps than the server allows", async () => {
  const body = (limit: number) => ({
    assistant_id: "agent",
    input: { messages: human },
    config: { recursion_limit: limit },
  });
  const handler = serveLangGraph(parrot());
  expect((await ask(handler, "POST", "/threads/t/runs/wait", body(1_000))).status).toBe(200);
  expect(await ask(handler, "POST", "/threads/t/runs/wait", body(1_001))).toMatchObject({
    status: 422,
    json: { detail: "config.recursion_limit should be at most 1000." },
  });
  const own = serveLangGraph(parrot(), { maxRecursionLimit: 30, config: { recursionLimit: 100 } });
  expect((await ask(own, "POST", "/runs/wait", body(30))).status).toBe(200);
  expect((await ask(own, "POST", "/runs/stream", body(31))).status).toBe(422);
});

test("of the threads in memory the oldest is forgotten first, but none with a run under way", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const graph = new StateGraph(State)
    .addNode("wait", () => held.then(() => ({})))
    .addEdge(START, "wait")
    .addEdge("wait", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph(graph, { keepThreads: 2 });
  await ask(handler, "POST", "/threads", { thread_id: "busy", metadata: { of: "Ada" } });
  const run = await ask(handler, "POST", "/threads/busy/runs", { assistant_id: "agent", input: { messages: human } });
  for (const thread_id of ["a", "b", "c"]) await ask(handler, "POST", "/threads", { thread_id });
  const found = (await ask(handler, "POST", "/threads/search", {})).json as { thread_id: string; metadata: object }[];
  expect(found.map(({ thread_id }) => thread_id).toSorted()).toEqual(["busy", "c"]);
  expect(found.find(({ thread_id }) => thread_id === "busy")?.metadata).toMatchObject({ of: "Ada" });
  release();
  const { run_id } = run.json as { run_id: string };
  expect((await ask(handler, "GET", `/threads/busy/runs/${run_id}/join`)).status).toBe(200);
});

test.each([{ maxBodyBytes: "1mb" }, { maxDepth: -1 }, { keep: Number.NaN }])(
  "%j is refused as an option",
  (options) => {
    const [name] = Object.keys(options);
    expect(() => serveAgUi(parrot(), options as never)).toThrow(
      `serveAgUi: expected ${name} to be a number from 0, got `,
    );
  },
);

test("a saver's serializer refuses values nested too deep for the engine with a code", async () => {
  const deep: unknown = JSON.parse(nested(20_000));
  await expect(new MemorySaver().serde.dumpsTyped(deep)).rejects.toMatchObject({ code: "UNREADABLE_VALUE" });
});
