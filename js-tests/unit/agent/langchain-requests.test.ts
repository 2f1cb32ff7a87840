// LangChain middlewares in an agent: what they may change in a request, and which ones an agent accepts.
import { AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import {
  type AgentOptions,
  createAgent,
  createMiddleware,
  type Middleware,
  tool,
  type ToolRuntime,
} from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { z } from "zod";

/** A chat model that plays a script and records its requests. */
function chat(...script: unknown[]) {
  const calls: { messages: { type: string; content: unknown }[]; tools: unknown[]; options: unknown }[] = [];
  const model = {
    bindTools: (tools: unknown[], options: unknown) => ({
      invoke: (messages: never) => answer(messages, tools, options),
    }),
    invoke: (messages: never) => answer(messages, [], undefined),
  };
  const answer = async (messages: never, tools: unknown[], options: unknown) => {
    calls.push({ messages, tools, options });
    return new AIMessage((script[calls.length - 1] ?? "Done.") as never);
  };
  return { model, calls };
}
const asks = (name: string, id = "c1") => ({ content: "", tool_calls: [{ id, name, args: {} }] });
const wrap = (wrapModelCall: Middleware["wrapModelCall"], name = "Wrap") => createMiddleware({ name, wrapModelCall });
const plain = (name: string, said: string) => tool({ name, run: () => said });

async function systemOf(options: Omit<AgentOptions, "model">): Promise<unknown> {
  const { model, calls } = chat();
  await createAgent({ ...options, model }).invoke({ messages: "Hi" });
  const [first] = calls[0]?.messages ?? [];
  return first?.type === "system" ? first.content : undefined;
}

test("a request's system message and its prompt are two names of one thing", async () => {
  const seen: unknown[] = [];
  const middleware = [
    wrap((request, handler) => handler({ ...request, systemMessage: request.systemMessage.concat(" More.") }), "A"),
    wrap((request, handler) => {
      seen.push(request.systemPrompt, request.systemMessage.text);
      return handler({ ...request, systemPrompt: `${request.systemPrompt} Last.` });
    }, "B"),
  ];
  expect(await systemOf({ systemPrompt: "First.", middleware })).toBe("First. More. Last.");
  expect(seen).toEqual(["First. More.", "First. More."]);
  expect(await systemOf({ middleware })).toBe(" More. Last.");
  expect(await systemOf({ middleware: [wrap((request, handler) => handler({ ...request, systemPrompt: "" }))] })).toBe(
    undefined,
  );
});

test("both changed is an error", async () => {
  const both = wrap((request, handler) =>
    handler({ ...request, systemPrompt: "One", systemMessage: request.systemMessage.concat("Two") }),
  );
  await expect(systemOf({ middleware: [both] })).rejects.toThrow("Cannot change both systemPrompt and systemMessage");
});

test("a prompt of blocks stays one, with additions after it", async () => {
  const cached = { type: "text", text: "Long.", cache_control: { type: "ephemeral" } };
  const middleware = [
    wrap((request, handler) => handler({ ...request, systemMessage: request.systemMessage.concat("More.") })),
  ];
  for (const systemPrompt of [new SystemMessage({ content: [cached] }), { content: [cached] }])
    expect(await systemOf({ systemPrompt: systemPrompt as never, middleware })).toEqual([
      cached,
      { type: "text", text: "More." },
    ]);
  expect(await systemOf({ systemPrompt: new SystemMessage("Short.") })).toBe("Short.");
});

test("a provider's tools go to the model as they are, and nothing runs them", async () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const { model, calls } = chat();
  const late = { type: "code_execution" };
  const middleware = [wrap((request, handler) => handler({ ...request, tools: [...request.tools, late] }))];
  const agent = createAgent({ model, tools: [search, plain("own", "Own.")], middleware });
  await agent.invoke({ messages: "Hi" });
  expect(calls[0]?.tools).toEqual([expect.objectContaining({ type: "function" }), search, late]);
  expect(agent.drawMermaid()).toContain("__tools = own<");

  const sent: { tools?: unknown }[] = [];
  const doGenerate = async (options: object) => {
    sent.push(options);
    return { content: [{ type: "text", text: "Hi." }] };
  };
  await createAgent({ model: { specificationVersion: "v3", doGenerate }, tools: [search] }).invoke({ messages: "Hi" });
  expect(sent[0]?.tools).toEqual([search]);
});

test("tools in any form may be added to a request, and a wrapToolCall has them run", async () => {
  const late = langChainTool(async () => "Late.", { name: "late", description: "", schema: z.object({}) });
  for (const added of [late, plain("late", "Late.")]) {
    const { model, calls } = chat(asks("late"));
    const middleware = createMiddleware({
      name: "Adds",
      wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, added] }),
      wrapToolCall: (request, handler) => handler(request.tool ? request : { ...request, tool: added }),
    });
    const { messages } = await createAgent({ model, middleware: [middleware] }).invoke({ messages: "Hi" });
    expect(messages.map(({ content }) => content)).toEqual(["Hi", "", "Late.", "Done."]);
    expect(calls[0]?.tools).toHaveLength(1);
  }
  const { model } = chat();
  const only = wrap((request, handler) => handler({ ...request, tools: [late] }));
  await expect(createAgent({ model, middleware: [only] }).invoke({ messages: "Hi" })).rejects.toThrow("late");
  // The agent's own tool, passed unchanged, does not count as new.
  const known = createAgent({ model, tools: [plain("other", ""), late], middleware: [only] });
  await expect(known.invoke({ messages: "Hi" })).resolves.toBeDefined();
});

