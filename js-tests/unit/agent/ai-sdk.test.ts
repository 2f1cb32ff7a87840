// Models of the AI SDK: their metadata, media, usage, calls of their providers, and errors.
import { generateText as generateText7, jsonSchema as jsonSchema7, stepCountIs, tool as tool7 } from "ai-7";
import { MockLanguageModelV4, simulateReadableStream } from "ai-7/test";
import { generateText, jsonSchema, stepCountIs as stepCountIs6, tool as tool6 } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createAgent, tool } from "threadfold/agent";
import { ThreadfoldError } from "threadfold";
import { describe, expect, test } from "vitest";

type Part = Record<string, unknown>;

const usage = {
  inputTokens: { total: 30, noCache: 8, cacheRead: 20, cacheWrite: 2 },
  outputTokens: { total: 9, text: 2, reasoning: 7 },
};
const finishReason = { unified: "stop", raw: "stop" };
const answer = (...content: object[]) => ({ content, finishReason, usage, warnings: [] });
const text = (value: string) => ({ type: "text", text: value });
const call = (id: string, more: object = {}) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "look",
  input: "{}",
  ...more,
});
const signed = { providerMetadata: { anthropic: { signature: "S1g" } } };
const thought = (id: string) => ({ providerMetadata: { google: { thoughtSignature: id } } });

/** The prompts that a mock received, without the keys that are undefined. */
const asked = ({ doGenerateCalls }: { doGenerateCalls: { prompt: unknown }[] }) =>
  doGenerateCalls.map(({ prompt }) => JSON.parse(JSON.stringify(prompt)) as Part[]);

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAEC" } };
const look = tool({ name: "look", run: () => [{ type: "text", text: "Seen:" }, image] });

/** A stream of parts, as a model answers. */
const streaming = (...parts: object[]) => {
  const end = { type: "finish", finishReason, usage };
  const chunks = [{ type: "stream-start", warnings: [] }, ...parts, end];
  return new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) as never });
};

/** Streams a run; returns the chunks and the messages at its end. */
async function streamed(model: object, tools: object[] = []) {
  const chunks: Part[] = [];
  let messages: Part[] = [];
  const agent = createAgent({ model: model as never, tools: tools as never });
  for await (const [mode, part] of agent.stream({ messages: "Go" }, { streamMode: ["messages", "values"] }))
    if (mode === "messages") chunks.push((part as unknown as [Part])[0]);
    else messages = (part as unknown as { messages: Part[] }).messages;
  return { chunks, messages };
}

describe("the next request of a loop is the AI SDK's own", () => {
  const turns = () => [
    answer(
      { type: "reasoning", text: "Two ", ...signed },
      { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "R" } } },
      { ...text("Looking."), ...thought("t0") },
      call("c1", thought("t1")),
      { type: "reasoning", text: "once more", providerMetadata: { openai: { itemId: "rs_2" } } },
      call("c2", thought("t2")),
      { type: "tool-call", toolCallId: "s1", toolName: "search", input: '{"q":"x"}', providerExecuted: true },
      { type: "tool-result", toolCallId: "s1", toolName: "search", result: { found: 1 }, providerExecuted: true },
      { type: "source", sourceType: "url", id: "u1", url: "https://example.com/" },
    ),
    answer(text("Done.")),
  ];
  const [data, mediaType] = ["AAEC", "image/png"];
  const seen = (media: object) => [{ type: "text", text: "Seen:" }, media];

  test("version 3", async () => {
    const [ours, theirs] = [turns(), turns()].map((doGenerate) => new MockLanguageModelV3({ doGenerate } as never));
    await createAgent({ model: ours as never, tools: [look] }).invoke({ messages: "Go" });
    await generateText({
      model: theirs as never,
      prompt: "Go",
      stopWhen: stepCountIs6(2),
      tools: {
        look: tool6({
          inputSchema: jsonSchema({ type: "object" }),
          execute: () => "",
          toModelOutput: () => ({ type: "content", value: seen({ type: "image-data", data, mediaType }) as never }),
        }),
      },
    });
    expect(asked(ours as never)[1]).toEqual(asked(theirs as never)[1]);
  });

  test("version 4", async () => {
    const [ours, theirs] = [turns(), turns()].map((doGenerate) => new MockLanguageModelV4({ doGenerate } as never));
    await createAgent({ model: ours as never, tools: [look] }).invoke({ messages: "Go" });
    await generateText7({
      model: theirs as never,
      prompt: "Go",
      stopWhen: stepCountIs(2),
      tools: {
        look: tool7({
          inputSchema: jsonSchema7({ type: "object" }),
          execute: () => "",
          toModelOutput: () => ({
            type: "content",
            value: seen({ type: "file", data: { type: "data", data }, mediaType }) as never,
          }),
        }),
      },
    });
    expect(asked(ours as never)[1]).toEqual(asked(theirs as never)[1]);
  });

  test("version 2 has the media of its results", async () => {
    const doGenerateCalls: { prompt: unknown }[] = [];
    const answers = turns().map((turn) => ({ ...turn, finishReason: "stop", usage: v2Usage }));
    const model = {
      specificationVersion: "v2",
      doGenerateCalls,
      doGenerate: async (options: { prompt: unknown }) => answers[doGenerateCalls.push(options) - 1],
    };
    const { messages } = await createAgent({ model, tools: [look] }).invoke({ messages: "Go" });
    const [, second = []] = asked(model);
    const { content } = second.at(-1) as { content: object[] };
    expect(content[0]).toMatchObject({
      output: { type: "content", value: seen({ type: "media", data, mediaType }) },
    });
    expect(messages.at(-1)).toMatchObject({
      usage_metadata: {
        input_tokens: 30,
        output_tokens: 9,
        total_tokens: 39,
        input_token_details: { cache_read: 20 },
        output_token_details: { reasoning: 7 },
      },
    });
  });

  const v2Usage = { inputTokens: 30, outputTokens: 9, totalTokens: 39, cachedInputTokens: 20, reasoningTokens: 7 };
});

