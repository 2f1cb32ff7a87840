// Messages that are sent without a network wait, and go out by themselves: in order, once, also after a reload.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { loadThread, persist } from "threadfold/persist";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server that echoes, and the network before it. */
function network() {
  let made = 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("echo", ({ messages }) => ({
      messages: [{ role: "assistant", content: `${messages.map(({ text }) => text).join("+")}!`, id: `a${made++}` }],
    }))
    .addEdge(START, "echo")
    .addEdge("echo", END)
    .compile({ checkpointer: new MemorySaver() });
  const agUi = serveAgUi(graph as never, { resumable: true });
  const langGraph = serveLangGraph({ agent: graph as never });
  const at = {
    isDown: true,
    /** The answer to the next request that starts a run is lost on its way back. */
    losesAnswer: false,
    tries: [] as string[],
    answered: [] as string[],
    /** How often the agent has answered. */
    get made() {
      return made;
    },
  };
  const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const { pathname } = new URL(request.url);
    at.tries.push(`${request.method} ${pathname}`);
    if (at.isDown) throw new TypeError("Failed to fetch");
    const response = await (pathname.startsWith("/agent") ? agUi : langGraph)(request);
    if (at.losesAnswer && /event-stream/.test(response.headers.get("content-type") ?? "")) {
      at.losesAnswer = false;
      await response.text();
      throw new TypeError("Failed to fetch");
    }
    at.answered.push(`${request.method} ${pathname}`);
    return response;
  };
  return Object.assign(at, { fetch });
}

const agUi = (fetch: typeof globalThis.fetch, thread = new Thread<AgUiState>({ threadId: "t" })) =>
  new AgUiRunner(thread, { url: "http://s/agent", resumable: true, whileOffline: "wait", fetch });
const langGraph = (fetch: typeof globalThis.fetch, thread = new Thread()) =>
  new LangGraphRunner(thread, { apiUrl: "http://s", assistantId: "agent", whileOffline: "wait", fetch });

const textsOf = (thread: { getState(): object }) =>
  (thread.getState() as { messages: { content: unknown }[] }).messages.map(({ content }) => content);
const statesOf = (thread: Thread | Thread<AgUiState>) => thread.pending.map(({ status }) => status);
const pass = (milliseconds = 100) => vi.advanceTimersByTimeAsync(milliseconds);

test.each([
  ["AG-UI", agUi],
  ["LangGraph", langGraph],
])("%s: messages go out once the network is back, in order, once", async (_, open) => {
  const server = network();
  const runner = open(server.fetch as typeof fetch);
  const sent = [runner.sendMessage("one"), runner.sendMessage("two")];
  await pass();
  sent.push(runner.sendMessage("three"));
  await pass(100_000);
  expect([textsOf(runner.thread), statesOf(runner.thread)]).toEqual([
    ["one", "two", "three"],
    ["pending", "pending", "pending"],
  ]);
  expect([runner.status, runner.error?.code]).toEqual(["disconnected", "NO_CONNECTION"]);
  server.isDown = false;
  await pass(31_000);
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
  expect(textsOf(runner.thread)).toEqual(["one", "two", "three", "one+two+three!"]);
  expect([runner.status, runner.error, statesOf(runner.thread)]).toEqual(["ready", undefined, []]);
  expect(server.made).toBe(1);
});

test("the time between tries grows to half a minute", async () => {
  const server = network();
  const runner = agUi(server.fetch as typeof fetch);
  void runner.sendMessage("Hi");
  const times: number[] = [];
  let before = 0;
  await pass(0);
  for (let second = 0; second < 150; second += 0.25) {
    const loads = server.tries.filter((one) => one === "GET /agent/threads/t").length;
    if (loads > before) times.push(second);
    before = loads;
    await pass(250);
  }
  expect(times).toEqual([0.25, 1.25, 3.25, 7.25, 15.25, 31.25, 61.25, 91.25, 121.25]);
});

test("the browser's event `online` tries at once, and so does retry()", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  const server = network();
  const runner = agUi(server.fetch as typeof fetch);
  const sent = runner.sendMessage("Hi");
  await pass(20_000);
  const loads = () => server.tries.filter((one) => one === "GET /agent/threads/t").length;
  const before = loads();
  page.dispatchEvent(new Event("online"));
  await pass(0);
  expect(loads()).toBe(before + 1);
  server.isDown = false;
  const retried = runner.retry();
  await pass();
  expect(await Promise.all([sent, retried])).toMatchObject([{ status: "finished" }, { status: "finished" }]);
  expect(server.made).toBe(1);
});

test.each([
  ["AG-UI", agUi],
  ["LangGraph", (fetch: typeof globalThis.fetch) => langGraph(fetch, new Thread({ threadId: "t" }))],
])("%s: a message whose answer alone was lost is not sent again", async (_, open) => {
  const server = network();
  server.isDown = false;
  server.losesAnswer = true;
  const runner = open(server.fetch as typeof fetch);
  const sent = runner.sendMessage("Hi");
  await pass(1_000);
  expect(await sent).toMatchObject({ status: "finished" });
  expect([textsOf(runner.thread), runner.status, statesOf(runner.thread)]).toEqual([["Hi", "Hi!"], "ready", []]);
  expect([server.made, server.tries.filter((one) => one.startsWith("POST") && !one.endsWith("/search"))]).toMatchObject(
    [1, { length: 1 }],
  );
});

