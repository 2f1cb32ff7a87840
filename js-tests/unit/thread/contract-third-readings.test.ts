// Sentences of docs/contract.md on which an independent model, written from that page alone, differed from the package.
import { defineSchema, field, Thread, type ThreadEvent } from "threadfold";
import { expect, test } from "vitest";
import { ai, failed, finished, hear, human, idsOf, joined, message, messages, reloaded } from "./say.js";
import { shown, started, threadOf, told, tool, values, whole } from "./say.js";

const remove = (id: string) => ({ type: "remove", id }) as const;
const removeAll = remove("__remove_all__");
const update = (update: object): ThreadEvent => ({ type: "update", update });
const state = (values: object): ThreadEvent => ({ type: "state", values });

test.each([
  [{ todos: [{ content: "a", status: "pending" }] }, 1],
  // Its reducer on the server may be any.
  [{ step: 1 }, 0],
])("without a schema, an update event predicts the fields whose reducer is known: %j (10)", (written, count) => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, update(written), state({ step: 7, todos: [] }));
  expect(drifts).toHaveLength(count);
});

test("a removal and the end of an unknown message predict nothing (10)", () => {
  for (const events of [
    [messages(human("q", "server")), update({ messages: [remove("q")] })],
    [message(human("q", "server")), update({ messages: [remove("q")] })],
    [whole("q")],
  ]) {
    using thread = threadOf();
    const { drifts } = told(thread);
    hear(thread, ...events);
    thread.update({ messages: [human("q", "mine")] });
    hear(thread, messages(human("q", "server")));
    expect(drifts).toEqual([]);
  }
});

test("the predicted value is confirmed's when the snapshot comes, and a reload forgets it (10)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, message(human("q", "server")));
  thread.update({ messages: [human("q", "mine")] });
  hear(thread, messages(human("q", "mine")));
  expect(drifts).toEqual([]);
  hear(thread, message(human("q", "server")));
  using stored = reloaded(thread);
  const after = told(stored);
  hear(stored, messages(human("q", "other")));
  expect(after.drifts).toEqual([]);
});

const schema = defineSchema({ messages: field.messages(), log: field.append<string>() });
type Logged = { messages: { id: string; type: string; content: string }[]; log: string[] };
const acknowledged: [string, object, (thread: Thread<Logged>) => void][] = [
  [
    "an edited message by an equal snapshot",
    { messages: [human("u", "new")] },
    (thread) => hear(thread, started("r"), messages(human("u", "new"))),
  ],
  ["an append by settle", { log: ["p"] }, (thread) => thread.pending.forEach((op) => op.settle())],
  ["an append by a run's finish", { log: ["p"] }, (thread) => hear(thread, started("r"), finished)],
];

test.each(acknowledged)("the view stays the same object as the server takes it over: %s (11)", (_, written, taken) => {
  using thread = new Thread<Logged>({ schema: schema as never, values: { messages: [human("u", "old")], log: [] } });
  thread.optimistic(written as Partial<Logged>);
  const before = thread.getState();
  taken(thread);
  expect(thread.pending).toEqual([]);
  expect(thread.getState()).toBe(before);
});

test("so does a renamed message that a replay shows again, and confirmed after a delta of equal values (11)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "hi")] });
  hear(thread, started("r"), message(human("s", "hi")));
  const before = thread.getState();
  hear(thread, joined("r"));
  expect(thread.getState()).toBe(before);
  hear(thread, state({ place: { in: ["Kyoto"] } }));
  const confirmed = thread.getConfirmedState();
  hear(thread, { type: "delta", operations: [{ op: "replace", path: "/place", value: { in: ["Kyoto"] } }] });
  expect(thread.getConfirmedState()).toBe(confirmed);
});

test("an over part no longer counts, whatever stands before it in the list (7)", () => {
  for (const others of [[], [{ note: "n" }], [{ messages: [human("q0", "q0")] }]]) {
    for (const stored of [false, true]) {
      using first = threadOf();
      for (const other of others) first.optimistic(other);
      first.optimistic({ messages: [human("q1", "q1")] });
      hear(first, started("r1"), message(human("q1", "q1")), message(ai("a1")), failed);
      const thread = stored ? reloaded(first) : first;
      thread.optimistic({ messages: [human("q2", "q2")] });
      hear(thread, started("r2"), messages(ai("a1"), human("q1", "q1")));
      expect(idsOf(thread).filter((id) => id !== "q0")).toEqual(["a1", "q2", "q1"]);
    }
  }
});

test("but it counts for one that was sent before, and so for those after that, also when it is stored (7)", () => {
  using first = threadOf();
  first.optimistic({ messages: [human("q1", "q1")] });
  first.optimistic({ messages: [human("q2", "q2")] });
  hear(first, started("r1"), message(human("q1", "q1")), message(ai("a1")), failed, started("r2"));
  expect(idsOf(first)).toEqual(["q1", "q2", "a1"]);
  using thread = reloaded(first);
  thread.optimistic({ messages: [human("q3", "q3")] });
  hear(thread, started("r3"));
  expect(idsOf(thread)).toEqual(["q1", "q2", "a1", "q3"]);
  hear(thread, messages(ai("a1"), human("q1", "q1")));
  expect(idsOf(thread)).toEqual(["q2", "a1", "q1", "q3"]);
});

test("two questions keep their order when the server takes the first, which it had lost (7)", () => {
  for (const takes of [message(human("q1", "edited")), messages(human("q1", "edited"))]) {
    using thread = threadOf(human("q1", "x"));
    thread.optimistic({ messages: [human("q1", "edited")] });
    thread.optimistic({ messages: [human("q2", "q2")] });
    hear(thread, messages(), started("r"));
    expect(idsOf(thread)).toEqual(["q1", "q2"]);
    hear(thread, takes);
    expect(idsOf(thread)).toEqual(["q1", "q2"]);
  }
});

