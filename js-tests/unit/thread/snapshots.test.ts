import { defineSchema, field, Thread } from "threadfold";
import { expect, test } from "vitest";
import {
  ai,
  finished,
  hear,
  human,
  idsOf,
  message,
  messages,
  shown,
  started,
  streamed,
  text,
  threadOf,
  told,
  tool,
  values,
  whole,
} from "./say.js";

test("a snapshot's order is the order, and equal messages are the same objects", () => {
  using thread = threadOf(human("1", "a"), ai("2", "b"), human("3", "c"));
  const [one, two, three] = thread.getState().messages;
  hear(thread, messages(human("3", "c"), human("1", "a"), ai("2", "B"), human("4", "d")));
  const after = thread.getState().messages;
  expect(shown(thread)).toEqual(["3 c", "1 a", "2 B", "4 d"]);
  expect(after[0]).toBe(three);
  expect(after[1]).toBe(one);
  expect(after[2]).not.toBe(two);
});

test("parts of a message that did not change are the same", () => {
  using thread = threadOf({ ...ai("1", "a"), tool_calls: [{ name: "f", args: { x: [1] }, id: "c" }] });
  const [old] = thread.getState().messages;
  hear(thread, messages({ ...ai("1", "b"), tool_calls: [{ name: "f", args: { x: [1] }, id: "c" }] }));
  expect(thread.getState().messages[0]?.["tool_calls"]).toBe(old?.["tool_calls"]);
});

test("a snapshot that says the same again changes nothing at all", () => {
  using thread = threadOf();
  const told = { messages: [human("1", "a"), ai("2", "b")], files: { "/a": { content: "x" } }, todos: [] };
  hear(thread, values(structuredClone(told)));
  const [view, confirmed] = [thread.getState(), thread.getConfirmedState()];
  hear(thread, values(structuredClone(told)), messages(...structuredClone(told.messages)));
  expect(thread.getState()).toBe(view);
  expect(thread.getConfirmedState()).toBe(confirmed);
});

test("the fields are the snapshot's: missing ones go, equal ones stay the same", () => {
  using thread = threadOf();
  hear(
    thread,
    values({ messages: [human("1", "a")], topic: { name: "x" }, files: { "/a": { content: "x" }, "/b": {} }, mood: 1 }),
  );
  const before = thread.getState();
  hear(thread, values({ topic: { name: "x" }, files: { "/a": { content: "x" }, "/b": { content: "y" } } }));
  const after = thread.getState();
  expect(after).toEqual({
    messages: [human("1", "a")],
    topic: { name: "x" },
    files: { "/a": { content: "x" }, "/b": { content: "y" } },
  });
  expect(after.messages).toBe(before.messages);
  expect(after["topic"]).toBe(before["topic"]);
  expect((after["files"] as { "/a": object })["/a"]).toBe((before["files"] as { "/a": object })["/a"]);
});

test("a tool's result under another id is the same message, under its new name", () => {
  using thread = threadOf(ai("1", "calling"), tool("r-local", "c1", "42"), ai("2", "So"));
  hear(thread, messages(ai("1", "calling"), tool("r-server", "c1", "42"), ai("2", "So")));
  expect(idsOf(thread)).toEqual(["1", "r-server", "2"]);
});

test("messages after a renamed tool result, still streamed, stay after it", () => {
  using thread = threadOf(ai("1", "calling"));
  hear(thread, started("r"), streamed("2"), text("2", "So"), message(tool("r-local", "c1", "42"), { after: "1" }));
  expect(idsOf(thread)).toEqual(["1", "r-local", "2"]);
  hear(thread, messages(ai("1", "calling"), tool("r-server", "c1", "42")));
  expect(shown(thread)).toEqual(["1 calling", "r-server 42", "2 So"]);
});

test("messages streamed before a renamed tool result stay before it", () => {
  using thread = threadOf(ai("1", "calling"));
  hear(thread, started("r"), streamed("2"), message(tool("r-local", "c1", "42")));
  hear(thread, messages(ai("1", "calling"), human("x", "new"), tool("r-server", "c1", "42")));
  expect(idsOf(thread)).toEqual(["1", "x", "2", "r-server"]);
});

test.each(["", "my"])("a message that was marked as whole takes the server's shorter text: %j", (content) => {
  const said = { type: "ai" as const, id: "1", content: "my secret word" };
  const finished = { type: "message-finished", messageId: "1" } as const;
  const state = { type: "values", values: { messages: [{ ...said, content }] } } as const;
  for (const order of [
    [finished, state],
    [state, finished, state],
    [state, { type: "message", message: { ...said, content } } as const],
  ]) {
    using thread = new Thread();
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "message", message: said, streaming: true });
    for (const event of order) thread.receive(event);
    thread.receive({ type: "run-finished" });
    expect(thread.getState().messages.map((message) => message.content)).toEqual([content]);
  }
});

