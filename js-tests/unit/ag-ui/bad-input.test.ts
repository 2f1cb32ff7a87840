// Invalid events of a server: the error listeners receive them, the state stays whole, and the stream continues.
import * as fc from "fast-check";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { type Event, finished, started, text, textResponse, toolCall } from "./agents.js";
import { run } from "./event-specs.js";
import { seeded } from "../../support/seed.js";

const BEFORE = [
  started(),
  ...text("m1", "a"),
  ...toolCall("c1", "m1", "{}"),
  { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "PLAN", content: { a: 1 } },
];

async function folded(...bad: unknown[]) {
  const thread = new Thread();
  const codes: string[] = [];
  const causes: unknown[] = [];
  await foldAgUi(thread, BEFORE as Event[], { until: "stream" });
  const before = thread.getState();
  thread.on("error", (error, cause) => {
    codes.push(error.code);
    causes.push(cause);
  });
  await foldAgUi(thread, bad as Event[], { until: "stream" });
  const same = thread.getState() === before;
  const end = await foldAgUi(thread, [...text("m2", "after"), finished()]);
  expect(end.status).toBe("finished");
  expect(thread.getState().messages.at(-1)?.content).toBe("after");
  return { thread, codes, causes, same };
}

const MALFORMED: unknown[] = [
  null,
  1,
  "text",
  [],
  {},
  { type: 1 },
  { type: null },
  { type: "NO_SUCH_EVENT" },
  { type: "constructor" },
  { type: "__proto__" },
  { type: "TEXT_MESSAGE_START" },
  { type: "TEXT_MESSAGE_START", messageId: 1 },
  { type: "TEXT_MESSAGE_START", messageId: "x", metadata: "no" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: null },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: {} },
  { type: "TEXT_MESSAGE_END" },
  { type: "TOOL_CALL_START", toolCallId: "c2" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: 1 },
  { type: "TOOL_CALL_END" },
  { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c1" },
  { type: "STATE_SNAPSHOT" },
  { type: "STATE_DELTA" },
  { type: "STATE_DELTA", delta: {} },
  { type: "MESSAGES_SNAPSHOT" },
  { type: "MESSAGES_SNAPSHOT", messages: [null] },
  { type: "MESSAGES_SNAPSHOT", messages: [{ role: "user" }] },
  { type: "MESSAGES_SNAPSHOT", messages: [{ id: "x", role: "assistant", toolCalls: [{}] }] },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a2", content: {} },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a2", activityType: "P", content: "text" },
  { type: "ACTIVITY_DELTA", messageId: "a1", activityType: "P" },
  { type: "RUN_STARTED" },
  { type: "RUN_STARTED", runId: "r", input: { messages: [1] } },
  { type: "RUN_FINISHED", outcome: "x" },
  { type: "RUN_FINISHED", outcome: { type: "interrupt" } },
  { type: "RUN_ERROR" },
  { type: "REASONING_MESSAGE_START" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "m1" },
  { type: "REASONING_ENCRYPTED_VALUE", entityId: "m1" },
  { type: "TEXT_MESSAGE_CHUNK", messageId: 1 },
  { type: "TEXT_MESSAGE_CHUNK", delta: "no id" },
  { type: "TOOL_CALL_CHUNK", toolCallId: "c9", delta: "no name" },
  { type: "REASONING_MESSAGE_CHUNK", delta: "no id" },
];
test.each(MALFORMED.map((event) => [event]))("%j is no event", async (event) => {
  const { codes, causes, same } = await folded(event);
  expect(codes).toEqual(["INVALID_ARGUMENT"]);
  expect(causes).toEqual([event]);
  expect(same).toBe(true);
});