test("a message counts cached and reasoning tokens", async () => {
  const model = new MockLanguageModelV4({ doGenerate: answer(text("Hi")) as never });
  const { messages } = await createAgent({ model: model as never }).invoke({ messages: "Go" });
  expect(messages.at(-1)).toMatchObject({
    content: "Hi",
    usage_metadata: {
      input_tokens: 30,
      output_tokens: 9,
      total_tokens: 39,
      input_token_details: { cache_read: 20, cache_creation: 2 },
      output_token_details: { reasoning: 7 },
    },
  });
});

test("a message keeps sources, files and the calls of the provider", async () => {
  const parts = [
    text("See "),
    { type: "source", sourceType: "url", id: "u1", url: "https://example.com/", title: "Example" },
    { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([0, 1, 2]) } },
    { type: "tool-call", toolCallId: "s1", toolName: "search", input: '{"q":"x"}', providerExecuted: true },
    { type: "tool-result", toolCallId: "s1", toolName: "search", result: "part", preliminary: true },
    { type: "tool-result", toolCallId: "s1", toolName: "search", result: "all", isError: false },
    { type: "custom", kind: "xai.note", providerMetadata: { xai: { id: 1 } } },
  ];
  const kept = [
    text("See "),
    parts[1],
    { type: "image", base64: "AAEC", mime_type: "image/png" },
    { type: "server_tool_call", id: "s1", name: "search", args: { q: "x" } },
    { type: "server_tool_call_result", toolCallId: "s1", name: "search", status: "success", output: "all" },
    parts[6],
  ];
  const whole = new MockLanguageModelV4({ doGenerate: [answer(...parts), answer(text("Ok"))] as never });
  const agent = createAgent({ model: whole as never });
  const { messages } = await agent.invoke({ messages: "Go" });
  expect(messages.at(-1)).toMatchObject({ content: kept });
  expect(messages.at(-1)).not.toHaveProperty("tool_calls");
  await agent.invoke({ messages: [...messages, { type: "human", content: "More" }] as never });
  expect(asked(whole as never)[1]?.[1]).toEqual({
    role: "assistant",
    content: [
      text("See "),
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAEC" } },
      { type: "tool-call", toolCallId: "s1", toolName: "search", input: { q: "x" }, providerExecuted: true },
      { type: "tool-result", toolCallId: "s1", toolName: "search", output: { type: "text", value: "all" } },
      { type: "custom", kind: "xai.note", providerOptions: { xai: { id: 1 } } },
    ],
  });
  const delta = [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "See " }, ...parts.slice(1)];
  expect((await streamed(streaming(...delta))).messages.at(-1)).toMatchObject({ content: kept });
});

