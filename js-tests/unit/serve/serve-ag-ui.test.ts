// serveAgUi(graph): AG-UI over HTTP, by the real client, by a runner, and request by request.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { AIMessage } from "@langchain/core/messages";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { httpTransport, AgUiRunner, foldAgUi, runInput } from "threadfold/ag-ui";
import * as own from "threadfold/graph";
import { serveAgUi, serveLangGraph, toNodeListener, type FetchHandler, type ServeAgUiOptions } from "threadfold/serve";
import { afterEach, describe, expect, test, vi } from "vitest";
import { OURS } from "./libraries";

const ADDRESS = "http://localhost/agent";

const input = (text: string, more: object = {}) => ({
  threadId: "t",
  runId: "r1",
  messages: [{ id: `q-${text}`, role: "user", content: text }],
  ...more,
});

const post = (handler: FetchHandler, body: unknown, headers: Record<string, string> = {}) =>
  handler(
    new Request(ADDRESS, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) }),
  );

const get = (handler: FetchHandler, path: string, init: RequestInit = {}) => handler(new Request(ADDRESS + path, init));

/** Fetches from a handler in the process. */
const fetching =
  (handler: FetchHandler): typeof fetch =>
  (url, init) =>
    handler(new Request(url, init));

async function partsOf(
  response: Response,
): Promise<{ id: string | undefined; type: string; [field: string]: unknown }[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  return (await response.text())
    .split("\n\n")
    .filter((part) => part !== "" && !part.startsWith(":"))
    .map((part) => {
      const [, id, data = ""] = /^(?:id: (\d+)\n)?data: (.*)$/.exec(part) ?? [];
      return { id, ...(JSON.parse(data) as { type: string }) };
    });
}

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Serves over real HTTP. */
async function listening(handler: FetchHandler): Promise<string> {
  const server = createServer(toNodeListener(handler));
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
}

