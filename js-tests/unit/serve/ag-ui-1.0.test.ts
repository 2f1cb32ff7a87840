// What AG-UI 1.0 asks of both sides, and what reaches the page of it.
import { EventSchemas } from "@ag-ui/core/schemas";
import { defineSchema, field, Thread, toLangChain, type AgUiState } from "threadfold";
import { AgUiRunner, foldAgUi, graphTransport, runInput } from "threadfold/ag-ui";
import { GraphAgent } from "threadfold/ag-ui/client";
import { MemorySaver } from "threadfold/checkpoint";
import { START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { MessagesAnnotation, StateGraph as TheirGraph } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { ScriptedModel } from "./graphs.js";

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

const answering = (...messages: object[]) =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({ messages }) as never)
    .addEdge(START, "answer")
    .compile({ checkpointer: new MemorySaver() });

const ANSWER = {
  type: "ai",
  id: "a",
  content: [
    { type: "reasoning", reasoning: "They greet." },
    { type: "text", text: "Hello" },
  ],
  usage_metadata: {
    input_tokens: 12,
    output_tokens: 3,
    total_tokens: 15,
    input_token_details: { cache_read: 8 },
    output_token_details: { reasoning: 1 },
  },
  response_metadata: { model_name: "large", model_provider: "lab" },
};
const USAGE = [
  {
    provider: "lab",
    model: "large",
    inputTokens: 12,
    outputTokens: 3,
    totalTokens: 15,
    cachedInputTokens: 8,
    reasoningTokens: 1,
  },
];

const served = (graph: never) => {
  const handler = serveAgUi(graph, { resumable: true });
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  return { handler, options: { url: "http://made/agent", resumable: true, fetch } };
};

test("both sides declare the protocol's version", async () => {
  expect(runInput(new Thread({ threadId: "t" }))).toMatchObject({ protocolVersion: "1.0" });
  const { options } = served(answering(ANSWER) as never);
  const events: { type: string; protocolVersion?: string }[] = [];
  const sent: string[] = [];
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
    ...options,
    fetch: async (url, init) => {
      if (init?.body) sent.push((JSON.parse(init.body as string) as { protocolVersion: string }).protocolVersion);
      return options.fetch(url, init);
    },
    onEvent: (event) => void events.push(event),
  });
  await runner.sendMessage("Hi");
  expect([sent, events[0]]).toMatchObject([["1.0"], { type: "RUN_STARTED", protocolVersion: "1.0" }]);
  for (const event of events) EventSchemas.parse(event);
});

test("the tokens that a run used, by model, and its result are in the results of a fold and of a runner", async () => {
  const { options } = served(answering(ANSWER, { ...ANSWER, id: "b", response_metadata: {} }) as never);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), options);
  const [{ provider: _, model: __, ...counts }] = USAGE as [(typeof USAGE)[0]];
  expect((await runner.sendMessage("Hi")).usage).toEqual([...USAGE, counts]);
  const end = { ...finished, result: { said: "yes" }, usage: USAGE };
  const events = [started, end];
  expect(await foldAgUi(new Thread(), events)).toMatchObject({ value: { said: "yes" }, usage: USAGE });
  const other = new AgUiRunner(new Thread<AgUiState>(), { transport: { run: () => events } });
  expect(await other.sendMessage("Hi")).toMatchObject({ value: { said: "yes" }, usage: USAGE });
  expect(await foldAgUi(new Thread(), [started, finished])).not.toHaveProperty("usage");
});

test("a result that came with a snapshot of the messages is no call to answer", async () => {
  const call = { id: "c", type: "function", function: { name: "n", arguments: "{}" } };
  const events = [
    started,
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "n", parentMessageId: "a" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: "c" },
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [
        { id: "a", role: "assistant", toolCalls: [call] },
        { id: "r", role: "tool", toolCallId: "c", content: "42" },
      ],
    },
    finished,
  ];
  expect((await foldAgUi(new Thread(), events)).pendingToolCallIds).toEqual([]);
  expect(
    (
      await foldAgUi(
        new Thread(),
        events.filter(({ type }) => type !== "MESSAGES_SNAPSHOT"),
      )
    ).pendingToolCallIds,
  ).toEqual(["c"]);
});

test.each([[[1, 2]], ["text"], [7]])(
  "a state of %j is an error that listeners hear of, and changes nothing",
  async (snapshot) => {
    const thread = new Thread<AgUiState & { mood?: string }>({ values: { mood: "calm" } });
    const errors: string[] = [];
    thread.on("error", ({ message }) => void errors.push(message));
    await foldAgUi(thread, [started, { type: "STATE_SNAPSHOT", snapshot }, finished]);
    expect(errors).toEqual([expect.stringContaining("STATE_SNAPSHOT")]);
    expect(thread.getState()).toMatchObject({ mood: "calm" });
  },
);

