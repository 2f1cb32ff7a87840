// Sentences of docs/contract.md on which a third independent model, written from that page alone, differed from the package.
import type { ThreadEvent } from "threadfold";
import { expect, test } from "vitest";
import { ai, failed, hear, human, idsOf, joined, message, messages } from "./say.js";
import { reloaded, shown, started, threadOf, told, tool, whole, type Shown } from "./say.js";

const remove = (id: string) => ({ type: "remove", id }) as const;
const removeAll = remove("__remove_all__");
const update = (...messages: object[]) => ({ type: "update", update: { messages } }) as ThreadEvent;
const confirmedIds = (thread: { getConfirmedState(): object }) =>
  (thread.getConfirmedState() as Shown).messages.map(({ id }) => id);

test("an added and removed message is no part; a moved and removed one is a removal (introduction)", () => {
  using thread = threadOf(human("m", "m"));
  thread.optimistic({ messages: [human("n", "n"), remove("n")] });
  expect(thread.pending).toEqual([]);
  const first = thread.optimistic({ messages: [remove("m")] });
  thread.optimistic({ messages: [human("m", "again"), remove("m")] });
  first.rollback();
  expect([idsOf(thread), thread.pending.length]).toEqual([[], 1]);
});

test("a remove-all removes what the view shows, not what is hidden (introduction)", () => {
  using thread = threadOf(human("h", "h"), human("m", "m"));
  const first = thread.optimistic({ messages: [remove("m")] });
  thread.optimistic({ messages: [human("x", "x"), removeAll] });
  expect(idsOf(thread)).toEqual([]);
  first.rollback();
  expect(idsOf(thread)).toEqual(["m"]);
});

test("a message that a failed run cut off goes first at another start (4)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), message(ai("a", "Hel"), { streaming: true }), failed);
  thread.optimistic({ messages: [remove("a")] });
  hear(thread, started("r2"));
  // Confirmed lacked the message then: the server's next one is not removed.
  expect(thread.pending.map(({ status }) => status)).toEqual(["sent"]);
  hear(thread, messages(ai("a", "Hello")));
  expect([shown(thread), thread.pending]).toEqual([["a Hello"], []]);
});

test("an `update` event has not sent a message that it removes again itself (2)", () => {
  using thread = threadOf(human("m", "m"));
  thread.optimistic({ messages: [remove("m")] });
  hear(thread, started("r"), update(human("m", "m"), remove("m")), messages(human("m", "m")));
  expect([idsOf(thread), thread.pending.length]).toEqual([[], 1]);
});

test("messages that no run has sent stand after every sent one (7)", () => {
  using thread = threadOf();
  const failing = thread.optimistic({ messages: [human("f", "f")] });
  failing.fail("no");
  thread.optimistic({ messages: [human("s", "s")] });
  hear(thread, started("r"));
  expect(idsOf(thread)).toEqual(["s", "f"]);
});

test("a sent message passes what earlier parts write, not what they remove (7)", () => {
  using thread = threadOf(human("h", "h"));
  thread.optimistic({ messages: [remove("h")] }, { manual: true });
  hear(thread, messages());
  thread.optimistic({ messages: [human("q", "q")] });
  hear(thread, started("r"), message(human("h", "h")));
  expect(idsOf(thread)).toEqual(["q", "h"]);
});

const human_ = { type: "human" } as const;

test.each([
  [human_, ["q", "s"]],
  [{ ...human_, content: { a: 1 } }, ["s"]],
])("messages without content keep their ids: %j (8)", (own, ids) => {
  using thread = threadOf();
  thread.optimistic({ messages: [{ ...own, id: "q" }] } as object);
  hear(thread, started("r"), message({ ...own, id: "s" }));
  expect(idsOf(thread)).toEqual(ids);
});

test.each([
  ["b", ["s", "__remove_all__", "s"]],
  ["d", ["b", "__remove_all__", "s"]],
])("before a remove-all only what is written after it takes the new id: %s (8)", (id, ids) => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("b", "1"), removeAll, human(id, "3")] });
  hear(thread, started("r"), message(human("s", "3")), joined("r"));
  const list = thread.pending[0]?.update.messages as readonly { id: string }[];
  expect(list.map((one) => one.id)).toEqual(ids);
});