test("a message in flight stays where a lagging snapshot lacks it, and its text is not set back", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, started("r"), streamed("2"), text("2", "Hello"));
  hear(thread, messages(human("1", "a")));
  expect(shown(thread)).toEqual(["1 a", "2 Hello"]);
  const [, answer] = thread.getState().messages;
  hear(thread, messages(human("1", "a"), ai("2", "Hel")), text("2", "!"));
  expect(shown(thread)).toEqual(["1 a", "2 Hello!"]);
  expect(answer?.content).toBe("Hello");
  hear(thread, whole("2"), messages(human("1", "a")));
  expect(shown(thread)).toEqual(["1 a"]);
});

test("at the end of a run nothing is in flight", () => {
  using thread = threadOf();
  hear(thread, started("r"), streamed("1"), text("1", "a"), finished, messages());
  expect(shown(thread)).toEqual([]);
});

test("messages of the client's roles stay after their predecessors", () => {
  using thread = threadOf();
  const activity = (id: string) => ({ role: "activity", id, content: id });
  hear(
    thread,
    message(activity("a0")),
    message(human("1", "a")),
    message(activity("a1")),
    message(ai("2", "b")),
    message(activity("a2")),
  );
  const before = thread.getState().messages;
  const clientRoles = ["activity"];
  thread.receive({ type: "messages", messages: [human("1", "a"), human("x", "new"), ai("2", "b")], clientRoles });
  expect(idsOf(thread)).toEqual(["a0", "1", "a1", "x", "2", "a2"]);
  expect(thread.getState().messages[2]).toBe(before[2]);
  thread.receive({ type: "messages", messages: [ai("2", "b")], clientRoles });
  expect(idsOf(thread)).toEqual(["a0", "a1", "2", "a2"]);
  thread.receive({ type: "messages", messages: [ai("2", "b")] });
  expect(idsOf(thread)).toEqual(["2"]);
});

test("the client's message after one in flight stays after it", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, started("r"), streamed("2"), message({ role: "activity", id: "3", content: "" }));
  thread.receive({ type: "messages", messages: [human("1", "a")], clientRoles: ["activity"] });
  expect(idsOf(thread)).toEqual(["1", "2", "3"]);
});

test("a snapshot of one id twice, or with a removal, is one that a reducer would leave", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, messages(human("1", "x"), ai("2", "b"), human("1", "y"), { type: "remove", id: "2" }));
  expect(shown(thread)).toEqual(["1 y"]);
});

test("drift: the patch from predicted to actual, with its event", () => {
  using thread = new Thread({ schema: defineSchema({ messages: field.messages(), log: field.append<string>() }) });
  const seen = told(thread);
  hear(thread, started("r"), streamed("1"), text("1", "Hello"), whole("1"), { type: "update", update: { log: ["a"] } });
  const snapshot = values({ messages: [human("0", "q"), ai("1", "Hallo")], log: ["a", "b"] });
  hear(thread, snapshot);
  expect(seen.drifts).toEqual([
    [
      { op: "replace", path: "/messages/0/content", value: "Hallo" },
      { op: "add", path: "/log/1", value: "b" },
    ],
  ]);
  expect(seen.events).toEqual([snapshot]);
});

test("no drift in sync, nor for unfinished messages, nor a second time", () => {
  using thread = new Thread({ schema: defineSchema({ messages: field.messages(), log: field.append<string>() }) });
  const seen = told(thread);
  hear(thread, started("r"), streamed("1"), text("1", "Hel"), messages(ai("1", "other")));
  hear(thread, message(ai("2", "b")), { type: "update", update: { log: ["a"] } });
  hear(thread, values({ messages: [ai("1", "other"), ai("2", "b")], log: ["a"] }));
  hear(thread, values({ messages: [ai("1", "x"), ai("2", "y")], log: [] }));
  expect(seen.drifts).toEqual([]);
});

test("tool calls that mean the same are not drift", () => {
  using thread = threadOf();
  const seen = told(thread);
  const call = (args: string) => ({
    role: "assistant",
    id: "1",
    content: "",
    toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: args } }],
  });
  hear(thread, message(call('{"x":1}')), messages(call('{ "x": 1 }')));
  expect(seen.drifts).toEqual([]);
  hear(thread, message(call('{"x":1}')), messages(call('{"x":2}')));
  expect(seen.drifts.length).toBe(1);
});