test("a stream keeps the metadata of its reasoning, and of an end without a text", async () => {
  const model = streaming(
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "Hm." },
    { type: "reasoning-delta", id: "0", delta: "", ...signed },
    { type: "reasoning-end", id: "0" },
    { type: "reasoning-start", id: "1", providerMetadata: { anthropic: { redactedData: "R" } } },
    { type: "reasoning-end", id: "1" },
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "Yes." },
    { type: "text-end", id: "0", ...thought("t") },
  );
  expect((await streamed(model)).messages.at(-1)?.["content"]).toEqual([
    { type: "reasoning", reasoning: "Hm.", ...signed },
    { type: "reasoning", reasoning: "", providerMetadata: { anthropic: { redactedData: "R" } } },
    { type: "text", text: "Yes.", ...thought("t") },
  ]);
});

test("inputs that arrive in turns keep their chunks apart, and those of the provider make none", async () => {
  const model = streaming(
    { type: "tool-input-start", id: "a", toolName: "look" },
    { type: "tool-input-start", id: "s", toolName: "search", providerExecuted: true },
    { type: "tool-input-start", id: "b", toolName: "look" },
    { type: "tool-input-delta", id: "a", delta: '{"n"' },
    { type: "tool-input-delta", id: "s", delta: "{}" },
    { type: "tool-input-delta", id: "b", delta: '{"m"' },
    { type: "tool-input-delta", id: "a", delta: ":1}" },
    { type: "tool-input-delta", id: "b", delta: ":2}" },
  );
  const { chunks } = await streamed(model);
  const inputs = new Map<unknown, string>();
  for (const { index, args } of chunks.flatMap(({ tool_call_chunks: all }) => (all ?? []) as Part[]))
    inputs.set(index, (inputs.get(index) ?? "") + (args as string));
  expect([...inputs.values()]).toEqual(['{"n":1}', '{"m":2}']);
});

test("an error in the middle of a stream is an Error with the provider's report", async () => {
  const start = [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "On" },
  ];
  const report = { message: "Overloaded", code: "overloaded_error" };
  const failing = (error: unknown) =>
    streamed(streaming(...start, { type: "error", error })).catch((one: unknown) => one);
  const failed = (await failing(report)) as ThreadfoldError;
  expect(failed).toBeInstanceOf(ThreadfoldError);
  expect(failed).toMatchObject({ code: "MODEL_FAILED", serverCode: "overloaded_error", cause: report });
  expect(failed.message).toContain("Overloaded");
  expect(await failing("Overloaded")).toMatchObject({ code: "MODEL_FAILED", cause: "Overloaded" });
  const own = new Error("mine");
  expect(await failing(own)).toBe(own);
});

test("an unknown version of the specification is refused by its name", async () => {
  const model = { specificationVersion: "v1", modelId: "old-one", doGenerate: async () => answer(text("Hi")) };
  const refused = { code: "UNSUPPORTED", message: expect.stringMatching(/'old-one'.+'v1'.+v2, v3, v4/) as string };
  expect(() => createAgent({ model })).toThrow(expect.objectContaining(refused) as Error);
});

test("a call with malformed arguments goes back with the answer to it", async () => {
  const model = new MockLanguageModelV4({
    doGenerate: [answer(call("c1", { input: '{"n":' }), call("c2")), answer(text("Ok"))] as never,
  });
  await createAgent({ model: model as never, tools: [look] }).invoke({ messages: "Go" });
  const [, second] = asked(model as never);
  const ids = (role: string) =>
    second
      ?.filter((one) => one["role"] === role)
      .flatMap(({ content }) => (content as Part[]).map((p) => p["toolCallId"]));
  expect(ids("assistant")?.sort()).toEqual(["c1", "c2"]);
  expect(ids("tool")?.sort()).toEqual(["c1", "c2"]);
});

test.each(["an answer", "a stream"])("two calls of %s with one id get ids of their own", async (form) => {
  const parts = [call("c1"), call("c1")];
  const tools = [tool({ name: "look", run: () => "Seen.", returnDirect: true })];
  const model = new MockLanguageModelV4({ doGenerate: async () => answer(...parts) as never });
  const { messages } =
    form === "a stream"
      ? await streamed(streaming(...parts), tools)
      : await createAgent({ model, tools }).invoke({ messages: "Go" });
  const [, ai, ...results] = messages as [object, { tool_calls: { id: string }[] }, ...{ tool_call_id: string }[]];
  const ids = ai.tool_calls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(ids);
});