describe.each(OURS)("$library", ({ chatGraph }) => {
  test("answers a run in events that AG-UI's schemas accept", async () => {
    const parts = await partsOf(await post(serveAgUi(chatGraph()), input("How is the weather?")));
    for (const { id, ...event } of parts) {
      EventSchemas.parse(event);
      expect(id).toBeUndefined();
    }
    expect(parts.at(0)?.type).toBe("RUN_STARTED");
    expect(parts.at(-1)?.type).toBe("RUN_FINISHED");
  });

  test("HttpAgent has two turns and an approval with it, over HTTP", async () => {
    const url = await listening(serveAgUi(chatGraph(), { interrupts: "outcome" }));
    const agent = new HttpAgent({ url, threadId: "t" });
    const ask = (content: string) => agent.addMessage({ id: `q-${content}`, role: "user", content });
    ask("How is the weather?");
    await agent.runAgent();
    ask("Mail Ada");
    await agent.runAgent();
    const id = agent.pendingInterrupts[0]?.id ?? "";
    await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: true }] });
    expect(agent.messages.map(({ content }) => content)).toEqual([
      "How is the weather?",
      "Let me look.",
      "sunny in Rome",
      "sunny in Lima",
      "It is sunny in Lima there.",
      "Mail Ada",
      "Sent.",
    ]);
    expect(agent.state).toMatchObject({ todos: [{ status: "completed" }] });
  });

  test("foldAgUi reads its response, and the messages of other fields are plain, too", async () => {
    const State = Annotation.Root({ last: Annotation<AIMessage>() });
    const graph = new StateGraph(State)
      .addNode("a", () => ({ last: new AIMessage({ id: "a", content: "Kept" }) }))
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    const thread = new Thread<AgUiState & { last?: object }>({ threadId: "t" });
    await foldAgUi(thread, post(serveAgUi(graph), { ...runInput(thread), state: { last: null } }));
    expect(thread.getState().last).toMatchObject({ type: "ai", content: "Kept" });
  });

  test("an AgUiRunner's stop ends the graph's work; the thread takes the next message", async () => {
    const handler = serveAgUi(chatGraph({ pause: 20 }));
    const thread = new Thread<AgUiState>({ threadId: "t" });
    const runner = new AgUiRunner(thread, { url: await listening(handler) });
    const sent = runner.sendMessage("one two three four five six seven eight");
    await new Promise<void>((resolve) =>
      thread.subscribe(({ messages }) => messages.length > 1 && messages.at(-1)?.content && resolve()),
    );
    await runner.stop();
    expect(await sent).toMatchObject({ status: "stopped" });
    expect(thread.getState().messages.at(-1)?.content).not.toContain("eight");
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
    expect(thread.getState().messages.at(-1)?.content).toBe("You said: Hi");
  });

  test("a client that leaves stops the run", async () => {
    const seen: AbortSignal[] = [];
    const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
      .addNode("wait", async (_, config) => {
        if (config.signal) seen.push(config.signal);
        await new Promise((resolve) => config.signal?.addEventListener("abort", resolve));
        return { n: 1 };
      })
      .addEdge(START, "wait")
      .addEdge("wait", END)
      .compile();
    const response = await post(serveAgUi(graph), input("Hi", { state: { n: 0 } }));
    const reader = response.body?.getReader();
    while (seen.length === 0) await reader?.read();
    expect(seen[0]?.aborted).toBe(false);
    await reader?.cancel();
    expect(seen[0]?.aborted).toBe(true);
  });

  describe("resumable", () => {
    const resumable = (pause = 0, options: ServeAgUiOptions = {}) =>
      serveAgUi(chatGraph({ pause }), { resumable: true, ...options });

    test("a run continues without its listener, and is joined after the last part, or replayed from its start", async () => {
      const handler = resumable(5);
      const first = (await post(handler, input("How is the weather?"))).body?.getReader();
      await first?.read();
      await first?.cancel();
      const rest = await partsOf(await get(handler, "/threads/t/runs/r1", { headers: { "last-event-id": "4" } }));
      const all = await partsOf(await get(handler, "/threads/t/runs/r1"));
      expect(all.map(({ id }) => Number(id))).toEqual(all.map((_, at) => at + 1));
      expect(rest).toEqual(all.slice(4));
      expect(all.at(-1)?.type).toBe("RUN_FINISHED");
      expect(await partsOf(await post(handler, input("How is the weather?")))).toEqual(all);
    });

    test("a new message under the id of a run that is over is answered; the same one, with the answer, is not", async () => {
      const handler = resumable();
      const said = async (response: Response) =>
        (await partsOf(response)).map(({ delta }) => (typeof delta === "string" ? delta : "")).join("");
      expect(await said(await post(handler, input("Hi")))).toBe("You said: Hi");
      const [asked] = input("Hi").messages;
      const answer = { id: "a", role: "assistant", content: "You said: Hi" };
      expect(await said(await post(handler, input("Hi", { messages: [asked, answer] })))).toBe("You said: Hi");
      const messages = [asked, answer, ...input("Bye").messages];
      expect(await said(await post(handler, input("Bye", { messages })))).toBe("You said: Bye");
    });

    test("an AgUiRunner rejoins, and stops", async () => {
      const url = await listening(resumable(10));
      const thread = new Thread<AgUiState>({ threadId: "t" });
      const { run, join, cancel } = httpTransport({ url, resumable: true });
      const options = { transport: { run, join, cancel } };
      const before = new AgUiRunner(thread, options);
      const sent = before.sendMessage("one two three four five six seven eight");
      await new Promise<void>((resolve) => thread.subscribe(({ messages }) => messages.length > 1 && resolve()));
      before.dispose();
      await sent;
      const runner = new AgUiRunner(thread, options);
      expect(await runner.load()).toMatchObject({ status: "finished" });
      expect(thread.getState().messages.map(({ content }) => content)).toEqual([
        "one two three four five six seven eight",
        "You said: one two three four five six seven eight",
      ]);
      const long = runner.sendMessage("nine ten eleven twelve thirteen fourteen fifteen");
      await new Promise<void>((resolve) => thread.subscribe(({ messages }) => messages.length > 3 && resolve()));
      await runner.stop();
      expect(await long).toMatchObject({ status: "stopped" });
      expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
    });

    test("a second run of the thread is refused while the first continues", async () => {
      const handler = resumable(10);
      await post(handler, input("Hi"));
      const second = await post(handler, input("Hi", { runId: "r2" }));
      expect([second.status, await second.json()]).toEqual([
        409,
        { error: expect.stringContaining("goes on") as string },
      ]);
      await partsOf(await get(handler, "/threads/t/runs/r1"));
      expect((await post(handler, input("Hi", { runId: "r2" }))).status).toBe(200);
    });

    test("of runs that are over, so many are kept", async () => {
      const handler = resumable(0, { keep: 1 });
      for (const runId of ["r1", "r2"]) await partsOf(await post(handler, input("Hi", { runId })));
      const gone = await get(handler, "/threads/t/runs/r1");
      expect([gone.status, await gone.json()]).toEqual([404, { error: "There is no run r1 of the thread t." }]);
      expect((await get(handler, "/threads/t/runs/r2")).status).toBe(200);
    });
  });

  test.each([
    [15_000, [": heartbeat 15000", ": heartbeat 15000", ": heartbeat 15000"]],
    [0, []],
    [10 ** 10, []],
    [Infinity, []],
  ])("says in a long silence that it is still there: with a heartbeat of %s", async (heartbeat, said) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let go: () => void = () => {};
      const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
        .addNode("wait", async () => {
          await new Promise<void>((resolve) => (go = resolve));
          return { n: 1 };
        })
        .addEdge(START, "wait")
        .addEdge("wait", END)
        .compile();
      const response = await post(serveAgUi(graph, { heartbeat }), input("Hi", { state: { n: 0 } }));
      const text = response.text();
      await vi.advanceTimersByTimeAsync(31_000);
      go();
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await text).split("\n\n").filter((part) => part.startsWith(":"))).toEqual(said);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ["nothing with a text", () => Object.create(null) as unknown],
    ["undefined", () => undefined],
    [
      "an error whose words throw",
      () =>
        Object.defineProperty(new Error(), "message", {
          get() {
            throw new Error("no");
          },
        }),
    ],
  ])("a run that throws %s ends with an error, over either protocol", async (_, thrown) => {
    const graph = {
      // oxlint-disable-next-line require-yield -- it ends before it begins
      async *stream() {
        throw thrown();
      },
    };
    const parts = await partsOf(await post(serveAgUi(graph), input("Hi")));
    expect(parts.map(({ type }) => type)).toEqual(["RUN_STARTED", "RUN_ERROR"]);
    const body = JSON.stringify({ assistant_id: "agent", input: {} });
    const asked = new Request("http://localhost/runs/stream", { method: "POST", body });
    expect(await (await serveLangGraph(graph)(asked)).text()).toContain("event: error");
  });

  test("returns a thread's state, with its interrupts", async () => {
    const handler = serveAgUi(chatGraph());
    expect((await get(handler, "/threads/t")).status).toBe(404);
    await partsOf(await post(handler, input("Mail Ada")));
    expect(await (await get(handler, "/threads/t")).json()).toMatchObject({
      messages: [{ id: "q-Mail Ada", role: "user", content: "Mail Ada" }],
      state: { log: ["planned"] },
      interrupts: [{ value: { question: "Send the mail?" } }],
    });
  });

  test("sends no private field, in a run or of a thread", async () => {
    const secret = field.replace<number>({ private: true });
    const graph = new own.StateGraph(defineSchema({ messages: field.messages(), n: field.replace<number>(), secret }))
      .addNode("a", () => ({ n: 1, secret: 1 }))
      .addNode("b", () => ({ n: 2, secret: 2 }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: new own.MemorySaver() });
    const handler = serveAgUi(graph);
    const parts = JSON.stringify(await partsOf(await post(handler, input("Hi"))));
    expect(parts).toContain("STATE_DELTA");
    expect(parts).not.toContain("secret");
    const told = await get(handler, "/threads/t");
    expect(((await told.json()) as { state: object }).state).toEqual({ n: 2 });
  });

  test("its config is made for each run, and its events can be changed on their way", async () => {
    const handler = serveAgUi(chatGraph(), {
      config: (run, request) => ({
        recursionLimit: request.headers.get("x-limit") === "2" && run.runId === "r1" ? 2 : 25,
      }),
      async *onEvents(events) {
        for await (const event of events) if (event.type !== "STATE_DELTA") yield event;
      },
    });
    const limited = await partsOf(await post(handler, input("Hi"), { "x-limit": "2" }));
    expect(limited.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "GRAPH_RECURSION_LIMIT" });
    const parts = await partsOf(await post(handler, input("Hi", { threadId: "t2" })));
    expect(parts.at(-1)?.type).toBe("RUN_FINISHED");
    expect(parts.map(({ type }) => type)).not.toContain("STATE_DELTA");
  });

  test("pages of other origins are let in if the options say so", async () => {
    const handler = serveAgUi(chatGraph(), { cors: "https://example.org" });
    const asked = await get(handler, "", { method: "OPTIONS" });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "https://example.org"]);
    const preflight = { method: "OPTIONS", headers: { "access-control-request-headers": "authorization" } };
    expect((await get(handler, "", preflight)).headers.get("access-control-allow-headers")).toBe("authorization");
    const answered = await post(handler, input("Hi"));
    expect(answered.headers.get("access-control-allow-origin")).toBe("https://example.org");
    const closed = await post(serveAgUi(chatGraph()), input("Hi"));
    expect(closed.headers.get("access-control-allow-origin")).toBeNull();
  });

  test.each([
    ["{", 400, "not JSON"],
    ["", 400, "threadId"],
    ["[]", 400, "threadId"],
    [{ ...input("Hi"), runId: 1 }, 400, "runId"],
    [{ ...input("Hi"), messages: [1] }, 400, "messages"],
    [{ ...input("Hi"), messages: [{ id: "__remove_all__", role: "remove", content: "" }] }, 400, "removals"],
    [{ ...input("Hi"), messages: [{ id: "1", role: "RemoveMessage" }] }, 400, "removals"],
    [{ ...input("Hi"), messages: [{ id: "__remove_all__", role: "remove", type: "human" }] }, 400, "removals"],
  ])("refuses %j in a sentence", async (body, status, sentence) => {
    const response = await post(serveAgUi(chatGraph()), body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringContaining(sentence) as string });
  });

  test("lets in the users that authenticate accepts, to runs and threads, and explains a refusal to other origins", async () => {
    const cors = "https://example.org";
    const who = new Response("Who are you?", { status: 401, headers: { "www-authenticate": "Bearer" } });
    const handler = serveAgUi(chatGraph(), {
      cors,
      resumable: true,
      authenticate: async (request) => {
        const key = request.headers.get("authorization");
        if (key === "throws") throw Response.redirect("https://example.org/login");
        return key === null ? who.clone() : key === "me";
      },
    });
    const refused = await post(handler, input("Hi"));
    expect([refused.status, await refused.text()]).toEqual([401, "Who are you?"]);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    expect(refused.headers.get("access-control-allow-origin")).toBe(cors);
    const other = await post(handler, input("Hi"), { authorization: "somebody" });
    expect([other.status, await other.json()]).toEqual([401, { error: "Authentication required." }]);
    expect((await post(handler, input("Hi"), { authorization: "throws" })).status).toBe(302);
    for (const [path, method] of [
      ["/threads/t", "GET"],
      ["/threads/t/runs/r1", "GET"],
      ["/threads/t/runs/r1", "DELETE"],
    ] as const)
      expect((await get(handler, path, { method })).status).toBe(401);
    expect((await get(handler, "", { method: "OPTIONS" })).status).toBe(204);
    const parts = await partsOf(await post(handler, input("Hi"), { authorization: "me" }));
    expect(parts.at(-1)?.type).toBe("RUN_FINISHED");
    expect((await get(handler, "/threads/t", { headers: { authorization: "me" } })).status).toBe(200);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["0", 0],
    ["1", 1],
    ["a text", "ada"],
    ["a user", { name: "ada" }],
    ["a promise of nothing", Promise.resolve()],
  ])("authenticate lets nobody in by %s", async (_, answer) => {
    const body = { error: "Authentication required." };
    const response = await post(serveAgUi(chatGraph(), { authenticate: () => answer as never }), input("Hi"));
    expect([response.status, await response.json()]).toEqual([401, body]);
    const deployment = serveLangGraph(chatGraph(), { authenticate: () => answer as never });
    expect((await get(deployment, "/ok")).status).toBe(401);
  });

  test.each([
    ["authenticate", "The server failed to check who asks."],
    ["config", "The server failed. Its log says why."],
  ])("an error of %s goes to the log, not to the client", async (option, sentence) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const error = new Error("The database's password is 123.");
    const fails = () => {
      throw error;
    };
    const response = await post(serveAgUi(chatGraph(), { [option]: fails }), input("Hi"));
    expect([response.status, await response.json()]).toEqual([500, { error: sentence }]);
    expect(log.mock.calls).toEqual([[error]]);
    log.mockRestore();
  });

  test.each([401, 413])(
    "each cookie of a response with status %s reaches the client over node:http",
    async (status) => {
      const cookies = ["session=; Max-Age=0", "csrf=1; Path=/"];
      const headers = cookies.map((cookie) => ["set-cookie", cookie] as [string, string]);
      const authenticate = () => new Response("Who are you?", { status, headers });
      const url = await listening(serveAgUi(chatGraph(), { authenticate }));
      expect((await fetch(url)).headers.getSetCookie()).toEqual(cookies);
    },
  );

  test("an authenticate that may return nothing does not compile", () => {
    // @ts-expect-error returns nothing
    serveAgUi(chatGraph(), { authenticate: () => {} });
    const users = new Map<string, { isValid: boolean }>();
    // @ts-expect-error returns undefined for a user that is unknown
    serveAgUi(chatGraph(), { authenticate: ({ url }) => users.get(url)?.isValid });
    // @ts-expect-error the same, later
    serveLangGraph(chatGraph(), { authenticate: async ({ url }) => users.get(url)?.isValid });
    serveAgUi(chatGraph(), { authenticate: ({ url }) => users.get(url)?.isValid === true });
  });

  test.each([
    [{ authenticate: "x" }, "authenticate should be a function."],
    [{ authenticate: null }, "authenticate should be a function."],
    [() => false, "The options of serveAgUi should be an object."],
    [null, "The options of serveAgUi should be an object."],
  ])("refuses the options %j when it is made", (options, message) => {
    const refusal = (of: string) => expect.objectContaining({ code: "INVALID_ARGUMENT", message: of }) as Error;
    expect(() => serveAgUi(chatGraph(), options as never)).toThrow(refusal(message));
    const other = message.replace("of serveAgUi ", "of serveLangGraph ");
    expect(() => serveLangGraph(chatGraph(), options as never)).toThrow(refusal(other));
  });

  test.each([
    [{ autenticate: () => false }, "unknown option 'autenticate'. Did you mean 'authenticate'?"],
    [{ basepath: "/api" }, "unknown option 'basepath'."],
  ])("refuses the unknown option of %j", (options, message) => {
    const refusal = { code: "UNKNOWN_OPTION", message: expect.stringContaining(message) as string };
    expect(() => serveAgUi(chatGraph(), options as never)).toThrow(expect.objectContaining(refusal));
    expect(() => serveLangGraph(chatGraph(), options as never)).toThrow(expect.objectContaining(refusal));
  });

  test("takes the options that it has, and those that are undefined", () => {
    const both = { cors: true, authenticate: () => true, config: {}, keep: 1 };
    const missing = { autenticate: undefined } as object;
    serveAgUi(chatGraph(), { ...both, ...missing, resumable: true, onEvents: (events) => events });
    serveLangGraph(chatGraph(), { ...both, ...missing, basePath: "/api", onParts: (parts) => parts });
  });

  test("a path with invalid encoding is refused; a response that config throws is the answer", async () => {
    expect((await get(serveAgUi(chatGraph()), "/threads/%")).status).toBe(400);
    const closed = serveAgUi(chatGraph(), {
      config: () => {
        throw new Response("Who are you?", { status: 401 });
      },
    });
    const response = await post(closed, input("Hi"));
    expect([response.status, await response.text()]).toEqual([401, "Who are you?"]);
  });

  test.each(["/threads/t/runs/r1", "/threads/none", ""])("GET of %j does not exist", async (path) => {
    expect((await get(serveAgUi(chatGraph()), path)).status).toBe(404);
  });

  test("an invalid graph is refused when it is served", () => {
    expect(() => serveAgUi({} as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  test("a thread of a runner in the process reaches it without a network", async () => {
    const thread = new Thread<AgUiState>({ threadId: "t" });
    const runner = new AgUiRunner(thread, { url: ADDRESS, fetch: fetching(serveAgUi(chatGraph())) });
    await runner.sendMessage("Hi");
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Hi", "You said: Hi"]);
  });
});