test("what waits survives a reload, and goes out with the first load()", async () => {
  const saved = new Map<string, string>();
  const storage = {
    getItem: (name: string) => saved.get(name) ?? null,
    setItem: (name: string, value: string) => void saved.set(name, value),
    removeItem: (name: string) => void saved.delete(name),
  };
  const server = network();
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = agUi(server.fetch as typeof fetch, thread);
  const stop = persist(thread, { name: "chat", storage });
  void runner.sendMessage("one");
  void runner.sendMessage("two");
  await pass(5_000);
  stop();
  const after = (await loadThread<AgUiState>({ name: "chat", storage })) as Thread<AgUiState>;
  const next = agUi(server.fetch as typeof fetch, after);
  expect(statesOf(after)).toEqual(["pending", "pending"]);
  const loaded = next.load();
  await pass(5_000);
  expect(next.status).toBe("disconnected");
  server.isDown = false;
  await pass(31_000);
  expect(await loaded).toMatchObject({ status: "finished" });
  expect([textsOf(after), server.made]).toEqual([["one", "two", "one+two!"], 1]);
});

test("stop() waits no longer: the message stays pending, and goes with the next", async () => {
  const server = network();
  const runner = agUi(server.fetch as typeof fetch);
  const sent = runner.sendMessage("one");
  await pass(5_000);
  expect(await runner.stop()).toMatchObject({ status: "stopped", error: undefined });
  expect(await sent).toMatchObject({ status: "stopped" });
  server.isDown = false;
  await pass(100_000);
  expect([runner.status, statesOf(runner.thread), server.made]).toEqual(["ready", ["pending"], 0]);
  const next = runner.sendMessage("two");
  await pass();
  expect(await next).toMatchObject({ status: "finished" });
  expect(textsOf(runner.thread)).toEqual(["one", "two", "one+two!"]);
});

test("a message that is rolled back while it waits is not sent", async () => {
  const server = network();
  const runner = agUi(server.fetch as typeof fetch);
  const sent = [runner.sendMessage("one"), runner.sendMessage("two")];
  await pass(5_000);
  runner.thread.pending[0]?.rollback();
  server.isDown = false;
  await pass(31_000);
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(["stopped", "finished"]);
  expect(textsOf(runner.thread)).toEqual(["two", "two!"]);
});

test("a run that was cut off is joined however long the network is away", async () => {
  const server = network();
  server.isDown = false;
  const cut = async (url: RequestInfo | URL, init?: RequestInit) => {
    const response = await server.fetch(url, init);
    if (init?.method !== "POST") return response;
    server.isDown = true;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const { value } = await reader.read();
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(value),
        pull: (controller) => controller.error(new TypeError("network error")),
      }),
      response,
    );
  };
  const runner = agUi(cut as typeof fetch);
  const sent = runner.sendMessage("Hi");
  await pass(300_000);
  expect([runner.status, runner.error]).toEqual(["disconnected", undefined]);
  server.isDown = false;
  await pass(31_000);
  expect(await sent).toMatchObject({ status: "finished" });
  expect([textsOf(runner.thread), server.made]).toEqual([["Hi", "Hi!"], 1]);
});

test("a thread that could not be opened is opened later, and an edit does not wait for that", async () => {
  const server = network();
  server.isDown = false;
  await Promise.all([agUi(server.fetch as typeof fetch).sendMessage("Hi"), pass()]);
  server.isDown = true;
  const runner = agUi(server.fetch as typeof fetch);
  const loading = runner.load();
  await pass(20_000);
  expect([runner.status, runner.error?.code]).toEqual(["disconnected", "NO_CONNECTION"]);
  server.isDown = false;
  await pass(31_000);
  expect(await loading).toMatchObject({ status: "finished" });
  expect(textsOf(runner.thread)).toEqual(["Hi", "Hi!"]);

  server.isDown = true;
  const again = runner.load();
  await pass(5_000);
  server.isDown = false;
  const edited = runner.regenerate();
  await pass();
  expect(await again).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  expect(await edited).toMatchObject({ status: "finished" });
});

test("by default nothing waits: the run fails, and retry() sends it", async () => {
  const server = network();
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, {
    url: "http://s/agent",
    resumable: true,
    fetch: server.fetch as typeof fetch,
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  server.isDown = false;
  await pass(100_000);
  expect([runner.status, statesOf(thread)]).toEqual(["error", ["failed"]]);
});

test("answers to a question do not wait: it is open again", async () => {
  const asked = { type: "run-finished", interrupts: [{ id: "q", reason: "confirmation", message: "Pay?" }] } as const;
  const server = network();
  const thread = new Thread<AgUiState>({ threadId: "t" });
  thread.receive(asked);
  const runner = agUi(server.fetch as typeof fetch, thread);
  expect(await runner.resume({ value: true })).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  expect(runner.interrupts).toHaveLength(1);
});
