// Recordings: the thread at each part is the thread as it was, within bounds, and through a file.
import { defineSchema, field, Thread } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { importRecording, recordThread } from "threadfold/devtools";
import { foldLangGraph } from "threadfold/langgraph";
import { expect, test, vi } from "vitest";

type State = { messages: readonly { id: string; content: string }[]; topic?: string };

const say = (thread: Thread<State>, text: string) => thread.receive({ type: "text", messageId: "a", text });
const started = (thread: Thread<State>, runId = "r1") => {
  thread.receive({ type: "run-started", runId });
  thread.receive({ type: "message", message: { type: "ai", id: "a", content: "" }, streaming: true });
};
/** All that is shown of a thread, but the status of a run under way, which a replay cuts off. */
const shown = (thread: Thread<State>) =>
  JSON.parse(JSON.stringify([thread.getState(), thread.getConfirmedState(), thread.pending])) as unknown;

test("at each part, the thread is as it was after it", () => {
  const thread = new Thread<State>({ threadId: "t" });
  const recording = recordThread(thread);
  const seen = new Map<number, unknown>();
  const look = () => {
    thread.flush();
    seen.set(recording.parts.length - 1, shown(thread));
  };
  look();
  const update = thread.optimistic({ messages: "Hi" } as never);
  look();
  started(thread);
  look();
  say(thread, "Hel");
  look();
  thread.update({ topic: "greeting" } as never);
  look();
  say(thread, "lo");
  look();
  thread.receive({ type: "run-error", error: new Error("full") });
  look();
  update.rollback();
  look();
  expect(seen.size).toBe(8);
  for (const [at, was] of [...seen, ...[...seen].toReversed()])
    expect([at, shown(recording.at(at))]).toEqual([at, was]);
  expect(recording.parts.map(({ kind }) => kind)).toEqual([
    "start",
    "pending",
    "run-started",
    "message",
    "pending",
    "text",
    "change",
    "text",
    "run-error",
    "pending",
    "pending",
  ]);
  expect(thread.run.status).toBe("error");
});

test("streams of both protocols, with a run that a runner sent", async () => {
  const thread = new Thread<State>({ threadId: "t" });
  const recording = recordThread(thread);
  const events = [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
    ...["One", " two", " three"].map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta })),
    { type: "TEXT_MESSAGE_END", messageId: "a" },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ];
  const runner = new AgUiRunner(thread as never, { transport: { run: () => events as never } });
  await runner.sendMessage("Count");
  thread.flush();
  const last = recording.parts.length - 1;
  expect(shown(recording.at(last))).toEqual(shown(thread));
  const texts = recording.parts.flatMap(({ kind }, at) => (kind === "text" ? [at] : []));
  expect(texts.map((at) => recording.at(at).getMessage("a")?.content)).toEqual(["One", "One two", "One two three"]);

  const other = new Thread<State>();
  const second = recordThread(other);
  await foldLangGraph(other, [
    { event: "metadata", data: { run_id: "r1" } },
    { event: "messages", data: [{ type: "ai", id: "b", content: "Hi" }, {}] },
    { event: "values", data: { messages: [{ type: "ai", id: "b", content: "Hi!" }] } },
  ]);
  expect(shown(second.at(second.parts.length - 1))).toEqual(shown(other));
});

test("a part that could not be folded, drift and doubts are the part's", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const thread = new Thread<State>();
  const recording = recordThread(thread);
  thread.receive({ type: "delta", operations: [{ op: "replace", path: "/none/at/all", value: 1 }] });
  started(thread);
  say(thread, "Hello");
  thread.receive({ type: "message-finished", messageId: "a" });
  thread.receive({ type: "messages", messages: [{ type: "ai", id: "a", content: "Other" }] });
  const { parts } = recording;
  expect(parts.find(({ kind }) => kind === "delta")?.error?.code).toBeDefined();
  expect(parts.find(({ kind }) => kind === "messages")?.drift).toEqual([
    { op: "replace", path: "/messages/0/content", value: "Other" },
  ]);
  // Without devtools the thread logs what nobody listens for.
  expect(warn).toHaveBeenCalledTimes(1);
  recording.at(parts.length - 1);
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockRestore();
});