test.each<[object, string]>([
  [{ type: "TEXT_MESSAGE_CONTENT", messageId: "unknown", delta: "x" }, "UNKNOWN_MESSAGE"],
  [{ type: "TEXT_MESSAGE_END", messageId: "unknown" }, "UNKNOWN_MESSAGE"],
  [{ type: "REASONING_MESSAGE_CONTENT", messageId: "unknown", delta: "x" }, "UNKNOWN_MESSAGE"],
  [{ type: "REASONING_MESSAGE_END", messageId: "unknown" }, "UNKNOWN_MESSAGE"],
  [{ type: "TOOL_CALL_ARGS", toolCallId: "unknown", delta: "x" }, "UNKNOWN_MESSAGE"],
  [{ type: "TOOL_CALL_END", toolCallId: "unknown" }, "UNKNOWN_MESSAGE"],
  [{ type: "ACTIVITY_DELTA", messageId: "unknown", activityType: "P", patch: [] }, "UNKNOWN_MESSAGE"],
  [{ type: "TEXT_MESSAGE_START", messageId: "a1" }, "INVALID_MESSAGE"],
  [{ type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: "x" }, "INVALID_MESSAGE"],
  [{ type: "ACTIVITY_DELTA", messageId: "m1", activityType: "P", patch: [] }, "INVALID_MESSAGE"],
  [
    {
      type: "STATE_DELTA",
      delta: [
        { op: "replace", path: "/a", value: 2 },
        { op: "remove", path: "/nowhere" },
      ],
    },
    "PATCH_FAILED",
  ],
  [{ type: "STATE_DELTA", delta: [{ op: "test", path: "/a", value: 2 }] }, "PATCH_FAILED"],
  [{ type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__/x", value: 2 }] }, "FORBIDDEN_KEY"],
  [{ type: "STATE_DELTA", delta: [{ op: "add", path: 1, value: 2 }] }, "INVALID_PATCH"],
  [
    { type: "ACTIVITY_DELTA", messageId: "a1", activityType: "P", patch: [{ op: "remove", path: "/nowhere" }] },
    "PATCH_FAILED",
  ],
])("%j cannot be folded", async (event, code) => {
  const { codes, causes, same } = await folded(event);
  expect(codes).toEqual([code]);
  expect(causes).toEqual([toldToTheThread(event) ?? event]);
  expect(same).toBe(true);
});

/** The thread's own errors show the event as the thread received it: a patch whose operations address single fields. */
function toldToTheThread({ type, delta }: { type?: string; delta?: { path: unknown }[] }): object | undefined {
  const isOfFields = type === "STATE_DELTA" && delta?.every(({ path }) => typeof path === "string");
  return isOfFields ? { type: "delta", operations: delta } : undefined;
}

test("operations that no patch knows are left out, the others applied", async () => {
  const { thread, codes } = await folded({
    type: "STATE_DELTA",
    delta: [{ op: "explode", path: "/a" }, null, { op: "replace", path: "/a", value: 2 }],
  });
  expect(codes).toEqual([]);
  expect(thread.getState()).toMatchObject({ a: 2 });
});

test("text that is not JSON, and a stream that ends in the middle of a part", async () => {
  const thread = new Thread();
  const codes: string[] = [];
  thread.on("error", ({ code }) => codes.push(code));
  const parts = [started(), ...text("m1", "a")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const end = await foldAgUi(thread, textResponse(`data: {"type":\n\ndata: [DONE]\n\n${parts}data: {"type":"RUN_FIN`));
  expect(end).toMatchObject({ status: "disconnected" });
  expect(codes).toEqual(["INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
  expect(thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "a" }]);
});

test("ids and keys that would reach a prototype are ids and keys", async () => {
  const evil = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object;
  const { thread } = await folded(
    { type: "TEXT_MESSAGE_START", messageId: "__proto__", metadata: evil },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "__proto__", delta: "x" },
    { type: "TOOL_CALL_START", toolCallId: "constructor", toolCallName: "toString", parentMessageId: "__proto__" },
    { type: "TOOL_CALL_ARGS", toolCallId: "constructor", delta: '{"__proto__":1}' },
    { type: "TOOL_CALL_RESULT", messageId: "hasOwnProperty", toolCallId: "constructor", content: "r" },
    { type: "ACTIVITY_SNAPSHOT", messageId: "valueOf", activityType: "__proto__", content: evil },
    { type: "STATE_SNAPSHOT", snapshot: evil },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__", value: { polluted: true } }] },
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [{ id: "__proto__", role: "user", content: "x", metadata: evil }],
      metadata: evil,
    },
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect((thread.getState() as { polluted?: boolean }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(thread.getState())).toBe(Object.prototype);
  expect(thread.getConfirmedMessage("__proto__")).toMatchObject({ id: "__proto__", role: "user" });
});

/** An event with one of its parts made into something else. */
const broken = fc
  .tuple(
    run({ snapshots: true }),
    fc.nat(),
    fc.nat(),
    fc.constantFrom<unknown>(null, undefined, 1, "", [], {}, [null], { id: 1 }),
  )
  .map(([events, at, key, value]) => {
    const event = events[at % events.length];
    const keys = Object.keys(event ?? {});
    return events.map((one) => (one === event ? { ...one, [keys[key % keys.length] ?? "type"]: value } : one));
  });

test("folding a broken run never throws and never leaves the thread unusable", async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (events) => {
      const thread = new Thread();
      thread.on("error", () => {});
      await foldAgUi(thread, events as Event[], { until: "stream" });
      await foldAgUi(thread, [started("next"), ...text("last", "after"), finished("next")]);
      expect(thread.getState().messages.at(-1)).toEqual({ id: "last", role: "assistant", content: "after" });
      expect(new Set(thread.getState().messages.map(({ id }) => id)).size).toBe(thread.getState().messages.length);
    }),
    seeded("broken runs", 1500),
  );
});
