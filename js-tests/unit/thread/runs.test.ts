import { Thread } from "threadfold";
import { expect, test } from "vitest";
import {
  ai,
  failed,
  finished,
  hear,
  human,
  idsOf,
  joined,
  message,
  messages,
  reloaded,
  shown,
  started,
  streamed,
  text,
  threadOf,
  told,
  values,
  whole,
} from "./say.js";
import { inside } from "../../support/inside.js";

test("text goes to the end of a message; for one that is not there it is an error", () => {
  using thread = threadOf();
  const seen = told(thread);
  hear(thread, streamed("1"), text("1", "Hel"), text("9", "x"), text("1", "lo"));
  expect(shown(thread)).toEqual(["1 Hello"]);
  expect(seen).toMatchObject({ errors: ["UNKNOWN_MESSAGE"], events: [text("9", "x")] });
});

test("a message event takes the place of the one it names, as it is", () => {
  using thread = threadOf(human("1", "a"), ai("2", "b"));
  const own = { id: "1", role: "reasoning", anything: [1] };
  hear(thread, message(own));
  expect(thread.getState().messages[0]).toBe(own);
  expect(thread.getConfirmedMessage("1")).toBe(own);
  expect(thread.getConfirmedMessage("9")).toBeUndefined();
});

test("a new one comes after the one that it follows and that one's tool results", () => {
  using thread = threadOf(ai("1", "a"), { type: "tool", id: "t", tool_call_id: "c", content: "" }, human("2", "b"));
  hear(thread, message(ai("3"), { after: "1" }), message(ai("4"), { after: "nobody" }));
  expect(idsOf(thread)).toEqual(["1", "t", "3", "2", "4"]);
});

test("a run received again from its start is the run received once", () => {
  using thread = threadOf(human("0", "old"));
  hear(thread, values({ messages: [human("0", "old")], files: { "/a": {} } }));
  const run = [
    started("r"),
    streamed("1"),
    text("1", "Hello"),
    whole("1"),
    { type: "update" as const, update: { files: { "/b": {} }, messages: [human("0", "redacted")] } },
    { type: "delta" as const, operations: [{ op: "add", path: "/log", value: ["x"] }] },
    finished,
  ];
  hear(thread, ...run);
  const once = structuredClone(thread.getState());
  expect(once).toEqual({
    messages: [human("0", "redacted"), ai("1", "Hello")],
    files: { "/a": {}, "/b": {} },
    log: ["x"],
  });
  const again = [joined("r"), ...run.slice(1)];
  hear(thread, ...again, ...again.slice(0, 3), ...again);
  expect(thread.getState()).toEqual(once);
});

test("the id of a run that has ended is a new run's, unless it is marked as joined", () => {
  using thread = threadOf();
  hear(thread, started("r"), message(ai("1", "a")), finished);
  hear(thread, started("r"), message(ai("2", "b")));
  expect(idsOf(thread)).toEqual(["1", "2"]);
  hear(thread, started("r"));
  expect(idsOf(thread)).toEqual(["1"]);
  hear(thread, message(ai("2", "b")), finished, joined("r"));
  expect(idsOf(thread)).toEqual(["1"]);
});

test("a run without an id is another one each time", () => {
  using thread = threadOf();
  hear(thread, started(), streamed("1"), text("1", "a"), started(), text("1", "b"));
  expect(shown(thread)).toEqual(["1 ab"]);
});

test("a part of the same id is passed over; in another run it is another part", () => {
  using thread = threadOf();
  const part = { ...text("1", "a"), id: "7" };
  hear(thread, started("r", "5"), { ...streamed("1"), id: "6" }, part, part, part);
  expect([shown(thread), thread.run]).toEqual([["1 a"], { id: "r", status: "streaming", lastEventId: "7" }]);
  hear(thread, started("r2", "5"), part);
  expect([shown(thread), thread.run]).toEqual([["1 aa"], { id: "r2", status: "streaming", lastEventId: "7" }]);
});

