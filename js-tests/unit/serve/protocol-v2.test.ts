// Protocol v2 of `serveLangGraph` on the wire: its commands, and the streams of a thread's events.
import { Client } from "@langchain/langgraph-sdk";
import { isUnknownInterruptError, StreamController } from "@langchain/langgraph-sdk/stream";
import { defineSchema, field } from "threadfold";
import { createAgent, tool } from "threadfold/agent";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph, type FetchHandler, type ServeLangGraphOptions } from "threadfold/serve";
import { expect, test } from "vitest";

interface Event {
  readonly event_id: string;
  readonly seq: number;
  readonly method: string;
  readonly params: { readonly namespace: string[]; readonly data: Record<string, unknown> };
}

const ALL = ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"];

/** A thread of a server: its commands, and a reader of its stream. */
function threadOf(handler: FetchHandler, id = "t", headers: Record<string, string> = {}) {
  const post = (path: string, body: object) =>
    handler(
      new Request(`http://localhost/threads/${id}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
  const command = async (method: string, params: object = {}) =>
    (await (await post("/commands", { id: 1, method, params })).json()) as Record<string, unknown> & {
      result: Record<string, unknown>;
      meta: { applied_through_seq: number };
    };
  /** Reads events until one fits, then leaves. */
  async function read(isLast: (event: Event) => boolean, filter: object = {}): Promise<Event[]> {
    const response = await post("/stream/events", { channels: ALL, ...filter });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const events: Event[] = [];
    let text = "";
    while (!events.some(isLast)) {
      text += new TextDecoder().decode((await reader.read()).value);
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks.filter((one) => !one.startsWith(":")))
        events.push(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] as string) as Event);
    }
    await reader.cancel();
    return events;
  }
  return { post, command, read };
}

const isEnd = ({ method, params: { namespace, data } }: Event) =>
  method === "lifecycle" &&
  namespace.length === 0 &&
  ["completed", "failed", "interrupted"].includes(data["event"] as string);
const start = { assistant_id: "agent", input: { log: ["hi"] } };

const Log = defineSchema({ log: field.append<string>() });

function askingGraph() {
  return new StateGraph(Log)
    .addNode("ask", (_, { interrupt }) => ({ log: [`answered ${String(interrupt({ question: "Well?" }))}`] }), {
      ends: ["aside"],
    })
    .addNode("aside", () => ({ log: ["aside"] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
}

async function asked(options: ServeLangGraphOptions = {}, graph: object = askingGraph()) {
  const handler = serveLangGraph(graph as never, options);
  const thread = threadOf(handler);
  await thread.command("run.start", start);
  const events = await thread.read(isEnd);
  const request = events.find(({ method }) => method === "input.requested");
  return { handler, thread, events, id: request?.params.data["interrupt_id"] as string };
}

const endOf = (events: readonly Event[]) => events.filter(isEnd).at(-1)?.params.data;
const after = (seq: number) => (event: Event) => isEnd(event) && event.seq > seq;

test("an answer with an update and a jump is one super-step, and the stream reports what was answered", async () => {
  const { thread, events, id } = await asked();
  const { seq } = events.at(-1) as Event;
  const answer = { interrupt_id: id, response: "yes", update: { log: ["pushed"] }, goto: "aside" };
  expect(await thread.command("input.respond", answer)).toMatchObject({ type: "success", result: {} });
  const more = await thread.read(after(seq), { since: seq });
  expect(more[1]).toMatchObject({ method: "input.answered", params: { data: { interrupt_ids: [id] } } });
  const { result } = await thread.command("state.get", { keys: ["log"] });
  // The two tasks of the super-step, in their order.
  expect(result["values"]).toEqual({ log: ["hi", "pushed", "aside", "answered yes"] });
});

test("an answer to a question that is not open runs nothing: the SDK's UnknownInterruptError", async () => {
  const { handler, id } = await asked();
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch } as never });
  const controller = new StreamController({ assistantId: "agent", client, threadId: "t", fetch: fetch as never });
  const stop = controller.activate();
  await controller.hydrationPromise;
  // The replay of the first run has come.
  await expect.poll(() => controller.getThread()?.interrupted).toBe(true);
  await controller.respond("yes", { interruptId: "other", namespace: [] } as never);
  await expect.poll(() => controller.rootStore.getSnapshot().error, { timeout: 5_000 }).toBeDefined();
  const { error } = controller.rootStore.getSnapshot();
  expect(isUnknownInterruptError(error)).toBe(true);
  expect(error).toMatchObject({ interruptIds: ["other"], pendingIds: [id] });
  expect(await client.threads.get("t")).toMatchObject({ status: "interrupted" });
  stop();
  await controller.dispose();
});

test("a question is answered once: the second of two answers finds it taken", async () => {
  const { thread, id } = await asked();
  const [first, second] = await Promise.all([
    thread.command("input.respond", { interrupt_id: id, response: "a" }),
    thread.command("input.respond", { interrupt_id: id, response: "b" }),
  ]);
  expect(first).toMatchObject({ type: "success" });
  expect(second).toMatchObject({ type: "error", error: "invalid_argument" });
});

test("where clients may not write, an answer brings no update and no jump", async () => {
  const { thread, id } = await asked({ clientWrites: false });
  for (const more of [{ update: { log: ["x"] } }, { goto: "aside" }])
    expect(await thread.command("input.respond", { interrupt_id: id, response: "yes", ...more })).toMatchObject({
      type: "error",
      error: "permission_denied",
      message: expect.stringContaining("clientWrites"),
    });
});

test("a stream begins after `since`, and filters by channel, namespace and depth", async () => {
  const { thread, events } = await asked();
  const [first] = events as [Event];
  const rest = await thread.read(isEnd, { since: first.seq });
  expect(rest).toEqual(events.slice(1));
  const only = await thread.read(isEnd, { channels: ["lifecycle", "input"], namespaces: [[]], depth: 0 });
  expect(only.map(({ method }) => method)).toEqual(["lifecycle", "input.requested", "lifecycle"]);
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
});

test.each([
  [{}, "channels"],
  [{ channels: ["values"], since: -1 }, "since"],
  [{ channels: ["values"], depth: "1" }, "depth"],
  [{ channels: ["values"], namespaces: ["a"] }, "namespaces"],
  [{ channels: ["values"], sinse: 1 }, "sinse"],
])("the filter %j is refused by name", async (filter, name) => {
  const response = await threadOf(serveLangGraph(askingGraph())).post("/stream/events", filter);
  expect(response.status).toBe(422);
  expect(await response.json()).toEqual({ detail: expect.stringContaining(name) });
});

test.each([
  ["subscription.subscribe", "not_supported"],
  ["input.inject", "not_supported"],
  ["state.fork", "unknown_command"],
  ["run.start", "invalid_argument"],
  ["input.respond", "invalid_argument"],
  ["agent.getTree", "no_such_run"],
])("the command %s without more is %s", async (method, error) => {
  const answer = await threadOf(serveLangGraph(askingGraph())).command(method);
  expect(answer).toMatchObject({ type: "error", id: 1, error, message: expect.any(String) });
});

test("a run of the protocol is listed, waited for and stopped over the runs API, but read over the protocol", async () => {
  const handler = serveLangGraph(askingGraph());
  const thread = threadOf(handler);
  const { result } = await thread.command("run.start", { ...start, metadata: { of: "test" } });
  await thread.read(isEnd);
  const get = (path: string) => handler(new Request(`http://localhost/threads/t/runs${path}`));
  expect(await (await get("")).json()).toMatchObject([{ run_id: result["run_id"], metadata: { of: "test" } }]);
  expect(await (await get(`/${String(result["run_id"])}/join`)).json()).toMatchObject({ log: ["hi"] });
  expect((await get(`/${String(result["run_id"])}/stream`)).status).toBe(422);
});

test("another user's thread is neither commanded nor read", async () => {
  const authenticate = (request: Request) => ({ identity: request.headers.get("x-user") as string });
  const handler = serveLangGraph(askingGraph(), { authenticate });
  const ada = threadOf(handler, "t", { "x-user": "ada" });
  await ada.command("run.start", start);
  await ada.read(isEnd);
  const bob = threadOf(handler, "t", { "x-user": "bob" });
  for (const [path, body] of [
    ["/commands", { id: 1, method: "run.start", params: start }],
    ["/commands", { id: 1, method: "state.get" }],
    ["/stream/events", { channels: ALL }],
  ] as const)
    expect((await bob.post(path, body)).status).toBe(404);
});

test("onParts changes the events, too", async () => {
  async function* onParts(parts: AsyncIterable<{ event: string; data: unknown }>) {
    for await (const part of parts) if (part.event !== "custom") yield part;
  }
  const graph = new StateGraph(Log)
    .addNode("a", (_, { write }) => {
      write({ secret: 1 });
      return { log: ["a"] };
    })
    .addEdge(START, "a")
    .compile();
  const thread = threadOf(serveLangGraph(graph, { onParts }));
  await thread.command("run.start", start);
  expect((await thread.read(isEnd)).map(({ method }) => method)).not.toContain("custom");
});

test("an agent's message streams as blocks, its tools report, and its usage comes at the end", async () => {
  const agent = createAgent({
    model: (messages, { onToken, onToolCall }) => {
      if (messages.at(-1)?.type === "tool") return "Sunny.";
      for (const text of ["Let ", "me."]) onToken(text);
      onToolCall({ index: 0, id: "c1", name: "weather" });
      for (const args of ['{"city":', '"Rome"}']) onToolCall({ index: 0, args });
      return {
        content: "Let me.",
        tool_calls: [{ id: "c1", name: "weather", args: { city: "Rome" } }],
        usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      };
    },
    tools: [tool({ name: "weather", run: () => "sunny" })],
  });
  const thread = threadOf(serveLangGraph(agent as never));
  await thread.command("run.start", { assistant_id: "agent", input: { messages: [{ type: "human", content: "?" }] } });
  const events = await thread.read(isEnd);
  expect(endOf(events)).toMatchObject({ event: "completed" });
  const data = (method: string) => events.filter((event) => event.method === method).map(({ params }) => params.data);
  const blocks = data("messages").filter((event) => event["run_id"] === data("messages")[0]?.["run_id"]);
  expect(blocks.map(({ event }) => event)).toEqual([
    "message-start",
    "content-block-start",
    "content-block-delta",
    "content-block-delta",
    "content-block-start",
    "content-block-delta",
    "content-block-delta",
    "content-block-finish",
    "content-block-finish",
    "message-finish",
  ]);
  expect(blocks.slice(-3)).toMatchObject([
    { index: 0, content: { type: "text", text: "Let me." } },
    { index: 1, content: { type: "tool_call", id: "c1", name: "weather", args: { city: "Rome" } } },
    { usage: { total_tokens: 7 } },
  ]);
  expect(data("tools")).toMatchObject([
    { event: "tool-started", tool_call_id: "c1", tool_name: "weather" },
    { event: "tool-finished", tool_call_id: "c1", output: { type: "tool", content: "sunny" } },
  ]);
  const { result } = await thread.command("agent.getTree");
  expect(result["tree"]).toMatchObject({ namespace: [], status: "completed", graph_name: "agent" });
});