test("a tool of LangChain's whose schema has no JSON form is bound and run as it is", async () => {
  const shout = langChainTool((text: string) => `${text}!`, {
    name: "shout",
    description: "Shouts.",
    schema: z.string(),
  });
  const bound: unknown[] = [];
  const model = {
    bindTools: (tools: unknown[]) => (bound.push(...tools), model),
    invoke: async (messages: { type?: string; content?: unknown }[]) =>
      messages.at(-1)?.type === "tool"
        ? { type: "ai", content: String(messages.at(-1)?.content) }
        : { type: "ai", content: "", tool_calls: [{ id: "c1", name: "shout", args: { input: "hey" } }] },
  };
  const { messages } = await createAgent({ model, tools: [shout] }).invoke({ messages: "Go." });
  expect(bound).toEqual([shout]);
  expect(messages.at(-1)?.content).toBe("hey!");
});

test("a prompt that is null or undefined takes away the agent's", async () => {
  for (const none of [null, undefined]) {
    const sent: unknown[] = [];
    const silent = createMiddleware({
      name: "Silent",
      wrapModelCall: (request, handler) => handler({ ...request, systemPrompt: none as undefined }),
    });
    const model = (messages: readonly { type: string }[]) => (sent.push(...messages.map(({ type }) => type)), "Yes.");
    await createAgent({ model, systemPrompt: "Be brief.", middleware: [silent] }).invoke({ messages: "Hi" });
    expect(sent).toEqual(["human"]);
  }
});

test("toolChoice takes the form that OpenAI has", async () => {
  const { model, calls } = chat();
  const toolChoice = { type: "function", function: { name: "look" } } as const;
  const middleware = [wrap((request, handler) => handler({ ...request, toolChoice }))];
  await createAgent({ model, tools: [plain("look", "")], middleware }).invoke({ messages: "Hi" });
  expect(calls[0]?.options).toEqual({ tool_choice: toolChoice });

  const sent: { toolChoice?: unknown }[] = [];
  const doGenerate = async (options: object) => {
    sent.push(options);
    return { content: [{ type: "text", text: "Hi." }] };
  };
  await createAgent({ model: { doGenerate }, tools: [plain("look", "")], middleware }).invoke({ messages: "Hi" });
  expect(sent[0]?.toolChoice).toEqual({ type: "tool", toolName: "look" });
});

test("wrapModelCall may return a command, with the model's answer or in its place", async () => {
  const stateSchema = z.object({ calls: z.number().optional() });
  const command = new Command({ update: { calls: 1 } });
  const around = createMiddleware({
    name: "Around",
    stateSchema,
    wrapModelCall: async (request, handler) => {
      await handler(request);
      return command;
    },
  });
  const answered = await createAgent({ model: () => "Yes.", middleware: [around] }).invoke({ messages: "Hi" });
  expect([answered.messages.at(-1)?.content, answered["calls"]]).toEqual(["Yes.", 1]);

  const instead = createMiddleware({ name: "Instead", stateSchema, wrapModelCall: () => command });
  const none = await createAgent({ model: () => "Yes.", middleware: [instead] }).invoke({ messages: "Hi" });
  expect([none.messages.length, none["calls"]]).toEqual([1, 1]);
});

test("an invalid answer is refused, by the name of its author", async () => {
  for (const came of [undefined, "text", 5, {}]) {
    const model = createAgent({ model: () => "Yes.", middleware: [wrap((() => came) as never, "Odd")] });
    await expect(model.invoke({ messages: "Hi" })).rejects.toThrow(
      `Invalid response from "wrapModelCall" in middleware "Odd": expected AIMessage or Command, got ${typeof came}`,
    );
    const odd = createMiddleware({ name: "Odd", wrapToolCall: (() => came) as never });
    const agent = createAgent({ model: chat(asks("look")).model, tools: [plain("look", "")], middleware: [odd] });
    await expect(agent.invoke({ messages: "Hi" })).rejects.toThrow(
      `Invalid response from "wrapToolCall" in middleware "Odd": expected ToolMessage or Command, got ${typeof came}`,
    );
  }
});

test("a tool of LangChain's asks and writes by its config", async () => {
  const ask = langChainTool(
    async (_, given) => {
      const config = given as object as ToolRuntime & { config: ToolRuntime };
      config.writer([config.toolCallId, config.config.configurable["thread_id"]]);
      return `They said ${config.interrupt("Sure?")}.`;
    },
    { name: "ask", description: "", schema: z.object({}) },
  );
  const agent = createAgent({ model: chat(asks("ask")).model, tools: [ask], checkpointer: new MemorySaver() });
  const thread = { threadId: "t" };
  const asked = await agent.invoke({ messages: "Hi" }, thread);
  expect(asked[INTERRUPT]?.map(({ value }) => value)).toEqual(["Sure?"]);
  const written = [];
  for await (const one of agent.stream(new Command({ resume: "yes" }), { ...thread, streamMode: "custom" }))
    written.push(one);
  expect(written).toEqual([["c1", "t"]]);
  const { values } = await agent.graph.getState(thread);
  expect(values.messages.find((message) => ToolMessage.isInstance(message))?.content).toBe("They said yes.");
});

test("store and signal are every run's, unless it has its own", async () => {
  const seen: unknown[] = [];
  const look = tool({ name: "look", run: (_, { store }) => void seen.push(store) });
  const stop = new AbortController();
  const options = { tools: [look], store: "the agent's", signal: stop.signal };
  await createAgent({ ...options, model: chat(asks("look")).model }).invoke({ messages: "Hi" });
  await createAgent({ ...options, model: chat(asks("look")).model }).invoke({ messages: "Hi" }, { store: "its own" });
  expect(seen).toEqual(["the agent's", "its own"]);
  stop.abort();
  await expect(createAgent({ ...options, model: chat().model }).invoke({ messages: "Hi" })).rejects.toThrow();
});
