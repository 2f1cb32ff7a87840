// A connection that breaks in silence, as a half-open socket does: the server's heartbeats stop.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

type Handler = (request: Request) => Promise<Response>;

/** A graph whose answer waits until it is let go. */
function held() {
  let go: () => void = () => {};
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("answer", async () => {
      await new Promise<void>((resolve) => (go = resolve));
      return { messages: [{ role: "assistant", content: "Hello", id: "a" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  return { graph, go: () => go() };
}

/** The way to a server whose first stream stops writing after so many pieces, and stays open. */
function halfOpen(handler: Handler, pieces: number) {
  const requests: string[] = [];
  let silent = false;
  const fetch = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    requests.push(`${request.method} ${new URL(request.url).pathname.replace(/[0-9a-f-]{36}/g, "ID")}`);
    const response = await handler(request);
    if (silent || !/event-stream/.test(response.headers.get("content-type") ?? "")) return response;
    silent = true;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let left = pieces;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (left-- <= 0) return new Promise<void>(() => {});
        const { value } = await reader.read();
        if (value) controller.enqueue(value);
      },
    });
    return new Response(body, response);
  };
  return { fetch, requests };
}

const textsOf = (thread: { getState(): object }) =>
  (thread.getState() as { messages: { content: unknown }[] }).messages.map(({ content }) => content);

test("serveAgUi: a stream that falls silent is joined again after 40 seconds", async () => {
  const { graph, go } = held();
  const { fetch, requests } = halfOpen(serveAgUi(graph as never, { resumable: true }), 2);
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, { url: "http://s/agent", resumable: true, fetch });
  const sent = runner.sendMessage("Hi");
  await vi.advanceTimersByTimeAsync(40_000);
  expect([runner.status, requests.filter((one) => one.includes("/runs/"))]).toEqual(["streaming", []]);
  await vi.advanceTimersByTimeAsync(5_500);
  expect(requests.filter((one) => one.includes("/runs/"))).toEqual(["GET /agent/threads/t/runs/ID"]);
  go();
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toMatchObject({ status: "finished" });
  expect(textsOf(thread)).toEqual(["Hi", "Hello"]);
});

test("serveLangGraph: the same", async () => {
  const { graph, go } = held();
  const { fetch, requests } = halfOpen(serveLangGraph({ agent: graph as never }), 2);
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, { apiUrl: "http://s", assistantId: "agent", fetch });
  const sent = runner.sendMessage("Hi");
  await vi.advanceTimersByTimeAsync(45_500);
  expect(requests.filter((one) => one.startsWith("GET"))).toEqual(["GET /threads/ID/runs/ID/stream"]);
  go();
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toMatchObject({ status: "finished" });
  expect(textsOf(thread)).toEqual(["Hi", "Hello"]);
});

test("a silent run on a connection that lives is never cut", async () => {
  const { graph, go } = held();
  const { fetch, requests } = halfOpen(serveAgUi(graph as never, { resumable: true }), Infinity);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url: "http://s", resumable: true, fetch });
  const sent = runner.sendMessage("Hi");
  await vi.advanceTimersByTimeAsync(600_000);
  go();
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toMatchObject({ status: "finished" });
  expect(requests.filter((one) => one.includes("/runs/"))).toEqual([]);
});

test.each([
  ["sends no heartbeat", serving({ heartbeat: 0 })],
  [
    "sends comments that promise nothing",
    (graph: never) => padded(serveAgUi(graph, { heartbeat: 0, resumable: true })),
  ],
])("a server that %s may be silent for as long as it likes", async (_, serve) => {
  const { graph, go } = held();
  const { fetch, requests } = halfOpen(serve(graph as never), Infinity);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url: "http://s", resumable: true, fetch });
  const sent = runner.sendMessage("Hi");
  await vi.advanceTimersByTimeAsync(3_600_000);
  go();
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toMatchObject({ status: "finished" });
  expect(requests.filter((one) => one.includes("/runs/"))).toEqual([]);
});

test("a slower heartbeat is waited for two and a half times", async () => {
  const { graph, go } = held();
  const { fetch, requests } = halfOpen(serving({ heartbeat: 60_000 })(graph as never), 2);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url: "http://s", resumable: true, fetch });
  const sent = runner.sendMessage("Hi");
  await vi.advanceTimersByTimeAsync(150_000);
  expect(requests.filter((one) => one.includes("/runs/"))).toEqual([]);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(requests.filter((one) => one.includes("/runs/"))).toHaveLength(1);
  go();
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toMatchObject({ status: "finished" });
});

function serving(options: { heartbeat: number }) {
  return (graph: never) => serveAgUi(graph, { ...options, resumable: true });
}

/** Pads each answer by two comments, as for a proxy that holds back the first kilobytes. */
function padded(handler: Handler): Handler {
  return async (request) => {
    const response = await handler(request);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`:${" ".repeat(2048)}\n\n: heartbeat\n\n`)),
    });
    void response.body?.pipeTo(writable).catch(() => {});
    return new Response(readable, response);
  };
}
