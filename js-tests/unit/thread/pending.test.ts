import { expect, test } from "vitest";
import { Thread, type PendingUpdate } from "threadfold";
import {
  ai,
  failed,
  finished,
  hear,
  human,
  idsOf,
  message,
  messages,
  reloaded,
  shown,
  started,
  streamed,
  text,
  threadOf,
  values,
} from "./say.js";

test("an update shows at once, and only what is shown has it", () => {
  using thread = threadOf(human("1", "a"));
  const op = thread.optimistic({ messages: [human("2", "b")], topic: "x" });
  expect(shown(thread)).toEqual(["1 a", "2 b"]);
  expect(thread.getState()["topic"]).toBe("x");
  expect(thread.getConfirmedState()).toEqual({ messages: [human("1", "a")] });
  expect(op.status).toBe("pending");
  expect(thread.pending).toEqual([
    { id: op.id, status: "pending", update: { messages: [human("2", "b")], topic: "x" } },
  ]);
});

test("a message without an id is given one, and shown under it", () => {
  using thread = threadOf();
  thread.optimistic({ messages: "hi" });
  const [pending] = thread.pending;
  const [made] = thread.getState().messages;
  expect(made).toMatchObject({ type: "human", content: "hi" });
  expect(pending?.update.messages).toEqual([made]);
});

test("it is over when the server has a message of its id", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("1", "a")] });
  hear(thread, message({ ...human("1", "A"), name: "me" }));
  expect([op.status, shown(thread), thread.pending]).toEqual(["done", ["1 A"], []]);
});

test("a field is the server's when its value differs from the one when a run submitted the field", () => {
  using thread = threadOf();
  const op = thread.optimistic({ topic: { name: "x" } });
  hear(thread, { type: "state", values: { topic: { name: "y" } } });
  expect([op.status, thread.getState()["topic"]]).toEqual(["pending", { name: "x" }]);
  hear(thread, started("r"), { type: "state", values: { topic: { name: "y" } } });
  expect([op.status, thread.getState()["topic"]]).toEqual(["sent", { name: "x" }]);
  hear(thread, { type: "state", values: { topic: { name: "x" } } });
  expect([op.status, thread.getConfirmedState()["topic"]]).toEqual(["done", { name: "x" }]);
  hear(thread, { type: "state", values: { topic: { name: "z" } } });
  expect(thread.getState()["topic"]).toEqual({ name: "z" });
});

test("a field that no run submitted is not the server's, whatever the server sends", () => {
  using thread = threadOf();
  const op = thread.optimistic({ topic: "x" });
  hear(thread, { type: "state", values: { topic: "x" } }, { type: "state", values: { topic: "y" } });
  expect([op.status, thread.getState()["topic"]]).toEqual(["pending", "x"]);
});

test("one of both is over only when both are there", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("1", "a")], topic: "x" });
  hear(thread, started("r"), message(human("1", "a")));
  expect(op.status).toBe("sent");
  hear(thread, { type: "state", values: { topic: "x" } });
  expect(op.status).toBe("done");
});

test("one that the server has already is over with the run that carried it", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, { type: "state", values: { topic: "x" } });
  const op = thread.optimistic({ topic: "x" });
  hear(thread, started("r"), message(ai("2", "b")));
  expect(op.status).toBe("sent");
  hear(thread, finished);
  expect([op.status, thread.getState()["topic"]]).toEqual(["done", "x"]);
});

test("a value that an update writes twice and the server sends once is not shown twice", () => {
  using thread = threadOf();
  const ops = [
    thread.optimistic({ files: { "/a": { content: "1" } } }),
    thread.optimistic({ files: { "/b": { content: "2" } } }),
  ];
  hear(thread, started("r"), { type: "state", values: { files: { "/b": { content: "2" }, "/a": { content: "1" } } } });
  expect(ops.map(({ status }) => status)).toEqual(["done", "done"]);
  expect(thread.getState()).toEqual(thread.getConfirmedState());
});

test("back to the server's value, in two steps, shows the server's value", () => {
  using thread = threadOf();
  hear(thread, { type: "state", values: { topic: "old" } });
  thread.optimistic({ topic: "new" });
  thread.optimistic({ topic: "old" });
  hear(thread, message(ai("1")));
  expect(thread.getState()["topic"]).toBe("old");
});

test("whether an update is over does not depend on reads", () => {
  const statuses = [true, false].map((looks) => {
    using thread = new Thread<{ messages: []; files: object; log: object }>({});
    const op = thread.optimistic({ files: { "/a": null, "/b": { content: "b" } } });
    hear(thread, started("r"), { type: "state", values: { files: { "/a": { content: "a" }, "/c": {} } } });
    if (looks) thread.getState();
    hear(thread, { type: "state", values: { files: { "/c": {}, "/b": { content: "b" } } } });
    return [op.status, thread.getState().files];
  });
  expect(statuses[0]).toEqual(statuses[1]);
  expect(statuses[0]?.[0]).toBe("done");
});