test("so do they when the first was sent again after its removal (7)", () => {
  using thread = threadOf(human("q1", "x"), ai("a"));
  thread.optimistic({ messages: [remove("q1")] });
  thread.optimistic({ messages: [human("q1", "again")] });
  thread.optimistic({ messages: [human("q2", "q2")] });
  hear(thread, started("r"), messages(ai("a"), human("q1", "again")));
  expect(idsOf(thread)).toEqual(["a", "q1", "q2"]);
});

test("a message that is over, and is sent again, goes last (2, 7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q1", "q1")] });
  thread.optimistic({ messages: [human("q2", "q2")] });
  hear(thread, started("r"), message(human("q1", "q1")), message(ai("a1")), update({ messages: [remove("q1")] }));
  hear(thread, message(human("q1", "again")));
  expect(idsOf(thread)).toEqual(["q2", "a1", "q1"]);
});

test("a message that is rolled back once confirmed has it still counts (7)", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q1", "q1")] });
  thread.optimistic({ messages: [human("q2", "q2")] });
  hear(thread, started("r"), message(human("q1", "q1")));
  op.rollback();
  expect(idsOf(thread)).toEqual(["q1", "q2"]);
});

test("an `after` that confirmed lacks means last, also for a message that is shown elsewhere (7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "q")] });
  hear(thread, started("r"), message(ai("a1")), message(human("q", "q"), { after: "unknown" }));
  expect(idsOf(thread)).toEqual(["a1", "q"]);
});

test("settle leaves a message where it is shown, though its update removes all others (5)", () => {
  using thread = threadOf(human("q1", "q1"), human("q2", "q2"));
  const op = thread.optimistic({ messages: [removeAll, human("q1", "new")] });
  hear(thread, started("r"), message(tool("t", "c", "x"), { after: "q1" }));
  expect(shown(thread)).toEqual(["t x", "q1 new"]);
  op.settle();
  expect(shown(thread)).toEqual(["t x", "q1 new"]);
});

test("an earlier update that waits is shown over what is settled before it (5)", () => {
  using thread = threadOf(human("q1", "q1"));
  thread.optimistic({ messages: [remove("q1")] });
  const again = thread.optimistic({ messages: [human("q1", "back")] });
  again.settle();
  expect(idsOf(thread)).toEqual([]);
});

test("a replay folds additions again message by message: one removed and sent again goes last (6)", () => {
  using thread = threadOf(human("q1", "q1"), human("q2", "q2"));
  hear(thread, started("r"));
  thread.update({ messages: [remove("q1"), human("q1", "new")] });
  expect(shown(thread)).toEqual(["q1 new", "q2 q2"]);
  hear(thread, joined("r"));
  expect(shown(thread)).toEqual(["q2 q2", "q1 new"]);
});

test("a renamed message has the server's id in every write of a pending update, and its place (8)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "hi")] });
  thread.optimistic({ note: "n", messages: [human("q", "draft"), human("q", "final")] });
  hear(thread, started("r"), message(human("s", "hi")));
  const [later] = thread.pending;
  expect(later?.update.messages).toEqual([human("s", "draft"), human("s", "final")]);
});

test.each(["q", "s"])("an earlier part of a message that the server has as %s keeps its place (8)", (id) => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "one")] });
  thread.optimistic({ messages: [remove("q")] });
  thread.optimistic({ messages: [human("w", "w")] });
  hear(thread, started("r1"));
  thread.optimistic({ messages: [human("q", "two")] });
  hear(thread, failed, started("r2"), update({ messages: [human(id, "two")] }));
  expect(idsOf(thread)).toEqual([id, "w"]);
});

test("a step is not a part of the stream (12)", () => {
  using thread = threadOf();
  hear(thread, started("r1", "1"), { type: "step", step: 1, id: "2" } as ThreadEvent);
  expect([thread.run.status, thread.run.lastEventId]).toEqual(["submitted", "1"]);
});

test("the last of several writes of one message counts, at the position of the first (introduction)", () => {
  using thread = threadOf(human("a", "a"), human("b", "b"));
  thread.optimistic({ messages: [human("c", "draft"), human("d", "d"), human("c", "c")] });
  expect(shown(thread)).toEqual(["a a", "b b", "c c", "d d"]);
  thread.optimistic({ messages: [remove("a"), human("a", "A")] });
  expect(idsOf(thread)).toEqual(["a", "b", "c", "d"]);
  thread.optimistic({ messages: [removeAll, human("b", "B"), human("a", "A")] });
  expect(idsOf(thread)).toEqual(["b", "a"]);
});

test("a snapshot with `own` speaks of every field, and one with `clientRoles` of every message (3)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  thread.optimistic({ mood: "calm", messages: [{ id: "q", role: "user", content: "Hi" }] });
  hear(thread, started("r"), { type: "state", values: {}, own: ["mood"] });
  hear(thread, { type: "messages", messages: [], clientRoles: ["user"] }, finished);
  expect([idsOf(thread), thread.getState()["mood"], drifts.length]).toEqual([[], undefined, 1]);
});

test("a snapshot completes a message that a failed run left, and does not end a stream (9)", () => {
  using thread = threadOf();
  hear(thread, started("r"), message(ai("a", "Hel"), { streaming: true }), values({ messages: [ai("a", "Hello")] }));
  expect(thread.incompleteIds).toEqual(["a"]);
  hear(thread, failed, values({ messages: [ai("a", "Hello")] }));
  expect(thread.incompleteIds).toEqual([]);
});
