// State and context declared in LangChain's forms: zod objects, langgraph.js's StateSchema and Annotation.
import { Annotation, MessagesZodState, ReducedValue, StateSchema } from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { createAgent, createMiddleware, tool } from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";

const counted = (stateSchema: z.ZodObject<{ count: z.ZodNumber }>) =>
  createMiddleware({
    name: "Counter",
    stateSchema,
    beforeModel: ({ count }) => ({ count: (count as number) + 1 }),
  });

test.each([
  ["zod 4", z.object({ count: z.number().default(10) })],
  ["zod 3", z3.object({ count: z3.number().default(10) })],
  ["a StateSchema", new StateSchema({ count: z.number().default(10) })],
  ["an Annotation", Annotation.Root({ count: Annotation({ reducer: (_, n: number) => n, default: () => 10 }) })],
])("%s: a field begins with its default, and a thread keeps it", async (_, form) => {
  const agent = createAgent({
    model: () => "Yes.",
    middleware: [counted(form as never)],
    checkpointer: new MemorySaver(),
  });
  const counts = [];
  for (const messages of ["One", "Two"]) counts.push((await agent.invoke({ messages }, { threadId: "t" }))["count"]);
  expect(counts).toEqual([11, 12]);
  expect((await agent.invoke({ messages: "Three", count: 1 }, { threadId: "t" }))["count"]).toBe(2);
});

test("a name with _ in front is private: hooks see it, callers neither give nor get it", async () => {
  const seen: unknown[] = [];
  const secretive = createMiddleware({
    name: "Secretive",
    stateSchema: z.object({ _secret: z.string().default("mine"), open: z.string().optional() }),
    beforeModel: ({ _secret }) => {
      seen.push(_secret);
      return { _secret: "changed" };
    },
    wrapModelCall: (request, handler) => {
      seen.push(request.state["_secret"]);
      return handler(request);
    },
  });
  const agent = createAgent({ model: () => "Yes.", middleware: [secretive], on: () => {} });
  const result = await agent.invoke({ messages: "Hi", _secret: "yours", open: "seen" });
  expect(seen).toEqual(["mine", "changed"]);
  expect(Object.keys(result).sort()).toEqual(["messages", "open"]);
});

test("a StateSchema's reducers fold", async () => {
  const noted = new ReducedValue(z.array(z.string()).default([]), {
    inputSchema: z.string(),
    reducer: (notes: string[], note: string) => [...notes, note],
  });
  const notes = (name: string) =>
    createMiddleware({ name, stateSchema: new StateSchema({ noted }), beforeModel: () => ({ noted: name }) });
  const agent = createAgent({ model: () => "Yes.", middleware: [notes("a"), notes("b")] });
  expect(await agent.invoke({ messages: "Hi" })).toMatchObject({ noted: ["a", "b"] });
});

test("createAgent takes stateSchema, which may name messages again", async () => {
  const stateSchema = z.object({ messages: z.any(), who: z.string().default("nobody") });
  const agent = createAgent({ model: () => "Yes.", stateSchema });
  const { messages, who } = await agent.invoke({ messages: "Hi" });
  expect([messages.length, who]).toEqual([2, "nobody"]);
});

test("a field that the agent declares counts over a middleware's declaration", async () => {
  const history = new ReducedValue(z.array(z.string()).default([]), {
    inputSchema: z.string(),
    reducer: (before: string[], one: string) => [...before, one],
  });
  const speaking = createMiddleware({
    name: "Speaking",
    stateSchema: z.object({ history: z.string(), turns: z.number().default(0) }),
    beforeModel: ({ turns = 0 }) => ({ history: "before", turns: turns + 1 }),
    afterModel: () => ({ history: "after" }),
  });
  const stateSchema = new StateSchema({ history });
  const agent = createAgent({ model: () => "Yes.", middleware: [speaking], stateSchema });
  const state = await agent.invoke({ messages: "Hi", history: "first" });
  expect(state).toMatchObject({ history: ["first", "before", "after"], turns: 1 });
});

