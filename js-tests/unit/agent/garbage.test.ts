// Invalid options are an error with a sentence; mistakes of a model or a tool are reported to the model.
import { ThreadfoldError } from "threadfold";
import {
  createAgent,
  createMiddleware,
  createSubAgentMiddleware,
  humanInTheLoopMiddleware,
  modelCallLimitMiddleware,
  scratchpadMiddleware,
  todoListMiddleware,
  tool,
} from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const model = () => "Hi.";

test.for<[string, () => unknown]>([
  ["no options", () => createAgent(undefined as never)],
  ["no model", () => createAgent({} as never)],
  ["tools that are no list", () => createAgent({ model, tools: {} as never })],
  ["a tool that is null", () => createAgent({ model, tools: [null as never] })],
  ["a tool without a name", () => createAgent({ model, tools: [{ run: () => "" } as never] })],
  ["a tool that does nothing", () => createAgent({ model, tools: [{ name: "a" } as never] })],
  ["a middleware that is undefined", () => createAgent({ model, middleware: [undefined as never] })],
  ["a middleware without a name", () => createMiddleware({} as never)],
  ["two of one name", () => createAgent({ model, middleware: [{ name: "A" }, { name: "A" }] })],
  ["no limit", () => modelCallLimitMiddleware({})],
  ["a limit that is no number", () => modelCallLimitMiddleware({ runLimit: "3" as never })],
  ["no decisions", () => humanInTheLoopMiddleware({ interruptOn: { a: { allowedDecisions: [] } } })],
  [
    "an unknown decision",
    () => humanInTheLoopMiddleware({ interruptOn: { a: { allowedDecisions: ["no" as never] } } }),
  ],
  ["a sub-agent without a model", () => createSubAgentMiddleware({ subagents: [{ name: "a", description: "" }] })],
  [
    "two sub-agents of one name",
    () =>
      createSubAgentMiddleware({ defaultModel: model, subagents: [1, 2].map(() => ({ name: "a", description: "" })) }),
  ],
  [
    "a schema that cannot say itself",
    () => createAgent({ model, responseFormat: { "~standard": { validate: () => {} } } }),
  ],
])("%s", ([, make]) => {
  expect(make).toThrow(ThreadfoldError);
  expect(make).toThrow(/\S+ \S+ .*[.:]/);
});

test("an invalid model fails the run with a sentence", async () => {
  await expect(createAgent({ model: {} as never }).invoke({ messages: "Hi" })).rejects.toThrow(ThreadfoldError);
  await expect(
    createAgent({ model: { invoke: async () => "" }, tools: [tool({ name: "a", run: () => "" })] }).invoke({
      messages: "Hi",
    }),
  ).rejects.toThrow(/bindTools/);
});

test.for<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a number", 5],
  ["a list", []],
  ["a boolean", true],
  ["a stream", (async function* () {})()],
  ["a call that is null", { tool_calls: [null] }],
  ["calls that are no list", { tool_calls: 5 }],
])("a model that answers with %s fails the run with a sentence", async ([, answer]) => {
  const models = [() => answer, { invoke: async () => answer }, { doGenerate: async () => answer }];
  for (const model of answer && "tool_calls" in Object(answer) ? models.slice(0, 2) : models) {
    const error = await createAgent({ model: model as never })
      .invoke({ messages: "Hi" })
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringMatching(/model/) as string });
  }
});

const circle: Record<string, unknown> = {};
circle["self"] = circle;

test.for<[string, unknown]>([
  ["a BigInt", 10n],
  ["a BigInt within", { list: [1n] }],
  ["a circle", circle],
  ["what has no JSON", { toJSON: () => JSON.parse("{") as unknown }],
])("a tool that returns %s fails the run with a sentence and the reason", async ([, value]) => {
  const model = () => ({ tool_calls: [{ name: "a", args: {} }] });
  const agent = createAgent({ model, tools: [tool({ name: "a", run: () => value })] });
  const error = await agent.invoke({ messages: "Hi" }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ThreadfoldError);
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", cause: expect.any(Error) as Error });
});

test("calls whose arguments were malformed are answered before the model is asked again", async () => {
  const sent: number[] = [];
  const invalid = { id: "c1", name: "a", args: "{", error: "no JSON", type: "invalid_tool_call" };
  const agent = createAgent({ model: (messages) => (sent.push(messages.length), "Ok.") });
  const { messages } = await agent.invoke({
    messages: [
      { type: "human", content: "Hi" },
      { type: "ai", content: "", invalid_tool_calls: [invalid] },
      { type: "human", content: "And?" },
    ],
  });
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "human", "ai"]);
  expect(messages[2]).toMatchObject({ tool_call_id: "c1", status: "error", name: "a" });
  expect(sent).toEqual([4]);
});

test("decisions that do not fit leave the thread where it was", async () => {
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: [{ id: "c1", name: "a", args: {} }] },
    tools: [tool({ name: "a", run: () => "A." })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { a: { allowedDecisions: ["approve"] } } })],
    checkpointer: new MemorySaver(),
  });
  const config = { threadId: "t" };
  await agent.invoke({ messages: "Go" }, config);
  for (const decisions of [[], [{ type: "reject" }], [{}], [null], [{ type: "approve" }, { type: "approve" }]]) {
    await expect(agent.invoke(new Command({ resume: { decisions } }), config)).rejects.toThrow(/decision/);
  }
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
  expect(messages.at(-1)?.content).toBe("Done.");
});

test("the page about agents has a place for every field of the record", () => {
  const page = readFileSync(new URL("../../../docs/agent.md", import.meta.url), "utf8");
  const fields =
    "id name system_prompt tools tool_handlers llm_config max_iterations response_format callbacks middlewares storage auto_checkpoint messages full_messages conversation_summary compression_applied scratchpad pending_action iteration last_response last_content tool_calls tool_results finish_reason context callback_meta run_id";
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  const named = new Set(rows.flatMap((row) => (row.split("|")[1] ?? "").split(",").map((field) => field.trim())));
  for (const field of fields.split(" ")) expect(named, field).toContain(field);
});

test("a tool that answers with a command keeps it through an edit and a scratchpad", async () => {
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? "Done."
        : { content: "", tool_calls: [{ id: "c1", name: "write_todos", args: { todos: [] } }] },
    middleware: [
      scratchpadMiddleware(),
      todoListMiddleware(),
      humanInTheLoopMiddleware({ interruptOn: { write_todos: true }, editNotice: "Edited." }),
    ],
    checkpointer: new MemorySaver(),
  });
  const config = { threadId: "t" };
  await agent.invoke({ messages: "Go" }, config);
  const todos = [{ content: "Rest", status: "pending" as const }];
  const edit = { type: "edit", edited_action: { name: "write_todos", args: { todos } } };
  const result = await agent.invoke(new Command({ resume: { decisions: [edit] } }), config);
  expect(result.todos).toEqual(todos);
  expect(String(result.messages[2]?.content)).toMatch(
    /^Edited\. Executed instead: write_todos .*\n\nTool response:\nUpdated/,
  );
  const { scratchpad } = (await agent.getState(config)).values as { scratchpad: { node: string }[] };
  expect(scratchpad.map(({ node }) => node)).toEqual(["model", "tools", "model"]);
});
