// Options of the middlewares in LangChain's and deepagents' forms, and the ones they refuse.
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  type AgentOptions,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createDeepAgent,
  createFilesystemMiddleware,
  createMiddleware,
  createSubAgentMiddleware,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  modelRetryMiddleware,
  scratchpadMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
  tool,
  toolCallLimitMiddleware,
  toolErrorMiddleware,
  toolRetryMiddleware,
  toolStrategy,
} from "threadfold/agent";
import { ThreadfoldError } from "threadfold";
import { expect, test, vi } from "vitest";

const look = tool({ name: "look", run: () => "Seen." });
const twice = { content: "", tool_calls: ["c1", "c2"].map((id) => ({ id, name: "look", args: {} })) };

test("an error of a limit says which, and its counts", async () => {
  const failed = (middleware: AgentOptions["middleware"]) =>
    createAgent({ model: () => twice, tools: [look], middleware })
      .invoke({ messages: "go" })
      .catch((error: unknown) => error);
  const tools = await failed([toolCallLimitMiddleware({ runLimit: 1, toolName: "look", exitBehavior: "error" })]);
  expect(tools).toBeInstanceOf(Error);
  expect(tools).toMatchObject({
    name: "ToolCallLimitExceededError",
    threadCount: 2,
    runCount: 2,
    runLimit: 1,
    toolName: "look",
  });
  const models = await failed([modelCallLimitMiddleware({ threadLimit: 1, exitBehavior: "error" })]);
  expect(models).toBeInstanceOf(Error);
  expect(models).toMatchObject({ name: "ModelCallLimitExceededError", threadCount: 1, runCount: 1, threadLimit: 1 });
});

test.each([
  ["a run's limit above the thread's", () => toolCallLimitMiddleware({ runLimit: 2, threadLimit: 1 }), "cannot exceed"],
  ["an unknown exit", () => toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "stop" as never }), "exitBehavior"],
  [
    "an exit that models lack",
    () => modelCallLimitMiddleware({ runLimit: 1, exitBehavior: "continue" as never }),
    "end",
  ],
  ["no options", () => modelCallLimitMiddleware(undefined as never), "At least one limit"],
  ["retries below 0", () => modelRetryMiddleware({ maxRetries: -1 }), "expected maxRetries to be a number from 0"],
  ["retries that are no number", () => modelRetryMiddleware({ maxRetries: "3" as never }), "maxRetries"],
  ["a delay below 0", () => toolRetryMiddleware({ initialDelayMs: -1 }), "initialDelayMs"],
  ["a longest delay that is no number", () => toolRetryMiddleware({ maxDelayMs: NaN }), "maxDelayMs"],
  ["a factor below 0", () => modelRetryMiddleware({ backoffFactor: -2 }), "backoffFactor"],
  ["what to retry on, as a name", () => modelRetryMiddleware({ retryOn: "x" as never }), "retryOn should be"],
  ["what to retry on, as a list of names", () => toolRetryMiddleware({ retryOn: ["x"] as never }), "retryOn should be"],
  ["an unknown end of retries", () => toolRetryMiddleware({ onFailure: "raise" as never }), "onFailure should be"],
  ["jitter that is a text", () => modelRetryMiddleware({ jitter: "yes" as never }), "jitter should be"],
  ["tools that are no list", () => toolRetryMiddleware({ tools: "search" as never }), "tools should be"],
  ["a tool that is none", () => toolRetryMiddleware({ tools: [5] as never }), "tools should be"],
  ["errors that nobody reads", () => toolErrorMiddleware({} as never), "onError should be"],
  ["an edit with an unknown option", () => contextEditingMiddleware({ edits: [{ most: 1 } as never] }), "'most'"],
])("%s is refused", (_, make, said) => {
  expect(make).toThrow(ThreadfoldError);
  expect(make).toThrow(said);
});

const model = () => "Hi.";
const sub = { name: "s", description: "d" };

