// The programs that the thread types accept, and those that they reject.
import type { Message as AgUiClientMessage } from "@ag-ui/client";
import {
  defineSchema,
  field,
  MessageList,
  removeMessage,
  textOf,
  Thread,
  type AgUiMessage,
  type AgUiState,
  type InferState,
  type InferUpdate,
  type LangChainMessage,
  type PendingUpdate,
  type ThreadState,
} from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { useMessage, useThread } from "threadfold/react";
import { describe, expect, expectTypeOf, test } from "vitest";
import { codeOf } from "../../support/errors.js";

describe("a thread without a schema", () => {
  test("takes updates of its fields, and of no others", () => {
    using thread = new Thread();
    thread.optimistic({ messages: { type: "human", id: "1", content: "Hi" } });
    thread.optimistic({
      messages: [{ type: "human", content: "Hi" }, ["user", "Hi"], removeMessage("1")] as const,
      todos: [],
    });
    thread.update({ files: { "/a": { content: "a" }, "/b": null }, tools: [{ name: "search" }] });
    thread.update({ todos: undefined });
    expectTypeOf(thread.optimistic).parameter(0).not.toExtend<{ topic: string }>();
    // @ts-expect-error no such field
    thread.optimistic({ toppic: 1 });
    // @ts-expect-error no such field
    thread.update({ toppic: 1 });
    // @ts-expect-error no message
    expect(codeOf(() => thread.optimistic({ messages: { foo: 1 } }))).toBe("INVALID_MESSAGE");
    // @ts-expect-error nor a list of them
    expect(codeOf(() => thread.optimistic({ messages: [{ foo: 1 }] }))).toBe("INVALID_MESSAGE");
    // @ts-expect-error no content
    thread.optimistic({ messages: [{ type: "human" }] });
    // @ts-expect-error no such status
    expect(codeOf(() => thread.update({ todos: [{ content: "x", status: "later" }] }))).toBe("INVALID_TODOS");
    // @ts-expect-error not said to be there
    expect(thread.getState().toppic).toBe(1);
  });

  test("starts with values of its fields, which say nothing of its type", () => {
    using thread = new Thread({ values: { messages: [{ type: "human", id: "1", content: "Hi" }], todos: [] } });
    expectTypeOf(thread).toEqualTypeOf<Thread<ThreadState>>();
    // @ts-expect-error no such field
    using other = new Thread({ values: { toppic: 1 } });
    expect(other.getState()).toMatchObject({ toppic: 1 });
  });

  test("has the fields that it is declared with", () => {
    interface Trip extends ThreadState {
      city?: string;
    }
    using thread = new Thread<Trip>({ values: { city: "Rome" } });
    thread.optimistic({ city: "Oslo", messages: "Hi" });
    expectTypeOf(thread.getState().city).toEqualTypeOf<string | undefined>();
    expectTypeOf(thread.getState().messages).toEqualTypeOf<readonly LangChainMessage[]>();
    // @ts-expect-error a city is a string
    thread.optimistic({ city: 1 });
    using open = new Thread<ThreadState & Record<string, unknown>>();
    open.optimistic({ anything: 1, messages: "Hi" });
    // @ts-expect-error still no message
    expect(codeOf(() => open.optimistic({ messages: { foo: 1 } }))).toBe("INVALID_MESSAGE");
  });

  test("gives its messages by id, with their type", () => {
    using thread = new Thread({
      values: { messages: [{ type: "ai", id: "1", content: "Hi", tool_calls: [{ name: "n", args: {} }] }] },
    });
    const message = thread.getConfirmedMessage("1");
    expectTypeOf(message).toEqualTypeOf<LangChainMessage | undefined>();
    expect(message?.type === "ai" && message.tool_calls?.[0]?.name).toBe("n");
    expectTypeOf(thread.pending).toExtend<readonly PendingUpdate[]>();
  });
});