test.each([
  [
    "an update that was settled",
    (thread: ReturnType<typeof threadOf>) => thread.optimistic({ messages: [human("a", "w")] }),
  ],
  ["`update`", () => undefined],
])("a replay keeps the new id of what was added since: %s (6, 8)", (_, write) => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("a", "x")] });
  const op = write(thread);
  hear(thread, started("r"));
  if (op) op.settle();
  else thread.update({ messages: [human("a", "w")] });
  hear(thread, messages(), message(human("s", "x")));
  using recorded = reloaded(thread);
  for (const one of [thread, recorded]) {
    hear(one, started("r"));
    expect([shown(one), confirmedIds(one), one.pending]).toEqual([["s w"], ["s"], []]);
  }
});

test("a replay gives what was added the last of its new ids, and what is added after it none (6, 8)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("a", "x")] });
  hear(thread, started("r"));
  thread.update({ messages: [human("a", "w")] });
  hear(thread, messages(), message(human("s", "x")), messages(), message(human("t", "x")));
  thread.update({ messages: [human("a", "another")] });
  for (const _ of [1, 2]) {
    hear(thread, started("r"));
    expect(shown(thread)).toEqual(["t w", "a another"]);
  }
});

test("a message without an id is of the same role of your own, and has a content (9)", () => {
  for (const [known, sent, same] of [
    [{ role: "mine", content: "A" }, { role: "mine", content: "A" }, true],
    [{ role: "mine", content: "A" }, { role: "other", content: "A" }, false],
    [{ role: "reasoning", content: "A" }, { role: "activity", content: "A" }, false],
    [{ role: "activity", content: { x: 1 } }, { role: "activity", content: { x: 1 } }, true],
    [human_, human_, false],
  ] as const) {
    using thread = threadOf();
    hear(thread, messages({ ...known, id: "k" }), messages({ ...sent }));
    expect(idsOf(thread)[0] === "k", JSON.stringify(sent)).toBe(same);
  }
});

test("an object's text is empty (9, 10)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  const object = { type: "ai", id: "a", content: { x: 1 } };
  hear(thread, started("r"), message(ai("a", "Hel"), { streaming: true }), messages(object));
  expect([shown(thread), thread.incompleteIds]).toEqual([["a Hel"], ["a"]]);
  hear(thread, message(object), messages(ai("a", "")));
  expect(drifts).toEqual([]);
});

test("a streamed message stays before the nearest later one that the snapshot has (9)", () => {
  using thread = threadOf(human("h", "h"));
  hear(thread, started("r"), message(ai("a", "Hel"), { streaming: true }), message(tool("t", "c", "T")));
  hear(thread, message(human("k", "k")), messages(human("k", "k"), human("h", "h")));
  expect(idsOf(thread)).toEqual(["a", "k", "h"]);
});

test("the client's own stay after the nearest earlier one that the snapshot has, or first (9)", () => {
  using thread = threadOf();
  const own = (id: string) => ({ role: "mine", id, content: id });
  const all = [own("o1"), human("h", "h"), human("gone", "gone"), own("o2"), human("k", "k")];
  hear(thread, messages(...all));
  const event = { type: "messages", messages: [human("k", "k"), human("h", "h")], clientRoles: ["mine"] };
  hear(thread, event as ThreadEvent);
  expect(idsOf(thread)).toEqual(["o1", "k", "h", "o2"]);
});

test("streamed again, a message is predicted no more (10)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, started("r"), message(ai("a", "A")), message(ai("a", "A"), { streaming: true }), messages(ai("a", "B")));
  expect(drifts).toEqual([]);
});

test("`message-finished` of an unknown id changes no message or prediction, and is not refused (10)", () => {
  using thread = threadOf();
  const { drifts, errors } = told(thread);
  hear(thread, started("r"), message(ai("a", "A")));
  thread.update({ messages: [remove("a")] });
  hear(thread, whole("a"));
  thread.update({ messages: [ai("a", "A")] });
  expect([shown(thread), errors]).toEqual([["a A"], []]);
  hear(thread, messages(ai("a", "B")));
  expect(drifts).toHaveLength(1);
});