test.each<[string, (misspelt: object) => unknown]>([
  ["createAgent", (more) => createAgent({ model, ...more })],
  ["createDeepAgent", (more) => createDeepAgent({ model, ...more })],
  ["createMiddleware", (more) => createMiddleware({ name: "m", ...more })],
  ["contextEditingMiddleware", (more) => contextEditingMiddleware(more)],
  ["createFilesystemMiddleware", (more) => createFilesystemMiddleware(more)],
  ["createSubAgentMiddleware", (more) => createSubAgentMiddleware({ defaultModel: model, ...more })],
  ["a sub-agent", (more) => createSubAgentMiddleware({ defaultModel: model, subagents: [{ ...sub, ...more }] })],
  ["humanInTheLoopMiddleware", (more) => humanInTheLoopMiddleware({ interruptOn: {}, ...more })],
  ["modelCallLimitMiddleware", (more) => modelCallLimitMiddleware({ runLimit: 1, ...more })],
  ["modelRetryMiddleware", (more) => modelRetryMiddleware(more)],
  ["scratchpadMiddleware", (more) => scratchpadMiddleware(more)],
  ["summarizationMiddleware", (more) => summarizationMiddleware({ model, ...more })],
  ["toolErrorMiddleware", (more) => toolErrorMiddleware({ onError: () => "no", ...more })],
  ["todoListMiddleware", (more) => todoListMiddleware(more)],
  ["toolCallLimitMiddleware", (more) => toolCallLimitMiddleware({ runLimit: 1, ...more })],
  ["toolRetryMiddleware", (more) => toolRetryMiddleware(more)],
])("%s refuses an option whose name is misspelt; one that is undefined is none", (_, make) => {
  expect(() => make({ interuptOn: undefined })).not.toThrow();
  expect(() => make({ interuptOn: {} })).toThrow(ThreadfoldError);
  expect(() => make({ interuptOn: {} })).toThrow("unknown option 'interuptOn'.");
});

test("createAgent and createMiddleware take every option that they have", () => {
  const hook = () => undefined;
  const hooks = { beforeAgent: hook, beforeModel: hook, afterModel: hook, afterAgent: hook };
  const around = { wrapModelCall: hook, wrapToolCall: hook, contextSchema: { parse: hook } };
  const middleware = [createMiddleware({ name: "m", ...hooks, ...around, tools: [], stateSchema: {} } as never)];
  const callbacks = { onModelStart: hook, onModelEnd: hook, onToolStart: hook, onToolEnd: hook, onError: hook };
  const ours = { maxIterations: 3, id: "i", durability: "sync", on: hook, interruptBefore: [], interruptAfter: [] };
  const both = { name: "n", systemPrompt: "p", tools: [], store: {}, signal: new AbortController().signal };
  const given = { model, middleware, ...callbacks, ...ours, ...both } as unknown as AgentOptions;
  expect(() => createAgent(given)).not.toThrow();
});

