// The input of a run, and that a server which folds it gets the right state.
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { addMessages, defineSchema, field, type LangChainMessage, Thread, type ThreadState } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { type FoldHttpAgent } from "threadfold/ag-ui/client";
import { expect, test } from "vitest";
import { agentOf, type Event, finished, response, started, text } from "./agents.js";

type Open = ThreadState & Record<string, unknown>;

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<number>(),
  mood: field.replace<string>(),
  todos: field.todos({ input: false }),
  files: field.files<string>(),
  facts: field.merge(),
  budget: field.reducer((left: number, spent: number) => left - spent, { default: () => 100 }),
  secret: field.replace<string>({ private: true }),
});

/** A server that keeps its state, and adds one to its log each turn. */
class Server {
  #state = schema.merge(schema.initial(), { todos: [{ content: "do", status: "pending" }], secret: "s" });

  answer(body: string): Event[] {
    const { state, messages, runId } = JSON.parse(body) as { state: object; messages: object[]; runId: string };
    this.#state = schema.merge(this.#state, schema.input(state).values as never);
    this.#state = schema.merge(this.#state, { messages: messages as never, log: [this.#state.log.length + 1] });
    const { messages: _, ...fields } = schema.output(this.#state).values as Record<string, unknown>;
    return [started(runId), { type: "STATE_SNAPSHOT", snapshot: fields }, finished(runId)];
  }

  get state() {
    return this.#state;
  }
}

test("a value that the server sent is not sent back: one entry a turn is one entry a turn", async () => {
  const echoing = new Server();
  const lengths: number[] = [];
  const bodies: string[] = [];
  const plain = agentOf("plain", [], {
    fetch: async (_, { body }) => {
      bodies.push(body as string);
      return response(echoing.answer(body as string));
    },
  });
  for (let turn = 0; turn < 3; turn++) {
    await plain.runAgent();
    lengths.push(echoing.state.log.length);
  }
  expect(lengths).toEqual([1, 3, 7]);

  const server = new Server();
  const thread = new Thread({ threadId: "t1", schema });
  const own: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    await foldAgUi(thread, server.answer(JSON.stringify(runInput(thread, { schema }))));
    own.push(server.state.log.length);
  }
  expect(own).toEqual([1, 2, 3]);
  expect((thread.getState() as { log: number[] }).log).toEqual([1, 2, 3]);
});

test("of a field that grew here what is new, of others what is other", async () => {
  const thread = new Thread({ threadId: "t1", schema });
  const snapshot = {
    log: [1, 2],
    mood: "calm",
    files: { "a.md": "A", "b.md": "B" },
    facts: { sun: "up", sea: "flat" },
    budget: 90,
    todos: [{ content: "x", status: "pending" }],
  };
  await foldAgUi(thread, [started(), { type: "STATE_SNAPSHOT", snapshot }, finished()] as Event[]);
  expect(runInput(thread, { schema }).state).toEqual({});

  thread.optimistic({ log: [3], files: { "b.md": null, "c.md": "C" }, facts: { sea: "rough" }, budget: 5 } as never);
  thread.update({ mood: "gay" } as never);
  expect(runInput(thread, { schema }).state).toEqual({
    log: [3],
    mood: "gay",
    files: { "b.md": null, "c.md": "C" },
    facts: { sea: "rough" },
    budget: 5,
  });
});

test("private fields and those that are not input are not sent", async () => {
  const thread = new Thread({
    threadId: "t1",
    schema,
    values: { mood: "calm", todos: [{ content: "x", status: "pending" }], secret: "s" } as never,
  });
  expect(runInput(thread, { schema }).state).toEqual({ mood: "calm" });
  expect(Object.keys(runInput(thread, { schema, state: "whole" }).state).toSorted()).toEqual([
    "budget",
    "facts",
    "files",
    "log",
    "mood",
  ]);
  expect(runInput(thread, { schema, state: { own: 1 } }).state).toEqual({ own: 1 });
});

test("without a schema: the values that the server did not send", async () => {
  const thread = new Thread<Open>({ threadId: "t1", values: { mood: "calm" } });
  expect(runInput(thread).state).toEqual({ mood: "calm" });
  await foldAgUi(thread, [
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { mood: "calm", list: [1], deep: { er: 1 } } },
    finished(),
  ] as Event[]);
  expect(runInput(thread).state).toEqual({});
  await foldAgUi(thread, [
    started("r2"),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/list/-", value: 2 }] },
    finished("r2"),
  ] as Event[]);
  expect(runInput(thread).state).toEqual({});
  thread.update({ deep: { er: 2 } } as never);
  expect(runInput(thread).state).toEqual({ deep: { er: 2 } });
});