describe("a thread that AG-UI's events are folded into", () => {
  test("has AG-UI's messages, in its views and in its arguments", () => {
    using thread = new Thread<AgUiState>();
    expectTypeOf<AgUiState>().toEqualTypeOf<ThreadState<AgUiMessage>>();
    const question = { id: "q", role: "user", content: "Hi" } as const;
    thread.optimistic({ messages: [question] });
    thread.optimistic({ messages: { id: "q2", role: "user", content: [{ type: "text", text: "Hi" }] } });
    thread.optimistic({ messages: removeMessage("q2") });
    const [message] = thread.getState().messages;
    expectTypeOf(message).toEqualTypeOf<AgUiMessage | undefined>();
    expectTypeOf(thread.getConfirmedMessage("q")).toEqualTypeOf<AgUiMessage | undefined>();
    // @ts-expect-error would become a LangChain dict
    thread.optimistic({ messages: "Hi" });
    // @ts-expect-error is LangChain's
    thread.optimistic({ messages: [{ type: "human", id: "1", content: "Hi" }] });
    // @ts-expect-error has no such role
    thread.optimistic({ messages: [{ role: "human", id: "1", content: "Hi" }] });
    // @ts-expect-error has no id
    thread.optimistic({ messages: [{ role: "user", content: "Hi" }] });
  });

  test("fits React's hook, with a message's parts by its role", () => {
    const Chat = (thread: Thread<AgUiState>) => {
      const messages = useThread(thread, (state) => state.messages);
      return messages.map((message) => {
        switch (message.role) {
          case "assistant":
            expectTypeOf(message.content).toEqualTypeOf<string | undefined>();
            return message.toolCalls?.map((call) => call.function.name.toUpperCase()).join() ?? "";
          case "tool":
            return message.toolCallId;
          case "activity":
            expectTypeOf(message.content).toEqualTypeOf<Record<string, unknown>>();
            return message.activityType;
          default:
            return textOf(message);
        }
      });
    };
    expectTypeOf(Chat).returns.toEqualTypeOf<string[]>();
  });

  test("its messages are @ag-ui/core's own", () => {
    expectTypeOf<AgUiClientMessage>().toExtend<AgUiMessage>();
    expectTypeOf<AgUiMessage>().toExtend<AgUiClientMessage>();
    using thread = new Thread<ThreadState<AgUiClientMessage>>();
    thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }] });
    expectTypeOf(thread.getState().messages[0]).toEqualTypeOf<AgUiClientMessage | undefined>();
  });
});

test("a thread with a schema takes the schema's updates", () => {
  const schema = defineSchema({ messages: field.messages<AgUiMessage>(), log: field.append<number>() });
  using thread = new Thread({ schema, values: { log: [1] } });
  thread.optimistic({ log: [2], messages: [{ id: "q", role: "user", content: "Hi" }] });
  expectTypeOf(thread.getState().log).toEqualTypeOf<number[]>();
  expectTypeOf(thread.getConfirmedMessage("q")).toEqualTypeOf<AgUiMessage | undefined>();
  // @ts-expect-error a list of numbers
  expect(codeOf(() => thread.optimistic({ log: 2 }))).toBe("INVALID_ARGUMENT");
  // @ts-expect-error no such field
  expect(codeOf(() => thread.optimistic({ lug: [2] }))).toBe("NOT_INPUT");
});

test("a MessageList of AG-UI's messages takes no other forms", () => {
  using list = new MessageList<AgUiMessage>();
  list.update({ id: "1", role: "reasoning", content: "Hm" });
  // @ts-expect-error would become a LangChain dict
  list.update("Hi");
  // @ts-expect-error the same, at the start
  using other = new MessageList<AgUiMessage>(["Hi"]);
  expect([list.length, other.length]).toEqual([2, 1]);
});