test.each(["description", "includeAgentName", "version", "streamTransformers"])(
  "createAgent refuses LangChain's option %s, which it does not honour",
  (name) => {
    expect(() => createAgent({ model, [name]: "v2" } as unknown as AgentOptions)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  },
);

/** Five calls with results, each of about 100 tokens. */
const searched = Array.from({ length: 5 }, (_, at) => [
  { type: "ai" as const, content: "", tool_calls: [{ id: `c${at}`, name: "search", args: { at } }] },
  { type: "tool" as const, content: `${at} ${"word ".repeat(80)}`, tool_call_id: `c${at}`, name: "search" },
]).flat();

/** Returns which results were cleared in the model's request. */
async function clearedBy(edit: NonNullable<Parameters<typeof contextEditingMiddleware>[0]>["edits"], profile = {}) {
  let sent: readonly { type: string; content?: unknown }[] = [];
  const invoke = async (messages: typeof sent) => {
    sent = messages;
    return { type: "ai", content: "Done." };
  };
  const agent = createAgent({
    model: { invoke, profile } as never,
    middleware: [contextEditingMiddleware({ edits: edit })],
  });
  const { messages } = await agent.invoke({ messages: searched });
  expect(messages.slice(0, 10).some(({ content }) => content === "[cleared]")).toBe(false);
  return sent.filter(({ type }) => type === "tool").map(({ content }) => content === "[cleared]");
}
const none = [false, false, false, false, false];
const all = none.map(() => true);
const butLast = [true, true, true, true, false];
const butTwo = [true, true, true, false, false];

test.each<[NonNullable<ConstructorParameters<typeof ClearToolUsesEdit>[0]>, boolean[]]>([
  [{ trigger: 10 }, [true, true, false, false, false]],
  [{ trigger: { tokens: 100 }, keep: { messages: 1 } }, butLast],
  [{ trigger: { messages: 10 }, keep: 0 }, all],
  [{ trigger: { messages: 11 }, keep: 0 }, none],
  [{ trigger: [{ messages: 99 }, { tokens: 100 }], keep: 0 }, all],
  [{ trigger: { messages: 99, tokens: 100 }, keep: 0 }, none],
  [{ trigger: { fraction: 0.5 }, keep: { messages: 1 } }, butLast],
  [{ trigger: { fraction: 0.9 }, keep: { messages: 1 } }, none],
  [{ trigger: 10, keep: { tokens: 250 } }, butTwo],
  [{ trigger: 10, keep: { fraction: 0.15 } }, butLast],
  [{ trigger: 10, keep: { tokens: 10 } }, all],
  [{ trigger: { messages: 1 }, keep: { messages: 1 }, excludeTools: ["search"] }, none],
])("clears by LangChain's measures: %j", async (options, cleared) => {
  const profile = { maxInputTokens: 1000 };
  expect(await clearedBy([new ClearToolUsesEdit(options)], profile)).toEqual(cleared);
  expect(await clearedBy([options], profile)).toEqual(cleared);
});

test("a fraction of an unknown total is never reached", async () => {
  expect(await clearedBy([{ trigger: { fraction: 0.1 }, keep: 0 }])).toEqual(none);
});

test("a custom edit changes the request in place, and counts", async () => {
  const counts: number[] = [];
  const apply = async ({ messages, countTokens }: Parameters<ClearToolUsesEdit["apply"]>[0]) => {
    counts.push(await countTokens(messages));
    messages.splice(0, 8);
  };
  expect(await clearedBy([{ apply }, (messages) => messages, { trigger: 10, keep: 0 }])).toEqual([true]);
  expect(counts[0]).toBeGreaterThan(400);
});

test("a summary's prompt has a place for the messages; a model's profile gives a fraction's total", async () => {
  const asked: unknown[] = [];
  const invoke = async ([first]: { content: unknown }[]) => {
    asked.push(first?.content);
    return { type: "ai", content: "Short." };
  };
  const summarization = summarizationMiddleware({
    model: { invoke, profile: { maxInputTokens: 100 } } as never,
    trigger: { fraction: 0.5 },
    keep: { messages: 1 },
    summaryPrompt: "Sum up {messages} in $& words.",
  });
  const agent = createAgent({ model: () => "Yes.", middleware: [summarization] });
  await agent.invoke({ messages: ["first ".repeat(60), "second"].map((content) => ({ type: "human", content })) });
  expect(asked).toEqual([`Sum up human: ${"first ".repeat(60)} in $& words.`]);
});

test("a summary is not streamed as if it were the answer", async () => {
  const answering = (text: string) => new FakeListChatModel({ responses: [text], callbacks: [] });
  const summarization = summarizationMiddleware({
    model: answering("Short."),
    trigger: { messages: 2 },
    keep: { messages: 1 },
  });
  const agent = createAgent({ model: answering("Yes."), middleware: [summarization] });
  const input = { messages: ["first", "second"].map((content) => ({ type: "human" as const, content })) };
  let text = "";
  for await (const [message] of agent.stream(input, { streamMode: "messages" })) text += message.content;
  expect(text).toBe("Yes.");
});

test("sub-agents: one that can do all if there are no others, middlewares as a list, a custom description", async () => {
  const log: string[] = [];
  const noting = (name: string) => createMiddleware({ name, beforeAgent: () => void log.push(name) });
  const args = { description: "Do it.", subagent_type: "general-purpose" };
  const delegate = () => {
    let called = false;
    return () => {
      if (called) return "Done.";
      called = true;
      return { content: "", tool_calls: [{ id: "c1", name: "task", args }] };
    };
  };
  const own = { name: "poet", description: "Writes.", middleware: [noting("own")] };
  const make = (options: Parameters<typeof createSubAgentMiddleware>[0]) =>
    createSubAgentMiddleware({ defaultModel: () => "Did it.", defaultMiddleware: [noting("first")], ...options });
  const run = async (middleware: ReturnType<typeof make>) => {
    const { messages } = await createAgent({ model: delegate(), middleware: [middleware] }).invoke({ messages: "go" });
    return messages[2]?.content;
  };
  expect(await run(make({}))).toBe("Did it.");
  expect(await run(make({ subagents: [own], generalPurposeAgent: true }))).toBe("Did it.");
  expect(await run(make({ subagents: [own] }))).toContain("does not exist");
  expect(log).toEqual(["first", "first"]);

  const described = make({ subagents: [own], taskDescription: "Ask one of:\n{available_agents}" });
  expect(described.tools).toMatchObject([{ name: "task", description: "Ask one of:\n- poet: Writes." }]);
});

test("a file tool is described as one wants", () => {
  const { tools } = createFilesystemMiddleware({ customToolDescriptions: { ls: "Lists a folder." } });
  const descriptions = new Map(tools?.map((one) => [one.name, (one as { description?: string }).description]));
  expect(descriptions.get("ls")).toBe("Lists a folder.");
  expect(descriptions.get("grep")).toMatch(/^Finds /);
});

test("handleError is another name of handleErrors", async () => {
  const schema = { title: "Answer", type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  let n: unknown = "seven";
  const said: unknown[] = [];
  const model = (messages: readonly { content?: unknown }[]) => {
    said.push(messages.at(-1)?.content);
    const args = { n };
    n = 7;
    return { content: "", tool_calls: [{ id: `c${said.length}`, name: "Answer", args }] };
  };
  const responseFormat = toolStrategy(schema, { handleError: "A number, please." });
  const { structuredResponse } = await createAgent({ model, responseFormat }).invoke({ messages: "Hi" });
  expect([structuredResponse, said]).toEqual([{ n: 7 }, ["Hi", "A number, please."]]);
});

test("a deep agent's prompt may be a message; without a model it says so", async () => {
  let first: unknown;
  const block = { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } };
  const model = (messages: readonly { content?: unknown }[]) => {
    first = messages[0]?.content;
    return "Yes.";
  };
  await createDeepAgent({ model, systemPrompt: { content: [block] } }).invoke({ messages: "Hi" });
  expect((first as unknown[])[0]).toEqual(block);
  for (const none of [undefined, {}])
    expect(() => createDeepAgent(none as never)).toThrow("`model` option is required to create an agent.");
});

test("a summary has the prefix that one wants, and of a long history the newest is read", async () => {
  const read: string[] = [];
  const summarizer = (messages: readonly { content?: unknown }[]) => {
    read.push(String(messages[0]?.content));
    return "They spoke.";
  };
  const options = { trigger: { messages: 5 }, keep: { messages: 1 }, summaryPrompt: "{messages}" };
  const agent = createAgent({
    model,
    middleware: [
      summarizationMiddleware({ model: summarizer, ...options, summaryPrefix: "So far:", trimTokensToSummarize: 20 }),
    ],
  });
  const messages = Array.from({ length: 6 }, (_, at) => ({ type: "human" as const, content: `question number ${at}` }));
  const state = await agent.invoke({ messages }, { threadId: "t" });
  expect(state.messages.length).toBe(7);
  expect(read.length).toBe(1);
  expect(read[0]).not.toContain("number 0");
  expect(read[0]).toContain("number 4");
});

test("an object not made by createMiddleware is checked like one", () => {
  const bare = { name: "Mine", beforModel: () => undefined };
  expect(() => createAgent({ model: () => "Hi", middleware: [bare] as never })).toThrow(/beforModel/);
});

test("a middleware of langchain.js's is warned of", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const theirs = {
    [Symbol.for("AgentMiddleware")]: true,
    name: "HumanInTheLoopMiddleware",
    afterModel: () => undefined,
  };
  createAgent({ model: () => "Hi", middleware: [theirs] });
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^HumanInTheLoopMiddleware is a middleware of langchain\.js/)],
  ]);
  warn.mockRestore();
});

test.each([
  ["a strategy", { schema: { type: "object" }, strict: true }],
  ["a list of strategies", [{ schema: { type: "object" }, tool: { type: "function" } }]],
])("a responseFormat that is %s of langchain.js is refused: it would pass for a schema", (_, responseFormat) => {
  expect(() => createAgent({ model: () => "Hi", responseFormat })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("langchain.js") }),
  );
});

test("a model that is only a name is refused at once", () => {
  const refused = expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("'openai:x'") });
  expect(() => createAgent({ model: "openai:x" as never })).toThrow(refused);
  expect(() => createDeepAgent({ model: "openai:x" as never })).toThrow(refused);
});

test("a middleware with LangChain's streamTransformers is refused", () => {
  expect(() => createMiddleware({ name: "one", streamTransformers: [] } as never)).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION" }),
  );
});

test.each([5, "x", true])("a responseFormat that is %s is refused", (responseFormat) => {
  expect(() => createAgent({ model: () => "Hi", responseFormat: responseFormat as never })).toThrow(
    /^Expected a schema or toolStrategy/,
  );
});