test("a field that the server only patched is the server's", async () => {
  const thread = new Thread({ threadId: "t1" });
  await foldAgUi(thread, [
    started(),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/list", value: [1] }] },
    finished(),
  ] as Event[]);
  expect(runInput(thread).state).toEqual({});
});

test("a patch of local additions, and its result is the server's", async () => {
  const thread = new Thread<Open>({ threadId: "t1" });
  const errors: unknown[] = [];
  thread.on("error", (error) => errors.push(error));
  thread.update({ mood: { is: "calm" } });
  await foldAgUi(thread, [started(), { type: "STATE_SNAPSHOT", snapshot: {} }] as Event[]);
  thread.update({ mood: { is: "gay" } });
  await foldAgUi(thread, [
    { type: "STATE_DELTA", delta: [{ op: "replace", path: "/mood/is", value: "so-so" }] },
    finished(),
  ] as Event[]);
  expect(errors).toEqual([]);
  expect(thread.getState()).toMatchObject({ mood: { is: "so-so" } });
  expect(runInput(thread).state).toEqual({});
});

test("a value set on an agent is sent until the server sends it", async () => {
  const agent = agentOf(
    "folding",
    [[started(), { type: "STATE_SNAPSHOT", snapshot: { mood: "calm", log: [1] } }, finished()]],
    { initialState: { own: 1 } },
  ) as FoldHttpAgent;
  expect(runInput(agent.thread).state).toEqual({ own: 1 });
  await agent.runAgent();
  expect(runInput(agent.thread).state).toEqual({});
  agent.setState({ mood: "gay", log: [1] });
  expect(runInput(agent.thread).state).toEqual({ mood: "gay" });
});

test("a thread that was saved and read again does not send the server's values back", async () => {
  const thread = new Thread({ threadId: "t1", schema });
  await foldAgUi(thread, [
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { log: [1], mood: "calm" } },
    finished(),
  ] as Event[]);
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object, { schema });
  expect(runInput(again, { schema }).state).toEqual({});
});

test("several writes to a field with a reducer of its own cannot be made one here", () => {
  const thread = new Thread({ threadId: "t1", schema });
  thread.optimistic({ budget: 5 } as never);
  thread.optimistic({ budget: 6 } as never);
  expect(() => runInput(thread, { schema })).toThrow(/budget/);
  expect(runInput(thread, { schema, state: { budget: 11 } }).state).toEqual({ budget: 11 });
});

test("messages in AG-UI's form, pending ones among them, without activities; each tool once; all of it valid", async () => {
  const dicts: LangChainMessage[] = [
    { type: "human", id: "u1", content: "Q" },
    { type: "ai", id: "a1", content: "", tool_calls: [{ name: "n", args: { a: 1 }, id: "c1", type: "tool_call" }] },
  ];
  const thread = new Thread({ threadId: "t1", values: { messages: dicts } });
  await foldAgUi(thread, [
    started(),
    ...text("m1", "a"),
    { type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "PLAN", content: {} },
    finished(),
  ] as Event[]);
  thread.optimistic({ messages: [{ id: "u2", role: "user", content: "More" }] });
  const tools = [
    { name: "search", description: "1" },
    { name: "search", description: "2" },
    { name: "plan", description: "" },
  ];
  const input = runInput(thread, {
    tools,
    context: [{ description: "d", value: "v" }],
    forwardedProps: { a: 1 },
    runId: "r7",
    parentRunId: "r6",
    resume: [{ interruptId: "i", status: "resolved", payload: 1 }],
  });
  expect(input).toMatchObject({
    threadId: "t1",
    runId: "r7",
    parentRunId: "r6",
    forwardedProps: { a: 1 },
    context: [{ description: "d", value: "v" }],
  });
  expect(input.tools).toEqual([tools[0], tools[2]]);
  expect(input.messages.map((message) => (message as { role: string }).role)).toEqual([
    "user",
    "assistant",
    "assistant",
    "user",
  ]);
  expect(input.messages[1]).toMatchObject({ id: "a1", toolCalls: [{ id: "c1", function: { arguments: '{"a":1}' } }] });
  expect(RunAgentInputSchema.safeParse(JSON.parse(JSON.stringify(input))).error).toBeUndefined();
  expect(addMessages([], input.messages as never[]).length).toBe(4);
});

test("a run needs a thread's name, and gets an id of its own", () => {
  expect(() => runInput(new Thread())).toThrow(/thread id/);
  const thread = new Thread();
  const [one, other] = [runInput(thread, { threadId: "t" }), runInput(thread, { threadId: "t" })];
  expect(one.threadId).toBe("t");
  expect(one.runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(one.runId).not.toBe(other.runId);
});
