// The contents of a thread's record, and the records that a thread accepts.
import { defineSchema, field, REMOVE_ALL_MESSAGES, Thread, ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";
import { ai, hear, human, started, streamed, text, threadOf } from "./say.js";
import { inside } from "../../support/inside.js";
import type { ThreadRecord } from "../../../pkg-template/src/thread/thread-types.js";

const INVALID = expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error;
const schema = defineSchema({ messages: field.messages(), topic: field.replace() });
const removeAll = { type: "remove", id: REMOVE_ALL_MESSAGES } as const;
const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as ThreadRecord;
const withSchema = () => {
  const thread = new Thread({ schema, threadId: "t" });
  thread.update({ messages: { type: "human", id: "1", content: "a" }, topic: "x" });
  return thread;
};

test("the record names its version and its thread", () => {
  const { core, ...record } = json(withSchema());
  expect(record).toEqual({
    version: 2,
    threadId: "t",
    history: {},
  });
  expect(core).toMatchObject({
    run: { status: "ready", parts: [] },
    server: { fields: [{ op: "remove", path: "/topic" }], messages: "0", here: ["messages", "topic"] },
  });
});

test("a record of another version is refused by its number", () => {
  const record = json(withSchema());
  for (const version of [1, 3, 2.5]) {
    expect(() => Thread.fromJSON({ ...record, version }, { schema })).toThrow(INVALID);
    expect(() => Thread.fromJSON({ ...record, version }, { schema })).toThrow(`version ${version}`);
  }
  const inDoubt = (doubts: unknown) => ({ ...record, proof: { doubts } });
  expect(Thread.fromJSON(inDoubt([{ field: "topic", reason: "gap" }]), { schema }).doubts).toHaveLength(1);
  for (const doubts of [[null], [{}], {}, [{ field: 5, reason: "gap" }]])
    expect(() => Thread.fromJSON(inDoubt(doubts), { schema })).toThrow(INVALID);
  for (const none of [{}, null, undefined, [], "record", { ...record, version: "2" }, { ...record, core: 5 }]) {
    expect(() => Thread.fromJSON(none as object, { schema })).toThrow(INVALID);
  }
});

test.each([
  ["undefined in a list", ["a", undefined]],
  ["undefined in a list in a list", [["a"], [undefined]]],
  ["undefined in an object", [{ a: undefined }]],
  ["a function", () => 1],
  ["a symbol", Symbol("a")],
  ["a function in a list", ["a", () => 1]],
])("a thread whose run replaced %s can be opened again", (_, picks) => {
  const thread = threadOf(human("1", "a"));
  thread.update({ picks });
  hear(thread, started("r"), { type: "state", values: { picks: ["a"] } });
  for (const open of [true, false]) {
    if (!open) thread.receive({ type: "run-finished" });
    using again = Thread.fromJSON(json(thread));
    expect(again.getState()).toEqual({ messages: [human("1", "a")], picks: ["a"] });
  }
});

test.each([
  ["edited here", (thread: Thread) => thread.update({ messages: [ai("2", "edited")] })],
  ["removed here", (thread: Thread) => thread.update({ messages: [{ type: "remove", id: "1" }] })],
  ["replaced here by others", (thread: Thread) => thread.update({ messages: [removeAll, ai("5", "e")] })],
  [
    "grown by a run that failed",
    (thread: Thread) => hear(thread, started("r"), text("2", "!"), { type: "run-error", error: "x" }),
  ],
])("what the server has of the messages survives a reload: %s", (_, change) => {
  const messages = [human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")];
  const thread = new Thread();
  thread.receive({ type: "values", values: { messages } });
  change(thread);
  using again = Thread.fromJSON(json(thread));
  expect(inside(again).said("messages")).toEqual(messages);
  expect(inside(again).said("messages")).toEqual(inside(thread).said("messages"));
  using twice = Thread.fromJSON(json(again));
  expect(inside(twice).said("messages")).toEqual(messages);
  // Unchanged messages are the thread's own objects.
  const own = again
    .getConfirmedState()
    .messages.filter((message) => messages.some((one) => one.content === message.content));
  expect((inside(again).said("messages") as unknown[]).filter((one) => own.includes(one as never))).toEqual(own);
});

test("a record of a thread with a schema asks for one that has its fields", () => {
  const record = json(withSchema());
  expect(() => Thread.fromJSON(record)).toThrow(INVALID);
  expect(() => Thread.fromJSON(record)).toThrow("schema");
  const other = defineSchema({ messages: field.messages(), name: field.replace() });
  expect(() => Thread.fromJSON(record, { schema: other })).toThrow(INVALID);
  const more = defineSchema({ messages: field.messages(), topic: field.replace(), name: field.replace() });
  using thread = Thread.fromJSON(record, { schema: more });
  expect(thread.getState()).toEqual({ messages: [human("1", "a")], topic: "x" });
});

test("toJSON refuses a circular value and takes a shared one", () => {
  using thread = threadOf();
  const shared: unknown[] = ["x"];
  thread.update({ topic: [shared, { shared }, [shared, shared]], self: { to: shared } });
  expect(json(thread).version).toBe(2);
  const circle: { to: unknown } = { to: [] };
  circle.to = [{ circle }];
  thread.optimistic({ circle });
  expect(() => thread.toJSON()).toThrow(INVALID);
  thread.pending.forEach((update) => update.rollback());
  thread.toJSON();
  thread.update({ circle });
  expect(() => thread.toJSON()).toThrow(INVALID);
  thread.update({ circle: null });
  expect(json(thread)).toBeTypeOf("object");
});

test("a record of many shared values is made in their number", () => {
  using thread = threadOf();
  hear(thread, { type: "state", values: { a0: ["x"] } });
  for (let at = 0; at < 40; at++) {
    hear(thread, {
      type: "delta",
      operations: [
        { op: "add", path: `/a${at + 1}`, value: [] },
        { op: "copy", from: `/a${at}`, path: `/a${at + 1}/0` },
        { op: "copy", from: `/a${at}`, path: `/a${at + 1}/1` },
      ],
    });
  }
  // 2⁴⁰ paths lead to 41 objects.
  expect(thread.toJSON()).toMatchObject({ version: 2 });
});

test.each([
  ["", false],
  [", also in the middle of a run", true],
])("a field named __proto__ comes back%s", (_, inRun) => {
  using thread = threadOf();
  if (inRun) hear(thread, started("r"));
  const update = JSON.parse('{ "__proto__": { "mine": 1 }, "constructor": 2 }') as object;
  hear(thread, { type: "state", values: update });
  thread.optimistic(update);
  using again = Thread.fromJSON(json(thread));
  for (const state of [again.getState(), again.getConfirmedState()]) {
    expect(Object.entries(state)).toEqual(
      expect.arrayContaining([
        ["__proto__", { mine: 1 }],
        ["constructor", 2],
      ]),
    );
  }
  expect(({} as { mine?: number }).mine).toBeUndefined();
});

test("a run's latest parts are known again, and a long run's record does not grow with it", () => {
  using thread = threadOf();
  hear(thread, started("r", "0"), { ...streamed("1"), id: "1" });
  const COUNT = 50_000;
  for (let at = 2; at < COUNT; at++) hear(thread, { ...text("1", at % 1_000 ? "" : "."), id: `1795252264000-${at}` });
  expect(inside(thread).had(`1795252264000-${COUNT - 1}`)).toBe(true);
  const { core } = thread.toJSON() as unknown as { core: { run: { parts: string[] } } };
  expect(core.run.parts.length).toBe(256);
  using again = Thread.fromJSON(json(thread));
  for (const known of [thread, again] as Thread[]) {
    const before = known.getState();
    for (let at = COUNT - 256; at < COUNT; at++) hear(known, { ...text("1", "again"), id: `1795252264000-${at}` });
    expect(known.getState()).toBe(before);
    expect(inside(known).had(`1795252264000-${COUNT - 257}`)).toBe(false);
  }
  // From its start again the whole run is folded again, though its start is long forgotten.
  hear(
    again as Thread,
    started("r", "0"),
    { ...streamed("1"), id: "1" },
    { ...text("1", "anew"), id: `1795252264000-${COUNT - 1}` },
  );
  expect(again.getState().messages).toEqual([ai("1", "anew")]);
});

test(
  "a million parts, or outside of CI a part of them, take the memory of the last few hundred",
  { timeout: 60_000 },
  () => {
    using thread = threadOf(ai("1"));
    const collect = (globalThis as { gc?: () => void }).gc;
    const used = () => {
      collect?.();
      return process.memoryUsage().heapUsed;
    };
    hear(thread, started("r"));
    for (let at = 0; at < 20_000; at++) hear(thread, { type: "message-finished", messageId: "1", id: `before, ${at}` });
    const before = used();
    const parts = isThorough() ? 1_000_000 : 60_000;
    for (let at = 0; at < parts; at++)
      hear(thread, { type: "message-finished", messageId: "1", id: `part number ${at}` });
    expect((used() - before) / 2 ** 20).toBeLessThan(3);
    expect(JSON.stringify(thread).length).toBeLessThan(12_000);
  },
);

test("an error is a ThreadfoldError with its message and its code, also in a record, for the run and for failed updates", () => {
  class Refused extends Error {
    override name = "Refused";
    code = "QUOTA";
    self = this;
  }
  const CASES: [unknown, object][] = [
    [new TypeError("fetch failed"), { code: "RUN_FAILED", message: "fetch failed" }],
    [new Refused("no more"), { code: "RUN_FAILED", message: "no more", serverCode: "QUOTA" }],
    [new DOMException("late", "TimeoutError"), { code: "RUN_FAILED", message: "late", serverCode: 23 }],
    [
      new ThreadfoldError("BAD_RESPONSE", "500", { status: 500 }),
      { code: "BAD_RESPONSE", message: "500", status: 500 },
    ],
    [
      { message: "said", code: 7, more: [1] },
      { code: "RUN_FAILED", message: "said", serverCode: 7 },
    ],
    ["said", { code: "RUN_FAILED", message: "said" }],
  ];
  const plain = (error: unknown) => JSON.parse(JSON.stringify(error)) as object;
  for (const [error, words] of CASES) {
    const thread = new Thread();
    thread.optimistic({ messages: "sent" });
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "run-error", error });
    thread.optimistic({ messages: "later" }).fail(error);
    const { error: reason } = thread.run;
    expect(error instanceof ThreadfoldError ? reason : reason?.cause).toBe(error);
    const expected = { name: "ThreadfoldError", ...words };
    for (const one of [thread, ...[json(thread), thread.toJSON()].map((record) => Thread.fromJSON(record))]) {
      const errors = [one.run.error, ...one.pending.map((update) => update.error)];
      expect(errors.every((each) => each instanceof ThreadfoldError)).toBe(true);
      expect(errors.map(plain)).toEqual([expected, expected, expected]);
    }
  }
  const thread = new Thread();
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "disconnected", error: new Error("lost") });
  expect(Thread.fromJSON(json(thread)).run).toMatchObject({
    id: "r",
    status: "disconnected",
    error: { code: "NO_CONNECTION" },
  });
});

test("an error of this package says as JSON what it says", () => {
  const error = new ThreadfoldError("INVALID_ARGUMENT", "Not so.", { cause: new Error("why") });
  expect(json(error)).toEqual({ name: "ThreadfoldError", code: "INVALID_ARGUMENT", message: "Not so." });
});
