// Models and tools as their own packages have them, and the requests to them.
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { tool as langchainTool } from "@langchain/core/tools";
import { MemorySaver as LangGraphMemorySaver } from "@langchain/langgraph-checkpoint";
import { generateText, jsonSchema, tool as aiTool } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { createAgent, createMiddleware, type AgentModel, mcpTools, tool } from "threadfold/agent";
import { concatChunk } from "threadfold/langgraph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { graphEvents } from "../../support/graph-events";

const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const sunny = () => "Sunny.";
const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const finishReason = { unified: "stop" as const, raw: "stop" };

/** Has the model asked twice. */
function again() {
  let asked = 0;
  return createMiddleware({
    name: "Again",
    afterModel: { canJumpTo: ["model"], hook: () => (asked++ === 0 ? { jumpTo: "model" } : undefined) },
  });
}

describe("the AI SDK", () => {
  const turns = () => [
    {
      content: [
        { type: "text" as const, text: "Let me look." },
        { type: "tool-call" as const, toolCallId: "c1", toolName: "weather", input: '{"city":"Rome"}' },
      ],
      finishReason,
      usage,
      warnings: [],
    },
    { content: [{ type: "text" as const, text: "Sunny in Rome." }], finishReason, usage, warnings: [] },
  ];

  test("is asked what the AI SDK's own loop asks", async () => {
    const [ours, theirs] = [turns(), turns()].map((answers) => new MockLanguageModelV3({ doGenerate: answers }));
    const agent = createAgent({
      model: ours as MockLanguageModelV3,
      tools: [tool({ name: "weather", description: "Tells it.", schema: weather, run: sunny })],
      systemPrompt: "Be brief.",
    });
    const { messages } = await agent.invoke({ messages: "Rome?" });
    await generateText({
      model: theirs as MockLanguageModelV3,
      system: "Be brief.",
      prompt: "Rome?",
      tools: {
        weather: aiTool({ description: "Tells it.", inputSchema: jsonSchema(weather as never), execute: sunny }),
      },
      stopWhen: () => false,
    });
    const asked = (model?: MockLanguageModelV3) =>
      model?.doGenerateCalls.map(({ prompt, tools, toolChoice }) => ({ prompt, tools, toolChoice }));
    expect(plain(asked(ours))).toEqual(plain(asked(theirs)));
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(messages[3]).toMatchObject({ content: "Sunny in Rome.", usage_metadata: { total_tokens: 5 } });
  });

  test("streams its tokens, calls included", async () => {
    const chunks = [
      { type: "stream-start" as const, warnings: [] },
      { type: "text-start" as const, id: "0" },
      { type: "text-delta" as const, id: "0", delta: "Sun" },
      { type: "text-delta" as const, id: "0", delta: "ny." },
      { type: "text-end" as const, id: "0" },
      { type: "finish" as const, finishReason, usage },
    ];
    const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
    const pieces: unknown[] = [];
    for await (const [message] of createAgent({ model }).stream({ messages: "Rome?" }, { streamMode: "messages" }))
      pieces.push((message as { content: unknown }).content);
    expect(pieces).toEqual(["Sun", "ny."]);
  });

  test("streams its reasoning, as AG-UI events, too", async () => {
    const delta = (type: "reasoning" | "text", text: string) => ({
      type: `${type}-delta` as const,
      id: type,
      delta: text,
    });
    const chunks = [
      { type: "reasoning-start" as const, id: "reasoning" },
      delta("reasoning", "Rome is "),
      delta("reasoning", "sunny."),
      { type: "reasoning-end" as const, id: "reasoning" },
      { type: "text-start" as const, id: "text" },
      delta("text", "Sun"),
      delta("text", "ny."),
      { type: "text-end" as const, id: "text" },
      { type: "finish" as const, finishReason, usage },
    ];
    const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
    const agent = createAgent({ model });
    let whole: object | undefined;
    for await (const [message] of agent.stream({ messages: "Rome?" }, { streamMode: "messages" }))
      whole = concatChunk(whole as never, message as never);
    const content = [
      { type: "reasoning", reasoning: "Rome is sunny." },
      { type: "text", text: "Sunny." },
    ];
    expect(whole).toMatchObject({ content });
    const told: string[] = [];
    const input = { threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "Rome?" }] };
    for await (const { type, delta } of graphEvents(agent, input as never) as AsyncIterable<{
      type: string;
      delta?: string;
    }>)
      if (/^(TEXT|REASONING)_MESSAGE_CONTENT/.test(type)) told.push(`${type.slice(0, 4)} ${delta}`);
    expect(told).toEqual(["REAS Rome is ", "REAS sunny.", "TEXT Sun", "TEXT ny."]);
  });

  test("of version 2, with arguments that are not JSON", async () => {
    const content = [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"city":' }];
    const model = { specificationVersion: "v2", doGenerate: async () => ({ content, ...v2 }) };
    const { messages } = await createAgent({ model, tools: [tool({ name: "weather", run: sunny })] }).invoke({
      messages: "Rome?",
    });
    // The model is not asked again automatically: an invalid call ends the loop, as in LangChain.
    expect(messages.at(-1)).toMatchObject({ invalid_tool_calls: [{ id: "c1", name: "weather" }] });
  });
});

