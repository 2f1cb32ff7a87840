// langgraph.js's functions inside tools of `@langchain/core`, and schemas of zod 3.
import { tool as langChainTool } from "@langchain/core/tools";
import { Annotation, getCurrentTaskInput, interrupt, START, StateGraph } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";

const call = (name: string, args: object = {}) => ({ content: "", tool_calls: [{ id: "c1", name, args }] });
/** A model that calls one tool, and then answers. */
const calling = (name: string, args?: object) => (messages: readonly { type: string }[]) =>
  messages.at(-1)?.type === "tool" ? "Done." : call(name, args);

test("interrupt() asks through the agent, each question with its answer", async () => {
  const begun: string[] = [];
  const book = langChainTool(
    async () => {
      begun.push("book");
      const day = interrupt<string, string>("Which day?");
      const seats = interrupt<object, number>({ question: "How many?" });
      return `${seats} on ${day}`;
    },
    { name: "book", description: "Books.", schema: z.object({}) },
  );
  const agent = createAgent({ model: calling("book"), tools: [book], checkpointer: new MemorySaver() });
  const asked: unknown[] = [];
  let result = (await agent.invoke({ messages: "Go" }, { threadId: "t" })) as unknown as Result;
  for (const answer of ["Monday", 2]) {
    asked.push(...(result[INTERRUPT] ?? []).map(({ value }) => value));
    result = (await agent.invoke(new Command({ resume: answer }), { threadId: "t" })) as unknown as Result;
  }
  expect(asked).toEqual(["Which day?", { question: "How many?" }]);
  expect(result.messages.at(-2)).toMatchObject({ content: "2 on Monday" });
  // The node starts over with each answer, as in langgraph.js.
  expect(begun).toHaveLength(3);
});

test("interrupt() has the id by which one of several questions is answered", async () => {
  const ask = langChainTool(({ who }: { who: string }) => interrupt<string, string>(who), {
    name: "ask",
    description: "Asks.",
    schema: z.object({ who: z.string() }),
  });
  const both = ["Ada", "Bob"].map((who) => ({ id: who, name: "ask", args: { who } }));
  const model = (messages: readonly { type: string }[]) =>
    messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: both };
  const agent = createAgent({ model, tools: [ask], checkpointer: new MemorySaver() });
  const { [INTERRUPT]: open = [] } = (await agent.invoke({ messages: "Go" }, { threadId: "t" })) as unknown as Result;
  const resume = Object.fromEntries(open.map(({ id, value }) => [id, `${value as string} says yes`]));
  const { messages } = await agent.invoke(new Command({ resume }), { threadId: "t" });
  expect(messages.slice(2, 4)).toMatchObject([{ content: "Ada says yes" }, { content: "Bob says yes" }]);
});

interface Result {
  [INTERRUPT]?: { id: string; value: unknown }[];
  messages: object[];
}

test("getCurrentTaskInput() returns the state", async () => {
  const count = langChainTool(() => String(getCurrentTaskInput<{ messages: object[] }>().messages.length), {
    name: "count",
    description: "Counts.",
    schema: z.object({}),
  });
  const { messages } = await createAgent({ model: calling("count"), tools: [count] }).invoke({ messages: "Go" });
  expect(messages[2]).toMatchObject({ content: "2" });
});

test("a graph of langgraph.js inside a tool still runs by itself", async () => {
  const State = Annotation.Root({ n: Annotation<number> });
  const inner = new StateGraph(State)
    .addNode("twice", ({ n }) => ({ n: 2 * n }))
    .addEdge(START, "twice")
    .compile();
  const twice = langChainTool(async () => String((await inner.invoke({ n: 21 })).n), {
    name: "twice",
    description: "Doubles.",
    schema: z.object({}),
  });
  const agent = createAgent({ model: calling("twice"), tools: [twice], checkpointer: new MemorySaver() });
  const { messages } = await agent.invoke({ messages: "Go" }, { threadId: "t" });
  expect(messages[2]).toMatchObject({ content: "42" });
});

test("responseFormat and tools take zod 3", async () => {
  enum Unit {
    C = "celsius",
    F = "fahrenheit",
  }
  const form = z3.object({
    city: z3.string().describe("Its name."),
    degrees: z3.number().int(),
    unit: z3.nativeEnum(Unit).default(Unit.C),
    wind: z3.union([z3.literal("calm"), z3.number()]).optional(),
    tags: z3.array(z3.enum(["hot", "cold"])).nullable(),
  });
  const parameters: unknown[] = [];
  const answer = { city: "Rome", degrees: 21, tags: ["hot"] };
  const agent = createAgent({
    model: (_, { tools }) => {
      parameters.push(...tools.map((one) => one.parameters));
      return call("extract", answer);
    },
    tools: [tool({ name: "look", schema: form, run: () => "" })],
    responseFormat: form,
  });
  const { structuredResponse } = await agent.invoke({ messages: "Rome?" });
  expect(structuredResponse).toEqual({ ...answer, unit: "celsius" });
  const schema = {
    type: "object",
    properties: {
      city: { type: "string", description: "Its name." },
      degrees: { type: "integer" },
      unit: { enum: ["celsius", "fahrenheit"] },
      wind: { anyOf: [{ const: "calm" }, { type: "number" }] },
      tags: { anyOf: [{ type: "array", items: { enum: ["hot", "cold"] } }, { type: "null" }] },
    },
    required: ["city", "degrees", "tags"],
  };
  expect(parameters).toEqual([schema, schema]);
});

test("the agent's contextSchema keeps what a middleware's schema needs", async () => {
  const seen: unknown[] = [];
  const tenant = createMiddleware({
    name: "Tenant",
    contextSchema: z.object({ tenant: z.string() }),
    beforeModel: (_, { context }) => void seen.push(context.tenant),
  });
  const contextSchema = z.object({ user: z.string(), lang: z.string().default("en") });
  const peek = tool({ name: "peek", run: (_, { context }) => void seen.push(context) });
  const agent = createAgent({ model: calling("peek"), tools: [peek], contextSchema, middleware: [tenant] });
  await agent.invoke({ messages: "Go" }, { context: { user: "ada", tenant: "acme" } });
  expect(seen).toEqual(["acme", { user: "ada", lang: "en", tenant: "acme" }, "acme"]);
});

test("an answer that repeats a message and its call is an error, not a loop without end", async () => {
  const agent = createAgent({
    model: () => ({ id: "m1", ...call("look") }),
    tools: [tool({ name: "look", run: () => "" })],
  });
  await expect(agent.invoke({ messages: "Go" })).rejects.toMatchObject({
    code: "INVALID_MESSAGE",
    message: expect.stringMatching(/'m1'.+'c1'/) as string,
  });
});