test("a part that throws is not recorded, and a listener that folds more keeps the order", () => {
  const thread = new Thread<State>();
  const recording = recordThread(thread);
  started(thread);
  thread.receive({ type: "message-finished", messageId: "a" });
  thread.on("drift", () => void thread.receive({ type: "state", values: { topic: "drifted" } }));
  thread.receive({ type: "messages", messages: [{ type: "ai", id: "a", content: "Other" }] });
  const kinds = recording.parts.slice(-2).map(({ kind }) => kind);
  expect(kinds).toEqual(["messages", "state"]);
  expect(shown(recording.at(recording.parts.length - 1))).toEqual(shown(thread));
  thread.dispose();
  const before = recording.parts.length;
  expect(() => thread.receive({ type: "run-finished" })).toThrow(/disposed/);
  expect(recording.parts.length).toBe(before);
});

test("the oldest parts are dropped, and the others still show the thread", () => {
  const thread = new Thread<State>();
  const recording = recordThread(thread);
  started(thread);
  for (let at = 0; at < 12_345; at++) say(thread, String(at % 10));
  const { parts, dropped } = recording;
  expect(parts.length).toBeLessThanOrEqual(10_001);
  expect(dropped + parts.length).toBe(12_348);
  const length = (at: number) => recording.at(at).getMessage("a")?.content.length;
  expect(length(parts.length - 1)).toBe(12_345);
  expect(length(0)).toBe(12_345 - parts.length + 1);
  expect(length(4_321)).toBe((length(0) ?? 0) + 4_321);

  // Snapshots keep messages in memory: fewer of them stay.
  const messages = Array.from({ length: 1_000 }, (_, at) => ({ type: "ai", id: `m${at}`, content: "" }));
  for (let at = 0; at < 100; at++) thread.receive({ type: "values", values: { messages, topic: String(at) } });
  const topics = recording.parts.filter(({ kind }) => kind === "values").length;
  expect(topics).toBeGreaterThan(20);
  expect(topics).toBeLessThan(60);
  expect(recording.at(recording.parts.length - 1).getState().topic).toBe("99");
});

test("a schema's reducers run in the replay; the replay is not shown to the page", () => {
  const sums = vi.fn((before: number | undefined, update: number) => (before ?? 0) + update);
  const schema = defineSchema({ messages: field.messages(), total: field.reducer(sums) });
  const thread = new Thread({ schema }) as unknown as Thread<{ messages: object[]; total: number }>;
  const recording = recordThread(thread);
  for (const total of [1, 2, 3]) thread.receive({ type: "update", update: { total } });
  expect([1, 2, 3].map((at) => recording.at(at).getState().total)).toEqual([1, 3, 6]);
});

test("through a file, with errors, and as a thread's record", async () => {
  const thread = new Thread<State>({ threadId: "t" });
  const recording = recordThread(thread);
  thread.optimistic({ messages: "Hi" } as never);
  started(thread);
  for (let at = 0; at < 1_500; at++) say(thread, ".");
  thread.receive({ type: "run-error", error: Object.assign(new Error("full"), { code: "E1" }) });
  thread.flush();
  const file = JSON.parse(JSON.stringify(recording)) as { recording: { parts: { record?: object }[] } };
  // The records that the parts lead to are left out.
  expect(file.recording.parts.filter(({ record }) => record).length).toBeLessThan(5);
  const imported = importRecording(file, new Thread<State>());
  expect(imported.thread).toBeUndefined();
  expect(imported.parts.length).toBe(recording.parts.length);
  for (const at of [0, 1, 3, 700, 1_400, recording.parts.length - 1])
    expect(shown(imported.at(at))).toEqual(shown(recording.at(at)));
  expect(imported.at(imported.parts.length - 1).run.error?.message).toBe("full");
  expect(Thread.fromJSON<State>(file).getMessage("a")?.content.length).toBe(1_500);
});

test.each([undefined, {}, { recording: { version: 2, parts: [] } }, { recording: { version: 1, parts: [{ at: 1 }] } }])(
  "%j is not a recording",
  (file) => {
    expect(() => importRecording(file, new Thread())).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error,
    );
  },
);

test("places that there are not, and anything but a thread, are refused", () => {
  const recording = recordThread(new Thread());
  expect(() => recording.at(1)).toThrow(/at\(1\): the recording has 1 parts/);
  expect(() => recordThread({} as never)).toThrow(/recordThread/);
});

test.each([
  [1, 0],
  [0, 1],
])("dispose() ends a recording, in any order: %j first", (...order) => {
  const thread = new Thread<State>();
  const recordings = [recordThread(thread), recordThread(thread)];
  started(thread);
  for (const at of order) recordings[at]?.dispose();
  say(thread, "Hello");
  thread.update({ topic: "x" } as never);
  expect(recordings.map(({ parts }) => parts.length)).toEqual([3, 3]);
  // One that is not the outer one any more leaves its method, which records nothing.
  expect(Object.hasOwn(thread, "receive")).toBe(order[0] === 0);
});