test("a thread that is asked for has the reasoning before its message", async () => {
  const { handler, options } = served(answering(ANSWER) as never);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), options);
  await runner.sendMessage("Hi");
  const response = await handler(new Request("http://made/agent/threads/t"));
  const { messages } = (await response.json()) as { messages: { id: string; role: string; content: string }[] };
  expect(messages.slice(1).map(({ id, role }) => [id, role])).toEqual([
    ["a:reasoning", "reasoning"],
    ["a", "assistant"],
  ]);
  expect(messages[1]?.content).toBe("They greet.");
  const reloaded = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), options);
  await reloaded.load();
  expect(
    reloaded.thread
      .getState()
      .messages.map(({ id }) => id)
      .slice(1),
  ).toEqual(["a:reasoning", "a"]);
  expect(await reloaded.sendMessage("Again")).toMatchObject({ status: "finished" });
});

test("GraphAgent: the signal of a run that ended well is not aborted; its capabilities are declared", async () => {
  let signal: AbortSignal | undefined;
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", (_, ctx) => {
      ({ signal } = ctx);
      return { messages: [{ type: "ai", content: "Hello" }] };
    })
    .addEdge(START, "answer")
    .compile();
  const agent = new GraphAgent({ graph });
  await agent.runAgent();
  expect(agent.abortController.signal.aborted).toBe(false);
  expect(signal?.aborted).toBe(false);
  expect(await agent.getCapabilities()).toMatchObject({
    transport: { streaming: true },
    humanInTheLoop: { interrupts: false },
  });
  const runner = new AgUiRunner(new Thread<AgUiState>(), { transport: graphTransport(graph) });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
});

test("content that LangChain has no block for reaches the graph: binary parts as media, later ones as they are", () => {
  const content = [
    { type: "binary", mimeType: "image/png", data: "aGk=" },
    { type: "binary", mimeType: "application/pdf", url: "https://example.com/a.pdf", filename: "a.pdf" },
    { type: "hologram", source: { value: "x" } },
  ];
  const message = { id: "u", role: "user", content };
  expect(toLangChain(message).content).toEqual([
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    {
      type: "file",
      source_type: "url",
      url: "https://example.com/a.pdf",
      mime_type: "application/pdf",
      filename: "a.pdf",
    },
    { type: "hologram", source: { value: "x" } },
  ]);
});

test("a served graph sends the rules of predict_state before the call, and a state that a node emits itself", async () => {
  const rules = [{ state_key: "memo", tool: "write", tool_argument: "text" }];
  const graph = new StateGraph(defineSchema({ messages: field.messages(), memo: field.replace() }))
    .addNode("answer", (_, ctx) => {
      ctx.write({ name: "manually_emit_state", value: { memo: "Dear" } });
      ctx.write({ name: "PredictState", value: rules });
      return { memo: "Dear Ada" };
    })
    .addEdge(START, "answer")
    .compile();
  const events: Record<string, unknown>[] = [];
  const runner = new AgUiRunner(new Thread<AgUiState & { memo?: string }>() as never, {
    transport: graphTransport(graph),
    onEvent: (event) => void events.push(event as never),
  });
  await runner.sendMessage("Hi");
  const told = events.filter(({ type }) => /^(STATE_|CUSTOM)/.test(String(type)));
  expect(told.slice(-3)).toEqual([
    { type: "STATE_SNAPSHOT", snapshot: { memo: "Dear" } },
    { type: "CUSTOM", name: "PredictState", value: rules },
    { type: "STATE_DELTA", delta: [{ op: "replace", path: "/memo", value: "Dear Ada" }] },
  ]);
});

test("the rules in the metadata of a model's run come before the call that they are for, once", async () => {
  const rules = [{ state_key: "city", tool: "weather", tool_argument: "city" }];
  const model = new ScriptedModel();
  const graph = new TheirGraph(MessagesAnnotation)
    .addNode("model", async ({ messages: list }, config) => ({
      messages: [
        await model.invoke(list, {
          ...config,
          metadata: { ...(config as { metadata?: object }).metadata, predict_state: rules },
        }),
      ],
    }))
    .addEdge(START, "model")
    .compile();
  const events: Record<string, unknown>[] = [];
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: graphTransport(graph as never),
    onEvent: (event) => void events.push(event as never),
  });
  await runner.sendMessage("How is the weather?");
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "CUSTOM")).toHaveLength(1);
  expect(types.indexOf("CUSTOM")).toBe(types.indexOf("TOOL_CALL_START") - 1);
  expect(events).toContainEqual({ type: "CUSTOM", name: "PredictState", value: rules });
});
