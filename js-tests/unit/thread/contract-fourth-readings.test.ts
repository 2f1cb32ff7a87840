// Sentences of docs/contract.md on which a second independent model, written from that page alone, differed from the package.
import type { ThreadEvent } from "threadfold";
import { expect, test } from "vitest";
import { ai, failed, finished, hear, human, idsOf, joined, message, messages } from "./say.js";
import { shown, started, text, threadOf, told, tool, type Shown } from "./say.js";

const remove = (id: string) => ({ type: "remove", id }) as const;
const removeAll = remove("__remove_all__");
const blocks = (...texts: string[]) => texts.map((text) => ({ type: "text", text }));
const confirmedIds = (thread: { getConfirmedState(): object }) =>
  (thread.getConfirmedState() as Shown).messages.map(({ id }) => id);

test("what an update writes after it removed all moves, also a message that waits (introduction, 7)", () => {
  using thread = threadOf(human("h", "h"));
  thread.optimistic({ messages: [human("q", "q")] });
  thread.optimistic({ messages: [removeAll, human("x", "x"), human("q", "q")] });
  expect(idsOf(thread)).toEqual(["x", "q"]);
});

test("a finish with `folded` speaks of everything (3)", () => {
  using thread = threadOf(human("h", "h"));
  const { drifts } = told(thread);
  thread.optimistic({ messages: [human("q", "q")], topic: "mine" });
  hear(thread, started("r"), { type: "run-finished", folded: true } as ThreadEvent);
  expect([idsOf(thread), thread.getState()["topic"], drifts.length]).toEqual([["h"], undefined, 1]);
});

test("settling a removal of what confirmed lacks does nothing (5)", () => {
  using thread = threadOf(human("h", "h"));
  const op = thread.optimistic({ messages: [remove("h")] });
  hear(thread, messages());
  op.settle();
  expect([idsOf(thread), thread.pending]).toEqual([[], []]);
});

test("an edit of a message that a run sent is settled where it is shown, before the answer (5, 7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "q")] });
  hear(thread, started("r"));
  const edit = thread.optimistic({ messages: [human("q", "edited")] });
  hear(thread, message(ai("a", "answer")));
  edit.settle();
  expect(shown(thread)).toEqual(["q edited", "a answer"]);
  expect(confirmedIds(thread)).toEqual(["q", "a"]);
});

test("retry keeps what a part does: one that moved a message moves it (5)", () => {
  using thread = threadOf(human("h", "h"), human("k", "k"));
  thread.optimistic({ messages: [remove("h")] }, { manual: true });
  const again = thread.optimistic({ messages: [human("h", "again")] });
  hear(thread, messages(human("h", "server"), human("k", "k")));
  again.retry();
  expect(idsOf(thread)).toEqual(["k", "h"]);
});

test("the `message` of a hidden message goes where a removal hides it (7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("s", "s")] });
  hear(thread, started("r"));
  thread.update({ messages: [human("u", "u")] });
  thread.optimistic({ messages: [remove("s")] });
  hear(thread, message(human("s", "server")));
  expect(confirmedIds(thread)).toEqual(["s", "u"]);
});

test("but where a later part shows it again, it goes there (7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "q")] });
  hear(thread, started("r1"));
  thread.optimistic({ messages: [remove("q")] });
  thread.optimistic({ messages: [human("q", "again")] });
  hear(thread, message(ai("a")), started("r2"));
  expect(idsOf(thread)).toEqual(["a", "q"]);
  hear(thread, message(human("q", "server")));
  expect(idsOf(thread)).toEqual(["a", "q"]);
});

test.each([
  ["settled", (op: { settle(): void }) => op.settle()],
  ["rolled back as the server has it", (op: { rollback(): void }) => op.rollback()],
])("a changed message is passed by later ones, also where no run sent the change: %s (7)", (how, act) => {
  using thread = threadOf(human("h", "h"));
  const op = thread.optimistic({ messages: [human("h", "mine")] });
  hear(thread, messages());
  op.fail("no");
  thread.optimistic({ messages: [human("z", "z")] });
  hear(thread, started("r"));
  if (how !== "settled") hear(thread, message(human("h", "server")));
  act(op);
  expect(idsOf(thread)).toEqual(["h", "z"]);
});