test("several stay in order, and each is done separately", () => {
  using thread = threadOf(human("1", "a"));
  const ops = ["2", "3", "4"].map((id) => thread.optimistic({ messages: [human(id, id)] }));
  expect(idsOf(thread)).toEqual(["1", "2", "3", "4"]);
  hear(thread, message(human("3", "3")));
  expect(ops.map(({ status }) => status)).toEqual(["pending", "done", "pending"]);
  hear(thread, messages(human("1", "a"), human("2", "2"), human("3", "3")));
  expect(idsOf(thread)).toEqual(["1", "2", "3", "4"]);
  expect(thread.pending.map(({ id }) => id)).toEqual([ops[2]?.id]);
});

test("a later update changes, and removes, an earlier one's values", () => {
  using thread = threadOf(human("1", "a"));
  thread.optimistic({ messages: [human("2", "b")] });
  const change = thread.optimistic({ messages: [human("2", "B")] });
  hear(thread, { type: "state", values: { mood: "calm" } });
  expect(shown(thread)).toEqual(["1 a", "2 B"]);
  const removal = thread.optimistic({ messages: [{ type: "remove", id: "2" }] });
  expect(shown(thread)).toEqual(["1 a"]);
  removal.rollback();
  change.rollback();
  expect(shown(thread)).toEqual(["1 a", "2 b"]);
});

test("a message that all were removed before comes where it is written", () => {
  using thread = threadOf(human("1", "a"), human("2", "b"), human("3", "c"));
  thread.optimistic({ messages: [{ type: "remove", id: "__remove_all__" }, human("3", "C"), human("1", "A")] });
  expect(shown(thread)).toEqual(["3 C", "1 A"]);
  expect(thread.getConfirmedState().messages.length).toBe(3);
});

test("it keeps its place while an answer streams before the server's copy of it", () => {
  using thread = threadOf(human("0", "old"));
  thread.optimistic({ messages: [human("q", "Hi")] });
  const seen: string[][] = [];
  const look = () => void seen.push(idsOf(thread));
  for (const event of [started("r"), streamed("a"), text("a", "Hel"), text("a", "lo")]) {
    hear(thread, event);
    look();
  }
  const [, question] = thread.getState().messages;
  hear(thread, values({ messages: [human("0", "old"), human("q", "Hi"), ai("a", "Hello")] }), finished);
  look();
  expect(new Set(seen.slice(1).map(String))).toEqual(new Set(["0,q,a"]));
  expect(thread.getState().messages[1]).toEqual(question);
  expect(thread.pending).toEqual([]);
});

test("history that loads during the run comes above the question, the answer below it", () => {
  using thread = threadOf(ai("2", "b"));
  thread.optimistic({ messages: [human("q", "Hi")] });
  hear(thread, started("r"), streamed("a"), text("a", "Hello"), messages(human("1", "a"), ai("2", "b")));
  expect(idsOf(thread)).toEqual(["1", "2", "q", "a"]);
});

test("one that the server gave another id is the same message, in the same place", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("mine", "Hi")] });
  const next = thread.optimistic({ messages: [human("next", "And?")] });
  hear(thread, started("r"), streamed("a"), message(human("theirs", "Hi")));
  expect([op.status, next.status]).toEqual(["done", "sent"]);
  hear(thread, messages(human("theirs", "Hi"), ai("a", "Hello")));
  expect(idsOf(thread)).toEqual(["theirs", "next", "a"]);
});

test("one that no run carried is not mistaken for another of the same words", () => {
  using thread = threadOf();
  hear(thread, started("r"));
  const op = thread.optimistic({ messages: [human("mine", "Hi")] });
  hear(thread, message(human("theirs", "Hi")));
  expect([op.status, idsOf(thread)]).toEqual(["pending", ["theirs", "mine"]]);
});

test("a lagging snapshot does not remove the server's echo", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "Hi")] });
  hear(thread, started("r"), message(human("q", "Hi")), messages());
  expect([idsOf(thread), op.status]).toEqual([["q"], "sent"]);
  hear(thread, messages(human("q", "Hi")), finished, messages());
  expect([idsOf(thread), op.status]).toEqual([[], "done"]);
});

test("a run takes it along, and fails it when it fails", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "Hi")] });
  hear(thread, started("r"));
  expect(op.status).toBe("sent");
  hear(thread, failed);
  expect(thread.pending).toMatchObject([
    { id: op.id, status: "failed", error: { code: "RUN_FAILED", message: "down" } },
  ]);
  expect(idsOf(thread)).toEqual(["q"]);
  op.retry();
  expect(thread.pending[0]).not.toHaveProperty("error");
  expect(op.status).toBe("pending");
  hear(thread, started("r2"), message(human("q", "Hi")), failed);
  expect(op.status).toBe("done");
});

test("manual fail and rollback", () => {
  using thread = threadOf(human("1", "a"));
  const before = thread.getState();
  const op = thread.optimistic({ messages: [human("2", "b")], topic: "x" });
  op.fail(new TypeError("no"));
  expect(thread.pending[0]?.error).toMatchObject({ code: "RUN_FAILED", message: "no", cause: expect.any(TypeError) });
  expect(shown(thread)).toEqual(["1 a", "2 b"]);
  op.rollback();
  expect(thread.getState()).toEqual(before);
  expect(thread.getState().messages).toBe(before.messages);
  expect(op.status).toBe("done");
  for (const call of [op.rollback, op.retry, op.settle, () => op.fail("again")]) call();
  expect(thread.getState()).toEqual(before);
});

