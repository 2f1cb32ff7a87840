import { Thread } from "threadfold";
import { expect, test } from "vitest";
import { ai, hear, human, message, messages, shown, started, streamed, text, threadOf, values, whole } from "./say.js";

const many = () => Array.from({ length: 50 }, (_, at) => human(`${at}`, `message ${at}`));

test("without a change the state is the same object after any reads", () => {
  using thread = threadOf(...many());
  const op = thread.optimistic({ messages: [human("q", "mine")], topic: { deep: [1] } });
  const [view, confirmed] = [thread.getState(), thread.getConfirmedState()];
  thread.toJSON();
  hear(thread, started("r"), whole("9"), messages(...structuredClone(many())), values({ messages: many() }));
  op.fail("x");
  op.retry();
  thread.optimistic({}).rollback();
  thread.update({});
  hear(thread, text("nobody", "x"), { type: "delta", operations: [{ op: "test", path: "/nowhere", value: 1 }] });
  expect(thread.getState()).toBe(view);
  expect(thread.getConfirmedState()).toBe(confirmed);
});

test("a token makes one message, the list and the state new, and nothing else", () => {
  using thread = threadOf(...many());
  hear(thread, { type: "state", values: { files: { "/a": { content: "x" } }, topic: { deep: [1] } } });
  hear(thread, streamed("a"));
  const before = thread.getState();
  hear(thread, text("a", "Hel"), text("a", "lo"));
  const after = thread.getState();
  expect(after).not.toBe(before);
  expect(after.messages.filter((message, at) => message !== before.messages[at])).toEqual([ai("a", "Hello")]);
  expect(before.messages.at(-1)).toEqual(ai("a", ""));
  expect([after["files"], after["topic"]].every((part, at) => part === [before["files"], before["topic"]][at])).toBe(
    true,
  );
});

test("a delta shares what its path does not lead through", () => {
  using thread = threadOf();
  hear(thread, { type: "state", values: { a: { b: [{ n: 1 }, { n: 2 }], c: {} }, d: {} } });
  const before = thread.getState() as unknown as { a: { b: object[]; c: object }; d: object; messages: object };
  hear(thread, { type: "delta", operations: [{ op: "replace", path: "/a/b/1/n", value: 3 }] });
  const after = thread.getState() as unknown as typeof before;
  expect([after.a.b[1], before.a.b[1]]).toEqual([{ n: 3 }, { n: 2 }]);
  expect(after.a.b[0]).toBe(before.a.b[0]);
  expect([after.a.c, after.d, after.messages]).toEqual([before.a.c, before.d, before.messages]);
  expect(after.a.c === before.a.c && after.d === before.d && after.messages === before.messages).toBe(true);
});

test("a pending update leaves what it does not write as it is", () => {
  using thread = threadOf(...many());
  hear(thread, { type: "state", values: { files: { "/a": { content: "x" } }, topic: "x" } });
  const before = thread.getState();
  const op = thread.optimistic({ files: { "/b": { content: "y" } } });
  expect(thread.getState().messages).toBe(before.messages);
  expect((thread.getState()["files"] as { "/a": object })["/a"]).toBe((before["files"] as { "/a": object })["/a"]);
  op.rollback();
  expect(thread.getState().messages).toBe(before.messages);
  expect(thread.getState()["files"]).toBe(before["files"]);
  thread.optimistic({ messages: [human("3", "changed")] });
  const changed = thread.getState().messages;
  expect(changed.filter((message, at) => message !== before.messages[at])).toEqual([human("3", "changed")]);
  hear(thread, message(human("q", "theirs")));
  expect(thread.getState().messages[3]).toBe(changed[3]);
});

test("values hidden by a pending update may change unseen", () => {
  using thread = threadOf();
  thread.optimistic({ topic: { name: "mine" } });
  const before = thread.getState();
  hear(thread, { type: "update", update: { topic: { name: "theirs" } } });
  expect(thread.getState()).toBe(before);
});

test("no state that was handed out ever changes", () => {
  using thread = threadOf(human("1", "a"));
  hear(thread, { type: "state", values: { files: { "/a": { content: "x" } } } });
  const states: [unknown, unknown][] = [];
  const look = () => {
    for (const state of [thread.getState(), thread.getConfirmedState()]) states.push([state, structuredClone(state)]);
  };
  const op = thread.optimistic({ messages: [human("q", "mine")], files: { "/b": {} } });
  for (const event of [
    started("r"),
    streamed("a"),
    text("a", "x"),
    text("a", "y"),
    message(human("0", "first"), { after: "1" }),
    { type: "delta" as const, operations: [{ op: "add", path: "/files/~1c", value: {} }] },
    messages(human("1", "A"), ai("a", "")),
    text("a", "z"),
    values({ messages: [human("1", "A")], files: {} }),
    started("r"),
  ]) {
    look();
    hear(thread, event);
  }
  op.settle();
  look();
  for (const [state, copy] of states) expect(state).toEqual(copy);
});

test("arguments are not changed", () => {
  using thread = new Thread();
  const given = { messages: [ai("1", "a")], files: { "/a": { content: "x" } } };
  const copy = structuredClone(given);
  hear(thread, values(given), text("1", "b"), { type: "delta", operations: [{ op: "remove", path: "/files/~1a" }] });
  expect(given).toEqual(copy);
  expect([given.messages, given.files, ...given.messages].some((value) => Object.isFrozen(value))).toBe(false);
});

test("a message that replaces another is never written into", () => {
  using thread = threadOf();
  const given = ai("a", "new");
  hear(thread, started("r"), streamed("a"), text("a", "old"), message(given, { streaming: true }), text("a", "!"));
  expect([shown(thread), given.content]).toEqual([["a new!"], "new"]);
  const again = ai("a", "newer");
  thread.update({ messages: [again] });
  hear(thread, text("a", "?"));
  expect([shown(thread), again.content]).toEqual([["a newer?"], "newer"]);
  const last = ai("a", "newest");
  hear(thread, { type: "update", update: { messages: [last] } }, text("a", "."));
  expect([shown(thread), last.content]).toEqual([["a newest."], "newest"]);
});
