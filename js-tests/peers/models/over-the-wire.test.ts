// Models of AI SDK 7 and of LangChain over HTTP, each case against the same script of a server.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { textOf } from "threadfold";
import { createAgent, modelRetryMiddleware, tool, type AgentModel, type AgentOptions } from "threadfold/agent";
import { expect, test } from "vitest";
import { OpenAiServer, type OpenAiRequest, type Scripted } from "./openai-server";

const MODELS: Readonly<Record<string, (url: string) => AgentModel>> = {
  "AI SDK 7": (baseURL) => createOpenAICompatible({ name: "scripted", baseURL, includeUsage: true })("scripted"),
  LangChain: (baseURL) =>
    new ChatOpenAI({ model: "scripted", apiKey: "none", maxRetries: 0, configuration: { baseURL } }),
};

type Fields = Record<string, unknown>;

/** The outcome of a run. */
interface Outcome {
  readonly who: string;
  readonly server: OpenAiServer;
  /** The texts of the chunks. */
  readonly tokens: readonly string[];
  /** The arguments of each call, as they came in. */
  readonly args: readonly string[];
  readonly messages: readonly Fields[];
  readonly error: Fields | undefined;
}

interface Case {
  readonly script: readonly Scripted[];
  readonly options?: Omit<AgentOptions, "model">;
  readonly input?: unknown;
  /** Aborts the run at the first token. */
  readonly aborts?: boolean;
  check(outcome: Outcome): unknown;
}

const text = (...tokens: string[]): Scripted => ({ deltas: tokens.map((content) => ({ content })) });
const piece = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
const opens = (index: number, id: string, name: string) =>
  piece(index, { id, type: "function", function: { name, arguments: "" } });
const adds = (index: number, args: string) => piece(index, { function: { arguments: args } });
const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const twice = tool({ name: "twice", schema: parameters, run: ({ n }: { n: number }) => 2 * n });
const PIXEL = "data:image/png;base64,AAEC";
const image = { type: "image_url", image_url: { url: PIXEL } };
const isOfAiSdk = ({ who }: Outcome) => who === "AI SDK 7";
const roles = (request: OpenAiRequest | undefined) => request?.messages.map(({ role }) => role);