test("langgraph.js's state of messages may be extended; a reducer that only it knows is refused", async () => {
  const agent = createAgent({ model: () => "Yes.", stateSchema: MessagesZodState.extend({ who: z3.string() }) });
  const { messages, who } = await agent.invoke({ messages: "Hi", who: "me" });
  expect([messages.map(({ content }) => content), who]).toEqual([["Hi", "Yes."], "me"]);
  const reducer = { fn: (a: number, b: number) => a + b };
  const sum = withLangGraph(z.number() as never, { reducer, default: () => 0 } as never) as unknown as z.ZodNumber;
  expect(() => createAgent({ model: () => "Yes.", stateSchema: z.object({ sum }) })).toThrow(
    "Only langgraph.js knows the reducer of 'sum'",
  );
});

test("hooks are given the context as their middleware's contextSchema has it", async () => {
  const seen: unknown[] = [];
  const contextSchema = z.object({ user: z.string(), limit: z.number().default(3) });
  const told = createMiddleware({
    name: "Told",
    contextSchema,
    beforeAgent: (_, { context, node }) => void seen.push([node, context]),
    afterModel: { hook: (_, { context }) => void seen.push(context), canJumpTo: ["end"] },
    wrapModelCall: (request, handler) => {
      seen.push(request.runtime.context);
      return handler(request);
    },
    wrapToolCall: (request, handler) => {
      seen.push([request.runtime.toolCallId, request.runtime.context]);
      return handler(request);
    },
  });
  const whole = createMiddleware({ name: "Whole", afterAgent: (_, { context }) => void seen.push(context) });
  const agent = createAgent({
    model: (messages) =>
      messages.length > 1 ? "Done." : { content: "", tool_calls: [{ id: "c1", name: "look", args: {} }] },
    tools: [tool({ name: "look", run: () => "Seen." })],
    middleware: [told, whole],
  });
  await agent.invoke({ messages: "Hi" }, { context: { user: "Ada", more: true } });
  const own = { user: "Ada", limit: 3 };
  expect(seen).toEqual([["Told.before_agent", own], own, own, ["c1", own], own, own, { user: "Ada", more: true }]);
  await expect(agent.invoke({ messages: "Hi" }, { context: {} })).rejects.toThrow("user");
});

const FORMS = [
  ["a zod object", (shape: z.ZodRawShape) => z.object(shape)],
  ["a StateSchema", (shape: z.ZodRawShape) => new StateSchema(shape as never)],
] as const;

// Asked of createAgent of langchain 1.5.14.
test.each(FORMS)("%s checks and completes what callers and hooks write", async (_, form) => {
  const shape = {
    count: z.coerce.number().default(3),
    name: z.string().toUpperCase().optional(),
    at: z.int().optional(),
  };
  const run = (input: object, written?: Record<string, unknown>) => {
    const writes = createMiddleware({ name: "Writes", stateSchema: form(shape) as never, beforeModel: () => written });
    const agent = createAgent({
      model: () => "Yes.",
      middleware: [writes],
      checkpointer: new MemorySaver(),
      on: () => {},
    });
    return agent.invoke({ messages: "Hi", ...input } as never, { threadId: "t" }) as Promise<Record<string, unknown>>;
  };
  expect(await run({ count: "7", name: "ada" })).toMatchObject({ count: 7, name: "ADA" });
  expect(await run({}, { count: undefined, name: "ada" })).toMatchObject({ count: 3, name: "ADA" });
  const wrong = /^Validation failed for field "at": .*expected number/;
  await expect(run({ at: "x" })).rejects.toThrow(wrong);
  await expect(run({}, { at: null })).rejects.toThrow(wrong);
});

test.each(FORMS)("%s of the agent's own checks what updateState and a Command write", async (_, form) => {
  const agent = createAgent({
    model: () => "Yes.",
    stateSchema: form({ count: z.number().refine(async (count) => count < 10) }) as never,
    checkpointer: new MemorySaver(),
    on: () => {},
  });
  const config = { configurable: { thread_id: "t" } };
  await agent.invoke({ messages: "Hi", count: 9 } as never, config);
  const wrong = 'Validation failed for field "count"';
  await expect(agent.updateState(config, { count: 10 } as never)).rejects.toThrow(wrong);
  await expect(agent.invoke(new Command({ update: { count: 11 } }) as never, config)).rejects.toThrow(wrong);
  expect((await agent.getState(config)).values).toMatchObject({ count: 9 });
  await agent.updateState(config, { count: 1 } as never);
  expect((await agent.getState(config)).values).toMatchObject({ count: 1 });
});
