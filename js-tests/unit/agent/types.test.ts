// The types of an agent: its state has the fields that its middlewares and its schema add.
import { Annotation, ReducedValue, StateSchema } from "@langchain/langgraph";
import { field } from "threadfold";
import {
  createAgent,
  createDeepAgent,
  createFilesystemMiddleware,
  createMiddleware,
  todoListMiddleware,
  toolStrategy,
  tool,
} from "threadfold/agent";
import type { CompiledStateGraph, StateFrom } from "threadfold/graph";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = () => "Hi.";

test("the state of an agent", async () => {
  const counting = createMiddleware({ name: "Counting", stateSchema: { count: field.replace<number>() } });
  const agent = createAgent({
    model,
    middleware: [todoListMiddleware(), createFilesystemMiddleware(), counting],
    schema: { topic: field.replace<string>() },
  });
  const state = await agent.invoke({ messages: "Hi", topic: "none" });
  expectTypeOf(state.todos[0]?.status).toEqualTypeOf<"pending" | "in_progress" | "completed" | undefined>();
  expectTypeOf(state.count).toEqualTypeOf<number | undefined>();
  expectTypeOf(state.topic).toEqualTypeOf<string | undefined>();
  expectTypeOf(state.messages[0]?.type).toEqualTypeOf<"human" | "ai" | "system" | "tool" | "function" | undefined>();
  expect(state.topic).toBe("none");
  const deep = await createDeepAgent({ model }).invoke({ messages: "Hi" });
  expectTypeOf(deep.todos).toEqualTypeOf(state.todos);
  expectTypeOf(deep.files["/a"]?.content).toEqualTypeOf<string | readonly string[] | undefined>();
});

test("the state of an agent whose schema is one of langgraph.js", async () => {
  const form = z.object({ topic: z.string(), tags: z.array(z.string()).default([]) });
  const ofZod = await createAgent({ model, stateSchema: form }).invoke({ messages: "Hi" });
  expectTypeOf(ofZod.topic).toEqualTypeOf<string | undefined>();
  expectTypeOf(ofZod.tags).toEqualTypeOf<string[] | undefined>();
  const deep = await createDeepAgent({ model, schema: form }).invoke({ messages: "Hi" });
  expectTypeOf(deep.tags).toEqualTypeOf<string[] | undefined>();
  expectTypeOf(deep.todos[0]?.content).toEqualTypeOf<string | undefined>();
  const ofState = await createAgent({ model, schema: new StateSchema({ n: z.number() }) }).invoke({ messages: "Hi" });
  expectTypeOf(ofState.n).toEqualTypeOf<number | undefined>();
  const annotated = Annotation.Root({ n: Annotation<number>, list: Annotation<string[]> });
  const ofAnnotation = await createAgent({ model, stateSchema: annotated }).invoke({ messages: "Hi", n: 1 });
  expectTypeOf(ofAnnotation.n).toEqualTypeOf<number | undefined>();
  expectTypeOf(ofAnnotation.messages[0]?.id).toEqualTypeOf<string | undefined>();
  expect([ofZod.tags, deep.tags, ofAnnotation.n]).toEqual([[], [], 1]);
  // @ts-expect-error -- there is no such field
  expectTypeOf(ofZod.other);
});

test("the hooks of a middleware have the context of its contextSchema", async () => {
  const contextSchema = z.object({ user: z.string() });
  type Context = z.infer<typeof contextSchema>;
  const seen: string[] = [];
  const typed = createMiddleware({
    name: "Typed",
    contextSchema,
    stateSchema: { count: field.replace<number>() },
    beforeAgent: ({ count }, { context }) => {
      expectTypeOf(context).toEqualTypeOf<Context>();
      expectTypeOf(count).toEqualTypeOf<number | undefined>();
      seen.push(context.user);
    },
    beforeModel: { hook: (_, { context }) => void seen.push(context.user), canJumpTo: ["end"] },
    wrapModelCall: (request, handler) => {
      expectTypeOf(request.runtime.context).toEqualTypeOf<Context>();
      return handler({ ...request, systemPrompt: `For ${request.runtime.context.user}` });
    },
    wrapToolCall: (request, handler) => {
      expectTypeOf(request.runtime.context).toEqualTypeOf<Context>();
      return handler(request);
    },
  });
  createMiddleware({
    name: "Untyped",
    beforeAgent: (_, { context }) => expectTypeOf(context).toEqualTypeOf<unknown>() as never,
  });
  const { count } = await createAgent({ model, middleware: [typed] }).invoke(
    { messages: "Hi" },
    { context: { user: "Ada" } },
  );
  expectTypeOf(count).toEqualTypeOf<number | undefined>();
  expect(seen).toEqual(["Ada", "Ada"]);
});