test("where ids repeat, the key distinguishes parts", () => {
  using thread = threadOf();
  const parts = ["a", "b"].map((text, at) => ({
    type: "text" as const,
    messageId: "1",
    text,
    id: "7",
    key: `7#${at}`,
  }));
  hear(thread, started("r"), streamed("1"), ...parts, ...parts);
  expect([shown(thread), thread.run.lastEventId, inside(thread).had("7#1"), inside(thread).had("7")]).toEqual([
    ["1 ab"],
    "7",
    true,
    false,
  ]);
});

test("local additions during a run outlast its replay, and those that no longer fit are skipped", () => {
  using thread = threadOf(human("0", "old"));
  const run = [started("r"), streamed("1"), text("1", "Hello"), finished];
  hear(thread, ...run.slice(0, 3));
  thread.update({ messages: [human("note", "mine")], mood: "calm" });
  thread.update({ messages: [{ type: "remove", id: "1" }] });
  thread.optimistic({ topic: "x" }).settle();
  hear(thread, run[0] as never);
  expect([shown(thread), thread.getState()["mood"], thread.getState()["topic"]]).toEqual([
    ["0 old", "note mine"],
    "calm",
    "x",
  ]);
  hear(thread, ...run.slice(1));
  expect(shown(thread)).toEqual(["0 old", "note mine", "1 Hello"]);
});

test("a message that was added alone outlasts a replay as a list does", () => {
  using thread = threadOf(human("0", "old"));
  hear(thread, started("r"));
  thread.update({ messages: human("0", "new") });
  thread.update({ messages: human("1", "mine") });
  hear(thread, { ...started("r"), joined: true } as never);
  expect(shown(thread)).toEqual(["0 new", "1 mine"]);
  thread.update({ messages: { type: "remove", id: "0" } });
  hear(thread, { ...started("r"), joined: true } as never);
  expect(shown(thread)).toEqual(["1 mine"]);
});

test("a replay shows pending updates until the server sends them again", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "Hi")], topic: "x" });
  hear(thread, { type: "state", values: { topic: "old" } });
  const run = [
    started("r"),
    streamed("a"),
    text("a", "Hello"),
    values({ messages: [human("q", "Hi"), ai("a", "Hello")], topic: "x" }),
    finished,
  ];
  hear(thread, ...run);
  expect(op.status).toBe("done");
  for (const event of [joined("r"), ...run.slice(1)]) {
    hear(thread, event);
    expect([shown(thread)[0], thread.getState()["topic"]]).toEqual(["q Hi", "x"]);
  }
  expect([op.status, thread.pending, shown(thread)]).toEqual(["done", [], ["q Hi", "a Hello"]]);
});

test("a replay that fails before the echo loses no pending message", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "Hi")] });
  hear(thread, started("r"), message(human("q", "Hi")), started("r"), failed);
  expect([op.status, shown(thread)]).toEqual(["failed", ["q Hi"]]);
});