test("a runner refuses a thread of the other protocol's messages", () => {
  using langChain = new Thread();
  using agUi = new Thread<AgUiState>();
  const open = { apiUrl: "http://stub", assistantId: "agent" };
  // @ts-expect-error has LangChain's messages
  expect(new AgUiRunner(langChain, { url: "/agent" }).thread).toBe(langChain);
  // @ts-expect-error has AG-UI's
  expect(new LangGraphRunner(agUi, open).thread).toBe(agUi);
  const fits = [new AgUiRunner(agUi, { url: "/agent" }), new LangGraphRunner(langChain, open)];
  expect(fits).toHaveLength(2);
  // Types that say nothing of messages are left alone: no messages, any state, custom messages, a state that is a
  // parameter.
  using noMessages = new Thread({ schema: defineSchema({ log: field.append<number>() }) });
  using own = new Thread<ThreadState<{ id: string; text: string }>>();
  const any = langChain as unknown as Thread<ThreadState<object>>;
  const runners = [
    new AgUiRunner(noMessages, { url: "/agent" }),
    new AgUiRunner(own, { url: "/agent" }),
    new AgUiRunner(any, { url: "/agent" }),
    new LangGraphRunner(noMessages, open),
    new LangGraphRunner(own, open),
    new LangGraphRunner(any, open),
  ];
  const generic = <S extends AgUiState>(thread: Thread<S>) => new AgUiRunner(thread, { url: "/agent" });
  expectTypeOf(generic(agUi).thread).toEqualTypeOf<Thread<AgUiState>>();
  expect(runners).toHaveLength(6);
});

test("messages sent over AG-UI need no id; over LangGraph they have LangChain's form or a role", () => {
  using agUi = new Thread<AgUiState>();
  using langChain = new Thread();
  const sends = (agent: AgUiRunner<AgUiState>, graph: LangGraphRunner<ThreadState>) => [
    agent.sendMessage({ role: "user", content: "Hi" }),
    agent.sendMessage({ role: "tool", toolCallId: "c1", content: "42" }),
    agent.sendMessage([
      { role: "tool", toolCallId: "c1", content: "42" },
      { role: "user", id: "q", content: "Hi" },
    ]),
    // @ts-expect-error has no call that it answers
    agent.sendMessage({ role: "tool", content: "42" }),
    // @ts-expect-error has no such role
    agent.sendMessage({ role: "human", content: "Hi" }),
    // @ts-expect-error is LangChain's
    agent.sendMessage({ type: "human", content: "Hi" }),
    graph.sendMessage({ role: "user", content: "Hi" }),
    graph.sendMessage([{ type: "tool", tool_call_id: "c1", content: "42" }]),
    // @ts-expect-error no message
    graph.sendMessage({ content: "Hi" }),
  ];
  expect(sends).toBeTypeOf("function");
  expect([agUi, langChain].map(({ pending }) => pending.length)).toEqual([0, 0]);
});

test("a field that only the agent writes is not input of optimistic and sendMessage", () => {
  const schema = defineSchema({
    messages: field.messages(),
    todos: field.todos({ input: false }),
    files: field.files({ private: true }),
    tools: field.tools({ output: false }),
    topic: field.replace<string>(),
    anything: field.replace(),
  });
  using thread = new Thread({ schema });
  thread.update({ todos: [{ content: "Pack", status: "pending" }], files: { "/a": null } });
  expect(schema.merge({}, { todos: [] })).toEqual({ todos: [] });
  thread.optimistic({ messages: "Hi", tools: [{ name: "search" }], topic: "x", anything: 1 });
  // @ts-expect-error is the agent's
  expect(codeOf(() => thread.optimistic({ todos: [] }))).toBe("NOT_INPUT");
  // @ts-expect-error is the agent's
  expect(codeOf(() => thread.optimistic({ files: {} }))).toBe("NOT_INPUT");
  expectTypeOf(thread.getState().todos).toExtend<readonly object[]>();
  const sends = (graph: LangGraphRunner<InferState<typeof schema>, InferUpdate<typeof schema>>) => [
    graph.sendMessage("Hi", { input: { topic: "x" } }),
    // @ts-expect-error is the agent's
    graph.sendMessage("Hi", { input: { todos: [] } }),
  ];
  expect(sends).toBeTypeOf("function");
});