const v2 = {
  finishReason: "stop" as const,
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  warnings: [],
};

/** Removes the AI SDK's additions to each part for providers' own options. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === "providerOptions" ? undefined : one)));

describe("@langchain/core", () => {
  test("a call without an id gets one", async () => {
    const model = {
      invoke: async (messages: readonly unknown[]) =>
        messages.length > 1
          ? new AIMessage("Done.")
          : new AIMessage({ content: "", tool_calls: [{ name: "t", args: {} }] }),
      bindTools: () => model,
    };
    const agent = createAgent({ model: model as never, tools: [tool({ name: "t", run: () => "ran" })] });
    const [, asked, told] = (await agent.invoke({ messages: "Go" })).messages;
    const { tool_calls: [call] = [] } = asked as { tool_calls?: { id?: string }[] };
    expect(call?.id).toMatch(/./);
    expect(told).toMatchObject({ type: "tool", content: "ran", tool_call_id: call?.id });
  });

  test("a chat model streams through its callbacks", async () => {
    const model = new FakeStreamingChatModel({ chunks: ["H", "i!"].map((content) => new AIMessageChunk(content)) });
    const pieces: string[] = [];
    const stream = createAgent({ model }).stream({ messages: "Hello" }, { streamMode: "messages" });
    for await (const [message] of stream) pieces.push((message as AIMessageChunk).content as string);
    expect(pieces.join("")).toBe("Hi!");
    expect(pieces.length).toBeGreaterThan(1);
  });

  test("a tool's answer is saved with its id by langgraph.js's savers, too", async () => {
    const model = (messages: readonly { type?: string }[]) =>
      messages.at(-1)?.type === "tool" ? "Noon." : { content: "", tool_calls: [{ id: "c1", name: "clock", args: {} }] };
    const clock = { name: "clock", description: "The time.", schema: z.object({}) };
    const byHand = (_: unknown, { toolCallId }: { toolCallId: string }) =>
      new ToolMessage({ content: "noon", tool_call_id: toolCallId });
    for (const one of [langchainTool(() => "noon", clock), tool({ name: "clock", run: byHand })]) {
      const agent = createAgent({ model, tools: [one], checkpointer: new LangGraphMemorySaver() });
      const { messages } = await agent.invoke({ messages: "The time?" }, { threadId: "t" });
      const { values } = await agent.getState({ threadId: "t" });
      const ids = (list: readonly object[]) => list.map((message) => (message as { id?: unknown }).id);
      expect(ids(values["messages"] as object[])).toEqual(ids(messages));
      expect(new Set(ids(messages)).size).toBe(4);
    }
  });

  test("tools are bound as they are and called with LangChain's config", async () => {
    const bound: unknown[] = [];
    const told: unknown[] = [];
    const adds = langchainTool(
      ({ a, b }: { a: number; b: number }, config: { toolCall?: { id?: string }; signal?: AbortSignal }) => {
        told.push(config.toolCall?.id, config.signal instanceof AbortSignal);
        return String(a + b);
      },
      { name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }) },
    );
    const answers = [
      new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "add", args: { a: 1, b: 2 } }] }),
      new AIMessage({ content: "", tool_calls: [{ id: "c2", name: "add", args: { a: "x" } }] }),
      new AIMessage("3"),
    ];
    const model: AgentModel = {
      bindTools: (tools: object[]) => {
        bound.push(...tools);
        return model;
      },
      invoke: async () => answers.shift(),
    };
    const controller = new AbortController();
    const { messages } = await createAgent({ model, tools: [adds] }).invoke(
      { messages: [new HumanMessage("1 + 2?")] },
      { signal: controller.signal },
    );
    expect(bound).toEqual([adds]);
    expect(told).toEqual(["c1", true]);
    expect(messages[2]).toBeInstanceOf(ToolMessage);
    expect(messages[2]).toMatchObject({ content: "3", tool_call_id: "c1" });
    expect(messages[4]).toMatchObject({ status: "error", tool_call_id: "c2" });
    expect(String(messages[4]?.content)).toContain("Error invoking tool 'add'");
  });

  test("its answer is one of its class with an id, and the same answer again is another message", async () => {
    for (const frozen of [false, true]) {
      const answer = new AIMessage({ content: "Again.", additional_kwargs: { of: "mine" } });
      if (frozen) Object.freeze(answer);
      const agent = createAgent({ model: { invoke: async () => answer }, middleware: [again()] });
      const { messages } = await agent.invoke({ messages: "Hi" });
      const answers = messages.slice(1) as unknown as AIMessage[];
      expect(answers.map((one) => one instanceof AIMessage && one.lc_kwargs["id"] === one.id)).toEqual([true, true]);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
      expect(answers[0]).toMatchObject({ content: "Again.", additional_kwargs: { of: "mine" } });
      expect(AIMessage.isInstance(answers[0])).toBe(true);
      expect([answer.id, "id" in answer.lc_kwargs]).toEqual([undefined, false]);
    }
  });

  test("a streaming model without callbacks is streamed, and its chunks make one message", async () => {
    const chunks = [new AIMessageChunk({ id: "m1", content: "a" }), new AIMessageChunk({ id: "m1", content: "b" })];
    const inner = new FakeStreamingChatModel({ chunks });
    const model: AgentModel = { invoke: () => inner.invoke([]), stream: () => inner.stream([]) };
    const agent = createAgent({ model });
    const pieces: unknown[] = [];
    for await (const [message] of agent.stream({ messages: "Go" }, { streamMode: "messages" }))
      pieces.push((message as { content: unknown }).content);
    expect(pieces).toEqual(["a", "b"]);
  });
});

test("a function is given tools and a signal, and its tokens are streamed", async () => {
  const agent = createAgent({
    model: (_, { onToken, tools }) => {
      for (const token of ["O", "k"]) onToken(token);
      return { content: `Ok, ${tools.length} tools` };
    },
    tools: [tool({ name: "a", run: () => "" })],
  });
  const pieces: unknown[] = [];
  for await (const [message] of agent.stream({ messages: "Go" }, { streamMode: "messages" }))
    pieces.push((message as { content: unknown }).content);
  expect(pieces).toEqual(["O", "k"]);
});

test("tools of an MCP client", async () => {
  const asked: unknown[] = [];
  const tools = await mcpTools({
    listTools: async () => ({
      tools: [
        { name: "fail", inputSchema: { type: "object" } },
        { name: "see", inputSchema: {} },
      ],
    }),
    callTool: async (request) => {
      asked.push(request);
      if (request.name === "fail") return { content: [{ type: "text", text: "No." }], isError: true };
      return {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      };
    },
  });
  const calls = tools.map(({ name }, at) => ({ id: `c${at}`, name, args: { at } }));
  const model = (messages: readonly { type: string }[]) =>
    messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: calls };
  const { messages } = await createAgent({ model, tools }).invoke({ messages: "Go" });
  expect(asked).toEqual([
    { name: "fail", arguments: { at: 0 } },
    { name: "see", arguments: { at: 1 } },
  ]);
  expect(messages.slice(2, 4)).toMatchObject([
    { content: "No.", status: "error", name: "fail" },
    { content: "a\nb", status: "success", name: "see" },
  ]);
});

test("tools of an MCP client are those of all its pages", async () => {
  const names = Array.from({ length: 5 }, (_, at) => `t${at}`);
  const pages = (next: (at: number) => string | undefined) => {
    const listTools = vi.fn(async ({ cursor = "0" }: { cursor?: string } = {}) => ({
      tools: names.slice(Number(cursor), Number(cursor) + 2).map((name) => ({ name, inputSchema: {} })),
      nextCursor: next(Number(cursor) + 2),
    }));
    return { listTools, callTool: async () => ({}) };
  };
  const whole = pages((at) => (at < names.length ? String(at) : undefined));
  expect((await mcpTools(whole)).map(({ name }) => name)).toEqual(names);
  expect(whole.listTools.mock.calls).toEqual([[], [{ cursor: "2" }], [{ cursor: "4" }]]);
  for (const [client, calls] of [
    [pages(() => "2"), 2],
    [pages(String), 1001],
  ] as const) {
    await expect(mcpTools(client)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(client.listTools).toHaveBeenCalledTimes(calls);
  }
});

test("arguments are checked by JSON Schema and by zod, whose output the tool gets", async () => {
  const got: unknown[] = [];
  const schemas = [
    { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    z.object({ n: z.coerce.number().int() }),
  ];
  for (const schema of schemas) {
    const args = [{ n: "x" }, {}, { n: 3 }].map((given, at) => ({ id: `c${at}`, name: "take", args: given }));
    const model = (messages: readonly { type: string }[]) =>
      messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: args };
    const take = tool({ name: "take", schema, run: (given: unknown) => void got.push(given) });
    const { messages } = await createAgent({ model, tools: [take] }).invoke({ messages: "Go" });
    const results = messages.slice(2, 5) as { status?: string; content: string }[];
    expect(results.map(({ status }) => status)).toEqual(["error", "error", "success"]);
    expect(results[0]?.content).toMatch(/n: .+\n Please fix the error and try again\.$/);
  }
  expect(got).toEqual([{ n: 3 }, { n: 3 }]);
});

describe("a function", () => {
  const x = tool({ name: "x", run: () => "done" });
  const answering = (call: object) =>
    createAgent({
      model: (messages) => (messages.at(-1)?.type === "tool" ? "ok" : { tool_calls: [call as never] }),
      tools: [x],
    }).invoke({ messages: "Hi" });

  test("may leave out the ids of its calls", async () => {
    const { messages } = await answering({ name: "x", args: {} });
    const [, ai, result] = messages as { tool_calls?: { id?: string }[]; tool_call_id?: string }[];
    expect(result?.tool_call_id).toMatch(/./);
    expect(ai?.tool_calls?.[0]?.id).toBe(result?.tool_call_id);
  });

  test.each([
    [{ name: "x", arguments: "{}" }, "The model's call of 'x' is invalid: expected { name, args, id }"],
    [{ args: {} }, "A tool call of the model is invalid: expected { name, args, id }"],
  ])("is told that %j is no call", async (call, sentence) => {
    await expect(answering(call)).rejects.toThrow(sentence);
  });
});