test("the answer of an agent has the type of its form", async () => {
  const form = z.object({ n: z.number() });
  const calls = { content: "", tool_calls: [{ id: "c", name: "Answer", args: { n: 42 } }] };
  const answers = () => calls;
  const named = form.meta({ title: "Answer" });
  const { structuredResponse } = await createAgent({ model: answers, responseFormat: named }).invoke({
    messages: "Hi",
  });
  expectTypeOf(structuredResponse).toEqualTypeOf<{ n: number } | undefined>();
  expect(structuredResponse).toEqual({ n: 42 });
  const strategy = toolStrategy(named);
  const deep = await createDeepAgent({ model: answers, responseFormat: strategy }).invoke({ messages: "Hi" });
  expectTypeOf(deep.structuredResponse).toEqualTypeOf<{ n: number } | undefined>();
  const json = await createAgent({ model, responseFormat: undefined }).invoke({ messages: "Hi" });
  expectTypeOf(json.structuredResponse).toEqualTypeOf<unknown>();
});

test("the state of an agent has a name, by its graph", () => {
  const agent = createAgent({ model, middleware: [todoListMiddleware()], schema: { topic: field.replace<string>() } });
  type State = StateFrom<typeof agent>;
  expectTypeOf<State["topic"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<State["todos"]>().toEqualTypeOf<Awaited<ReturnType<typeof agent.invoke>>["todos"]>();
  type Update = typeof agent extends CompiledStateGraph<State, infer U> ? U : never;
  expectTypeOf<Update["topic"]>().toEqualTypeOf<string | undefined>();
  // @ts-expect-error -- there is no such field
  expectTypeOf<State["topics"]>();
});

test("a function's answer is checked", () => {
  createAgent({ model: () => ({ tool_calls: [{ name: "add", args: { a: 1 } }] }) });
  // @ts-expect-error -- the arguments are in args
  createAgent({ model: () => ({ tool_calls: [{ name: "add", arguments: "{}" }] }) });
});

test("the arguments of a tool with JSON Schema are unknown, or what run says", () => {
  const schema = { type: "object", properties: { a: { type: "number" } } };
  tool({ name: "add", schema, run: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>() });
  tool({ name: "add", schema, run: ({ a }: { a: number }) => a });
  tool({ name: "add", run: (args) => args["a"] });
});

test("the arguments of a tool come from its schema", () => {
  tool({
    name: "add",
    schema: z.object({ a: z.number() }),
    run: (args, runtime) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number }>();
      expectTypeOf(runtime.toolCallId).toEqualTypeOf<string>();
      return args.a;
    },
  });
});

test("the state of a middleware's hooks has its fields", () => {
  type Ready = { readonly count?: number };
  const seen: unknown[] = [];
  createMiddleware({
    name: "Counting",
    stateSchema: { count: field.replace<number>() },
    beforeModel(state) {
      expectTypeOf(state.count).toEqualTypeOf<number | undefined>();
      expectTypeOf(state).toExtend<Ready>();
      expectTypeOf(state.messages[0]?.id).toEqualTypeOf<string | undefined>();
    },
    afterModel: { canJumpTo: ["end"], hook: ({ count = 0 }) => (count > 3 ? { jumpTo: "end" } : undefined) },
    wrapModelCall: (request, handler) => {
      expectTypeOf(request.state.count).toEqualTypeOf<number | undefined>();
      return handler(request);
    },
    wrapToolCall: ({ state, ...request }, handler) => {
      expectTypeOf(state.count).toEqualTypeOf<number | undefined>();
      return handler({ ...request, state });
    },
  });
  createMiddleware({
    name: "Zod",
    stateSchema: z.object({ topic: z.string(), tags: z.array(z.string()).default([]) }),
    beforeModel: ({ topic, tags }) => {
      expectTypeOf(topic).toEqualTypeOf<string | undefined>();
      expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
    },
  });
  createMiddleware({
    name: "StateSchema",
    stateSchema: new StateSchema({
      n: z.number(),
      list: new ReducedValue(z.array(z.string()), { reducer: (a, b) => [...a, ...b] }),
    }),
    beforeModel: ({ n, list }) => {
      expectTypeOf(n).toEqualTypeOf<number | undefined>();
      expectTypeOf(list).toEqualTypeOf<string[] | undefined>();
    },
  });
  createMiddleware({ name: "None", beforeModel: ({ messages, other }) => void seen.push(messages.length, other) });
  expect(seen).toEqual([]);
});