test("so is a field of any kind", () => {
  interface Usage {
    tokens: number;
  }
  const add = (total: number, more: number) => total + more;
  const schema = defineSchema({
    messages: field.messages<AgUiMessage>(),
    usage: field.replace<Usage>({ input: false }),
    any: field.replace({ input: false }),
    secret: field.replace<string>({ private: true }),
    log: field.append<string>({ input: false }),
    facts: field.merge<{ sun?: string }>({ input: false }),
    docs: field.files<Usage>({ input: false }),
    tools: field.tools({ input: false }),
    next: field.ephemeral<string>({ input: false, guard: false }),
    local: field.untracked<string>({ private: true }),
    spent: field.reducer(add, { input: false, default: () => 0 }),
    left: field.reducer(add, { input: false }),
    mine: field.replace<string>({ input: true, output: false }),
    total: field.reducer(add, { default: () => 0 }),
  });
  type State = InferState<typeof schema>;
  expectTypeOf<State["usage"]>().toEqualTypeOf<Usage | undefined>();
  expectTypeOf<State["log"]>().toEqualTypeOf<string[]>();
  expectTypeOf<State["spent"]>().toEqualTypeOf<number>();
  expectTypeOf<State["left"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<State["docs"]>().toEqualTypeOf<Record<string, Usage>>();
  using thread = new Thread({ schema });
  thread.update({ usage: { tokens: 1 }, any: 1, log: ["a"], facts: { sun: "up" }, spent: 2, secret: "s" });
  const sends = (agent: AgUiRunner<State, InferUpdate<typeof schema>>) => [
    agent.sendMessage("Hi", { input: { mine: "x", total: 1 } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { usage: { tokens: 1 } } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { any: 1 } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { secret: "s" } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { log: ["a"] } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { facts: {} } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { docs: {} } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { tools: [] } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { next: "x" } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { local: "x" } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { spent: 1 } }),
    // @ts-expect-error is the agent's
    agent.sendMessage("Hi", { input: { left: 1 } }),
  ];
  expect(sends).toBeTypeOf("function");
  // @ts-expect-error is the agent's
  expect(codeOf(() => thread.optimistic({ usage: { tokens: 1 } }))).toBe("NOT_INPUT");
  expect(thread.getState()).toMatchObject({ usage: { tokens: 1 }, any: 1, log: ["a"], facts: { sun: "up" }, spent: 2 });
});

test("a state with fields that must be there needs options", () => {
  type Trip = AgUiState & { city: string };
  // @ts-expect-error has no city
  using thread = new Thread<Trip>();
  expect(thread.getState().city).toBeUndefined();
  using started = new Thread<Trip>({ values: { city: "Rome" } });
  expect(started.getState().city.length).toBe(4);
  using optional = new Thread<AgUiState & { city?: string }>();
  using open = new Thread<Record<string, unknown>>();
  expect([optional, open].map(({ pending }) => pending.length)).toEqual([0, 0]);
});

test("useThread and useMessage take one of several kinds of threads", () => {
  const count = (thread: Thread<AgUiState> | Thread) => useThread(thread, ({ messages }) => messages.length);
  const whole = (thread: Thread<AgUiState> | Thread) => useThread(thread);
  expectTypeOf(count).returns.toEqualTypeOf<number>();
  expectTypeOf(whole).returns.toEqualTypeOf<AgUiState | ThreadState>();
  const one = (thread: Thread<AgUiState> | Thread) => useMessage(thread, "1");
  expectTypeOf(one).returns.toEqualTypeOf<AgUiMessage | LangChainMessage | undefined>();
});

test("where messages are the only input, sendMessage takes no other field", () => {
  const schema = defineSchema({ messages: field.messages(), todos: field.todos({ input: false }) });
  const agent = new LangGraphRunner(new Thread({ schema }), { apiUrl: "http://stub", assistantId: "agent" });
  void (() => [
    agent.sendMessage("Hi", { messageId: "m1" }),
    agent.sendMessage("Hi", undefined),
    // @ts-expect-error the agent's
    agent.sendMessage("Hi", { input: { todos: [] } }),
    // @ts-expect-error no such field
    agent.sendMessage("Hi", { input: { nonsense: 1 } }),
    // @ts-expect-error a field, not an option
    agent.sendMessage("Hi", { todos: [] }),
  ]);
});