test("events that cannot be folded leave the state whole, and the stream continues", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, { type: "state", values: { topic: "x" } });
  const seen = told(thread);
  const before = thread.getState();
  const bad = [
    {
      type: "delta",
      operations: [
        { op: "replace", path: "/topic", value: "y" },
        { op: "remove", path: "/nowhere" },
      ],
    },
    { type: "update", update: { topic: "y", messages: [{ type: "remove", id: "9" }] } },
    { type: "update", update: { messages: [human("1", "A")], todos: [{ content: 5 }] } },
    { type: "values", values: { topic: "y", messages: [{ nothing: "known" }] } },
    { type: "values", values: 5 },
    { type: "messages", messages: "none" },
    { type: "message", message: { type: "ai", content: "no id" } },
    { type: "message", message: "text" },
    { type: "delta", operations: [{ op: "add", path: "/__proto__/x", value: 1 }] },
    { type: "delta", operations: [{ op: "replace", path: "", value: 5 }] },
    { type: "text", messageId: 5, text: "x" },
    { type: "text", messageId: "1", text: 5 },
    { type: "unheard-of" },
    {},
    null,
  ];
  for (const event of bad) {
    thread.receive(event as never);
    expect(thread.getState(), JSON.stringify(event)).toBe(before);
  }
  expect(seen.errors).toEqual([
    "PATCH_FAILED",
    "UNKNOWN_MESSAGE",
    "INVALID_TODOS",
    "INVALID_MESSAGE",
    "INVALID_ARGUMENT",
    "INVALID_ARGUMENT",
    "INVALID_MESSAGE",
    "INVALID_MESSAGE",
    "FORBIDDEN_KEY",
    "INVALID_ARGUMENT",
    "UNKNOWN_MESSAGE",
    "INVALID_ARGUMENT",
    "INVALID_ARGUMENT",
    "INVALID_ARGUMENT",
    "INVALID_ARGUMENT",
  ]);
  hear(thread, text("1", "b"));
  expect(shown(thread)).toEqual(["1 ab"]);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test("a snapshot whose fields cannot be read leaves its messages unread, too", () => {
  using thread = threadOf(human("1", "a"));
  const seen = told(thread);
  const before = thread.getState();
  const hostile = Object.defineProperty({ messages: [human("2", "b")] }, "topic", {
    enumerable: true,
    get: () => {
      throw new Error("thrown");
    },
  });
  hear(thread, values(hostile));
  expect([seen.errors, thread.getState() === before]).toEqual([["UNREADABLE_VALUE"], true]);
});

test.each(["state", "values"] as const)("%s with a name that is not text is refused before any read", (type) => {
  using thread = threadOf(human("1", "a"));
  const seen = told(thread);
  const before = thread.getState();
  hear(thread, { type, values: { "\ud800": 1 } });
  expect([seen.errors, thread.getState() === before]).toEqual([["UNREADABLE_VALUE"], true]);
});

test("a delta whose path is not text is refused, and changes no other field", () => {
  using thread = threadOf(human("1", "a"));
  const seen = told(thread);
  hear(thread, { type: "state", values: { "\ufffd": 1 } });
  const before = thread.getState();
  hear(thread, { type: "delta", operations: [{ op: "replace", path: "/\ud800", value: 2 }] });
  expect([seen.errors, thread.getState() === before]).toEqual([["INVALID_PATCH"], true]);
});

test("the record of a thread in mid-run, through JSON, is that thread", () => {
  using first = threadOf(human("0", "old"));
  first.threadId = "t";
  hear(first, { ...started("r"), id: "1" }, { ...streamed("1"), id: "2" }, { ...text("1", "Hel"), id: "3" });
  first.update({ mood: "calm" });
  using thread = reloaded(first);
  expect([thread.getState(), thread.threadId, thread.run]).toEqual([
    first.getState(),
    "t",
    { ...first.run, status: "disconnected" },
  ]);
  hear(thread, { ...text("1", "Hel"), id: "3" }, { ...text("1", "lo"), id: "4" }, messages(human("0", "old")));
  expect(shown(thread)).toEqual(["0 old", "1 Hello"]);
  hear(thread, started("r"));
  expect(thread.getState()).toEqual({ messages: [human("0", "old")], mood: "calm" });
});

test("messages of any form come back from a record as they were", () => {
  using first = new Thread();
  const odd = [
    { id: "1", type: "AIMessageChunk", content: "a" },
    { id: "2", anything: 1 },
    { id: "3", role: "activity", content: { x: 1 } },
  ];
  hear(first, ...odd.map((one) => message(one)));
  using thread = reloaded(first as never);
  expect(thread.getState().messages).toEqual(odd);
});

test("messages of a run that never ended are incomplete as long as they are there", () => {
  const thread = new Thread();
  thread.receive({ type: "run-started", runId: "r1" });
  thread.receive({ type: "message", message: { type: "ai", id: "b", content: "half" }, streaming: true });
  thread.receive({ type: "run-started", runId: "r2" });
  expect([thread.messageIds, thread.incompleteIds]).toEqual([["b"], ["b"]]);
  thread.receive({ type: "values", values: { messages: [{ type: "human", id: "q", content: "q" }] } });
  expect([thread.messageIds, thread.incompleteIds]).toEqual([["q"], []]);
});