test("what an earlier run sent again stays so where a later run is replayed (6)", () => {
  using thread = threadOf(human("m", "m"));
  thread.optimistic({ messages: [remove("m"), human("q", "q")] });
  hear(thread, started("r1"), message(human("m", "m")), started("r2"));
  expect(idsOf(thread)).toEqual(["m", "q"]);
  hear(thread, message(human("m", "new")), joined("r2"));
  expect(idsOf(thread)).toEqual(["m", "q"]);
});

test.each([
  { role: "activity", activityType: "x", content: { x: "A" } },
  { role: "reasoning", content: "A" },
])("activities and reasoning keep their ids: %j (8)", (kept) => {
  using thread = threadOf();
  thread.optimistic({ messages: [{ ...kept, id: "s" }] });
  hear(thread, started("r"), message({ ...kept, id: "t" }));
  expect(idsOf(thread).sort()).toEqual(["s", "t"]);
});

test.each([["A"], [blocks("A")]])(
  "a snapshot's message without an id is the one of equal content: %j (9)",
  (content) => {
    using thread = threadOf();
    const seen = [1, 2, 3].map(() => {
      hear(thread, messages({ type: "human", content: structuredClone(content) }));
      return thread.getState().messages[0];
    });
    expect(new Set(seen).size).toBe(1);
  },
);

test("a message of blocks is not set back while it is streamed (9)", () => {
  using thread = threadOf();
  const streamed = { type: "ai", id: "a", content: blocks("Hello", " wor") };
  hear(thread, started("r"), message(streamed, { streaming: true }));
  hear(thread, messages({ ...streamed, content: blocks("Hello") }), text("a", "ld"));
  expect(thread.getState().messages).toEqual([{ ...streamed, content: blocks("Hello", " world") }]);
});

test("a streamed tool's result that a snapshot renames is complete, and no drift (9)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, started("r"), message(tool("t", "c", "Hel"), { streaming: true }));
  hear(thread, messages(tool("server's", "c", "Hello")));
  expect([shown(thread), thread.incompleteIds, drifts]).toEqual([["server's Hello"], [], []]);
});

test.each([
  ["A", blocks("A"), 0],
  ["A", blocks("B"), 1],
  [blocks("A", "B"), "AB", 0],
  [blocks("A"), blocks("B"), 1],
])("a text and blocks are compared by their texts: %j and %j (10)", (predicted, told_, count) => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, message({ type: "ai", id: "a", content: predicted }));
  hear(thread, messages({ type: "ai", id: "a", content: told_ }));
  expect(drifts).toHaveLength(count);
});

test("`message-finished` completes and predicts also a message that an earlier run left (4, 10)", () => {
  using thread = threadOf();
  const { drifts } = told(thread);
  hear(thread, started("r1"), message(ai("a", "Hel"), { streaming: true }), started("r2"));
  expect(thread.incompleteIds).toEqual(["a"]);
  hear(thread, { type: "message-finished", messageId: "a" }, messages(ai("a", "Hello")));
  expect([thread.incompleteIds, drifts.length]).toEqual([[], 1]);
});

test("a part that is over counts while a later update that an earlier run sent waits (7)", () => {
  for (const [later, ids] of [
    [true, ["s", "x", "y", "z"]],
    [false, ["s", "y", "x"]],
  ] as const) {
    using thread = threadOf();
    thread.optimistic({ messages: [human("x", "x")] });
    const retried = thread.optimistic({ messages: [human("y", "y")] });
    hear(thread, started("r1"), message(ai("s")));
    if (later) thread.optimistic({ messages: [human("z", "z")] });
    hear(thread, started("r2"));
    retried.retry();
    hear(thread, message(human("x", "x")), started("r3"), messages(ai("s"), human("x", "x")));
    expect(idsOf(thread)).toEqual(ids);
  }
});

test("a sent message that failed in mid-run is still renamed; finished, it stays (8)", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "hi")] });
  hear(thread, started("r"));
  op.fail("no");
  hear(thread, message(human("s", "hi")), finished, failed);
  expect([idsOf(thread), op.status]).toEqual([["s"], "done"]);
});