const CASES: Readonly<Record<string, Case>> = {
  "a stream": {
    script: [text("Hel", "lo")],
    check: ({ tokens, messages }) => {
      expect(tokens.filter(Boolean)).toEqual(["Hel", "lo"]);
      expect(textOf(messages.at(-1) as object)).toBe("Hello");
      expect(messages.at(-1)).toMatchObject({
        usage_metadata: {
          input_tokens: 30,
          output_tokens: 9,
          total_tokens: 39,
          input_token_details: { cache_read: 20 },
          output_token_details: { reasoning: 7 },
        },
      });
    },
  },
  "tools, whose arguments come in turns": {
    script: [
      {
        deltas: [opens(0, "c1", "twice"), adds(0, '{"n"'), opens(1, "c2", "twice"), adds(0, ":1}"), adds(1, '{"n":2}')],
      },
      text("2 and 4."),
    ],
    options: { tools: [twice], systemPrompt: "Count." },
    check: ({ server, args, messages }) => {
      expect(args).toEqual(['{"n":1}', '{"n":2}']);
      expect(messages.slice(2, 4)).toMatchObject([{ content: "2" }, { content: "4" }]);
      const [first, second] = server.requests;
      expect(first?.tools?.[0]?.function).toMatchObject({ name: "twice", parameters });
      expect(roles(second)).toEqual(["system", "user", "assistant", "tool", "tool"]);
      const called = second?.messages[2]?.["tool_calls"] as { id: string; function: object }[];
      expect(called).toMatchObject([
        { id: "c1", function: { name: "twice", arguments: '{"n":1}' } },
        { id: "c2", function: { name: "twice", arguments: '{"n":2}' } },
      ]);
      expect(second?.messages.slice(3)).toMatchObject([
        { tool_call_id: "c1", content: "2" },
        { tool_call_id: "c2", content: "4" },
      ]);
    },
  },
  "images, of a user and of a tool": {
    script: [{ deltas: [opens(0, "c1", "shoot"), adds(0, "{}")] }, text("Two.")],
    options: { tools: [tool({ name: "shoot", run: () => [{ type: "text", text: "Here:" }, image] })] },
    input: { messages: [{ type: "human", content: [{ type: "text", text: "See." }, image] }] },
    check: ({ server }) => {
      expect(server.requests[0]?.messages[0]?.content).toMatchObject([{ type: "text", text: "See." }, image]);
      // OpenAI's chat API has no images in results: LangChain sends the blocks, the AI SDK their JSON.
      const result = server.requests[1]?.messages.at(-1);
      expect(result?.role).toBe("tool");
      expect(JSON.stringify(result?.content)).toContain("AAEC");
    },
  },
  reasoning: {
    script: [
      {
        deltas: [
          { reasoning_content: "Hm, " },
          { reasoning_content: "yes." },
          opens(0, "c1", "twice"),
          adds(0, '{"n":1}'),
        ],
      },
      text("Two."),
    ],
    options: { tools: [twice] },
    check: (outcome) => {
      const { messages, server } = outcome;
      const [, answer] = messages;
      if (isOfAiSdk(outcome)) {
        expect(answer?.["content"]).toMatchObject([{ type: "reasoning", reasoning: "Hm, yes." }]);
        expect(server.requests[1]?.messages[1]).toMatchObject({ reasoning_content: "Hm, yes." });
      } else expect(textOf(answer as object)).toBe("");
      expect(textOf(messages.at(-1) as object)).toBe("Two.");
    },
  },
  "429": {
    script: [{ status: 429 }],
    check: ({ error, server }) => {
      expect(error?.["statusCode"] ?? error?.["status"]).toBe(429);
      expect(error).toBeInstanceOf(Error);
      expect(server.requests).toHaveLength(1);
    },
  },
  "429, and then an answer": {
    script: [{ status: 429 }, text("Hello")],
    options: { middleware: [modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 })] },
    check: ({ error, messages, server }) => {
      expect(error).toBeUndefined();
      expect(server.requests).toHaveLength(2);
      expect(textOf(messages.at(-1) as object)).toBe("Hello");
    },
  },
  "an error in the middle": {
    script: [{ ...text("Hel"), ends: "error" }],
    check: (outcome) => {
      expect(outcome.tokens.filter(Boolean)).toEqual(["Hel"]);
      expect(outcome.error).toBeInstanceOf(Error);
      expect(String(outcome.error?.["message"])).toContain("Overloaded.");
      if (isOfAiSdk(outcome)) expect(outcome.error).toMatchObject({ code: "MODEL_FAILED" });
    },
  },
  "a connection that is cut": {
    script: [{ ...text("Hel"), ends: "cut" }],
    check: ({ tokens, error }) => {
      expect(tokens.filter(Boolean)).toEqual(["Hel"]);
      expect(error).toBeInstanceOf(Error);
    },
  },
  "an abort": {
    script: [{ ...text("Hel"), ends: "hang" }],
    aborts: true,
    check: async ({ error, server }) => {
      expect(error).toBeInstanceOf(Error);
      // The server sees that nobody reads on.
      await server.left;
    },
  },
};

const table = Object.keys(CASES).flatMap((name) => Object.keys(MODELS).map((who) => [name, who] as const));

test.each(table)("%s, by %s", async (name, who) => {
  const { script, options, input = { messages: "Go" }, aborts, check } = CASES[name] as Case;
  const server = await OpenAiServer.start(script);
  try {
    const model = (MODELS[who] as (url: string) => AgentModel)(server.url);
    const agent = createAgent({ ...options, model });
    const stop = new AbortController();
    const [tokens, args]: [string[], string[]] = [[], []];
    let [messages, error]: [Fields[], Fields | undefined] = [[], undefined];
    try {
      const streamMode = ["messages", "values"] as const;
      for await (const [mode, part] of agent.stream(input as never, {
        streamMode: [...streamMode],
        signal: stop.signal,
      })) {
        if (mode === "values") messages = (part as unknown as { messages: Fields[] }).messages;
        else {
          const [chunk] = part as unknown as [Fields];
          if (chunk["type"] === "tool") continue;
          tokens.push(textOf(chunk));
          if (aborts && tokens.some(Boolean)) stop.abort();
          for (const { index, args: more } of (chunk["tool_call_chunks"] ?? []) as { index: number; args?: string }[])
            args[index] = (args[index] ?? "") + (more ?? "");
        }
      }
    } catch (failed) {
      error = failed as Fields;
    }
    await check({ who, server, tokens, args, messages, error });
  } finally {
    server.stop();
  }
});

test.each(Object.keys(MODELS))("without a stream, by %s", async (who) => {
  const server = await OpenAiServer.start([text("Hel", "lo")]);
  const agent = createAgent({ model: (MODELS[who] as (url: string) => AgentModel)(server.url) });
  const { messages } = await agent.invoke({ messages: "Go" });
  server.stop();
  expect(textOf(messages.at(-1))).toBe("Hello");
  expect(server.requests.map(({ stream = false }) => stream)).toEqual([false]);
});
