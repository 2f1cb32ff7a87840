// A page that lets the user choose a thread: threads() lists them, load() opens one.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

type Handler = (request: Request) => Promise<Response>;

/** A graph that asks about "Ask", waits at "Wait" until it is let go, and answers everything else. */
function graphOf() {
  let go: () => void = () => {};
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("answer", async ({ messages }) => {
      const text = messages.at(-1)?.text ?? "";
      if (text === "Ask") return { messages: [{ role: "assistant", content: String(interrupt("Yes?")) }] };
      if (text === "Wait") await new Promise<void>((resolve) => (go = resolve));
      return { messages: [{ role: "assistant", content: `${text}!` }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  return { graph: graph as never, go: () => go() };
}

const through =
  (handler: Handler, user?: string): typeof fetch =>
  async (url, init) => {
    const request = new Request(url, init);
    if (user) request.headers.set("authorization", user);
    return handler(request);
  };

const agUi = (handler: Handler, threadId: string, user?: string) =>
  new AgUiRunner(new Thread<AgUiState>({ threadId }), {
    url: "http://s/agent/",
    resumable: true,
    fetch: through(handler, user),
  });
const langGraph = (handler: Handler, threadId: string) =>
  new LangGraphRunner(new Thread({ threadId }), { apiUrl: "http://s", assistantId: "agent", fetch: through(handler) });
const byClient = (handler: Handler, threadId: string) => {
  const client = new Client({ apiUrl: "http://s", callerOptions: { fetch: through(handler), maxRetries: 0 } });
  return new LangGraphRunner(new Thread({ threadId }), {
    transport: clientTransport(client as never, { assistantId: "agent" }),
  });
};

const textsOf = (thread: { getState(): object }) =>
  (thread.getState() as { messages: { content: unknown }[] }).messages.map(({ content }) => content);

test.each([
  ["serveAgUi", (graph: never) => serveAgUi(graph, { resumable: true }), agUi],
  ["serveLangGraph", (graph: never) => serveLangGraph({ agent: graph }), langGraph],
  ["serveLangGraph, by the SDK's client", (graph: never) => serveLangGraph({ agent: graph }), byClient],
])("%s: the last changed thread is first, each with its status", async (_, serve, open) => {
  const { graph, go } = graphOf();
  const handler = serve(graph);
  await open(handler, "done").sendMessage("Hi");
  await open(handler, "asks").sendMessage("Ask");
  const wait = open(handler, "waits");
  const waiting = wait.sendMessage("Wait");
  await expect.poll(() => wait.status).toBe("streaming");

  const runner = open(handler, "done");
  const list = await runner.threads();
  expect(list.map(({ threadId, status }) => [threadId, status])).toEqual([
    ["waits", "streaming"],
    ["asks", "interrupted"],
    ["done", "ready"],
  ]);
  for (const { createdAt = "", updatedAt = "" } of list) {
    expect(new Date(createdAt).toISOString()).toBe(createdAt);
    expect(updatedAt >= createdAt).toBe(true);
  }
  expect((await runner.threads({ limit: 1, offset: 1 })).map(({ threadId }) => threadId)).toEqual(["asks"]);

  // One that is chosen opens, whatever its run does.
  const [done, asks] = [open(handler, "done"), open(handler, "asks")];
  expect(await done.load()).toMatchObject({ status: "finished" });
  expect(await asks.load()).toMatchObject({ status: "interrupted", interrupts: [{ value: "Yes?" }] });
  const joined = open(handler, "waits");
  const joining = joined.load();
  await expect.poll(() => joined.status).toBe("streaming");
  go();
  expect([(await waiting).status, (await joining).status]).toEqual(["finished", "finished"]);
  expect([done, asks, joined].map(({ thread }) => textsOf(thread))).toEqual([
    ["Hi", "Hi!"],
    ["Ask"],
    ["Wait", "Wait!"],
  ]);
  // A run makes an older thread the first.
  await done.sendMessage("More");
  expect((await done.threads({ limit: 1 })).map(({ threadId }) => threadId)).toEqual(["done"]);
});

test("serveAgUi lists a user's own threads, and none that was only claimed", async () => {
  const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "" });
  const handler = serveAgUi(graphOf().graph, { resumable: true, authenticate });
  await agUi(handler, "a", "Ada").sendMessage("Hi");
  await agUi(handler, "b", "Bob").sendMessage("Hi");
  const idsOf = async (user: string) => (await agUi(handler, "x", user).threads()).map(({ threadId }) => threadId);
  expect([await idsOf("Ada"), await idsOf("Bob"), await idsOf("Eve")]).toEqual([["a"], ["b"], []]);
});

test("serveAgUi: a thread that cannot be read fails no other", async () => {
  const { graph } = graphOf();
  const handler = serveAgUi(graph, { resumable: true });
  await agUi(handler, "good").sendMessage("Hi");
  await agUi(handler, "bad").sendMessage("Hi");
  const { getState } = graph as { getState(config: { configurable: { thread_id: string } }): Promise<unknown> };
  Object.assign(graph, {
    getState(config: { configurable: { thread_id: string } }) {
      if (config.configurable.thread_id === "bad") throw new Error("unreadable");
      return getState.call(graph, config);
    },
  });
  expect((await agUi(handler, "x").threads()).map(({ threadId, status }) => [threadId, status])).toEqual([
    ["bad", "error"],
    ["good", "ready"],
  ]);
});

test("a list that cannot be had is an error", async () => {
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    url: "http://s",
    fetch: through(async () => new Response()),
  });
  await expect(runner.threads()).rejects.toMatchObject({ code: "UNSUPPORTED" });
  const answered = (answer: () => Response) => agUi(async () => answer(), "t").threads();
  await expect(answered(() => Response.json({}))).rejects.toMatchObject({ code: "BAD_RESPONSE" });
  await expect(answered(() => new Response("no", { status: 500 }))).rejects.toMatchObject({
    code: "BAD_RESPONSE",
    status: 500,
  });
  await expect(langGraph(async () => Response.json([{}]), "t").threads()).rejects.toMatchObject({
    code: "BAD_RESPONSE",
  });
  await expect(runner.threads({ limits: 1 } as never)).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
  expect((await serveAgUi(graphOf().graph)(new Request("http://s/threads?limit=x"))).status).toBe(422);
});