test("a message written after one that is rolled back stays where it was", () => {
  using thread = threadOf(human("1", "a"));
  const first = thread.optimistic({ messages: [human("2", "b")] });
  thread.optimistic({ messages: [human("3", "c")] });
  hear(thread, started("r"), message(ai("4", "d")));
  expect(idsOf(thread)).toEqual(["1", "2", "3", "4"]);
  first.rollback();
  expect(idsOf(thread)).toEqual(["1", "3", "4"]);
});

test("settle makes it the truth, where it is", () => {
  using thread = threadOf(human("1", "a"));
  const ops = ["2", "3"].map((id) => thread.optimistic({ messages: [human(id, id)], [`f${id}`]: id }));
  hear(thread, started("r"), message(ai("4", "d")));
  ops[1]?.settle();
  expect(thread.getConfirmedState().messages.map(({ id }) => id)).toEqual(["1", "3", "4"]);
  expect(idsOf(thread)).toEqual(["1", "2", "3", "4"]);
  ops[0]?.settle();
  expect(thread.getState()).toEqual(thread.getConfirmedState());
  expect(thread.getState()).toMatchObject({ f2: "2", f3: "3" });
  expect(thread.pending).toEqual([]);
});

test("settle does not rewrite the server's values", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("1", "a")], tools: [{ name: "f" }], topic: "x" });
  hear(thread, { type: "state", values: { topic: "x", tools: [{ name: "f", description: "theirs" }] } });
  op.settle();
  expect(thread.getConfirmedState()).toEqual({
    messages: [human("1", "a")],
    topic: "x",
    tools: [{ name: "f", description: "theirs" }],
  });
});

test("one that cannot be is refused, and nothing is shown", () => {
  using thread = threadOf(human("1", "a"));
  const before = thread.getState();
  expect(() => thread.optimistic({ messages: [{ type: "remove", id: "9" }] })).toThrow(
    expect.objectContaining({ code: "UNKNOWN_MESSAGE" }),
  );
  expect(() => thread.optimistic({ todos: [{ content: 1 }], messages: [human("2", "b")] })).toThrow(
    expect.objectContaining({ code: "INVALID_TODOS" }),
  );
  expect(() => thread.optimistic(5 as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(thread.getState()).toBe(before);
  expect(thread.pending).toEqual([]);
});

test("survives a reload, and what is pending can be ended there", () => {
  using first = threadOf(human("1", "a"));
  first.optimistic({ messages: [human("2", "b")] });
  first.optimistic({ messages: [{ type: "remove", id: "2" }, human("1", "A")], topic: "x" });
  hear(first, started("r"), failed);
  using thread = reloaded(first);
  expect(thread.getState()).toEqual(first.getState());
  // An error's cause may be anything: it is not in the record.
  expect(JSON.stringify(thread.pending)).toBe(JSON.stringify(first.pending));
  const [add, change] = thread.pending;
  change?.rollback();
  expect(shown(thread)).toEqual(["1 a", "2 b"]);
  add?.retry();
  expect(thread.pending.map(({ id, status }) => [id, status])).toEqual([[add?.id, "pending"]]);
});

test("its methods work detached, and it can be posted", () => {
  using thread = threadOf();
  for (const topic of ["x", "y", "z"]) thread.optimistic({ topic });
  const [{ settle }, { fail }, { rollback }] = thread.pending as never as [PendingUpdate, PendingUpdate, PendingUpdate];
  expect(structuredClone(thread.pending).map(({ update }) => update)).toEqual([
    { topic: "x" },
    { topic: "y" },
    { topic: "z" },
  ]);
  settle();
  fail("no");
  rollback();
  expect(thread.getConfirmedState()).toMatchObject({ topic: "x" });
  const [failed, ...others] = thread.pending;
  expect([failed?.status, failed?.error?.message, others]).toEqual(["failed", "no", []]);
  failed?.retry();
  expect(thread.pending.map(({ status }) => status)).toEqual(["pending"]);
  // They leave alone an update that is over.
  settle();
  rollback();
  expect(thread.pending.length).toBe(1);
});

test("an update whose status is read by itself changes in the list of pending updates, too", () => {
  const thread = new Thread();
  const update = thread.optimistic({ messages: [{ type: "human", id: "m1", content: "Hi" }] });
  const statuses = () => [update.status, ...thread.pending.map(({ status }) => status)];
  expect(statuses()).toEqual(["pending", "pending"]);
  thread.receive({ type: "run-started" });
  expect(statuses()).toEqual(["sent", "sent"]);
  update.retry();
  expect(statuses()).toEqual(["pending", "pending"]);
  update.fail("no");
  expect(statuses()).toEqual(["failed", "failed"]);
});
