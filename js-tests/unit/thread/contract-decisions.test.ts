// The sentences of docs/contract.md that can be read in two ways, case by case: which reading is right.
import { defineSchema, field, Thread, type ThreadEvent } from "threadfold";
import { describe, expect, test } from "vitest";
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
  tool,
  values,
} from "./say.js";

const remove = (id: string) => ({ type: "remove", id }) as const;
const update = (...messages: object[]): ThreadEvent => ({ type: "update", update: { messages } });
const state = (values: object): ThreadEvent => ({ type: "state", values });
const confirmedIds = (thread: { getConfirmedState(): object }) =>
  (thread.getConfirmedState() as { messages: { id: string }[] }).messages.map(({ id }) => id);
const old = human("0", "old");
const ai1 = message(ai("a1", "Hello"));

describe("sent and acknowledged", () => {
  test("a message that was removed here, and is sent again, is a change of the server's: pending until it has it", () => {
    using thread = threadOf(old, ai("1", "a"));
    thread.optimistic({ messages: [remove("0")] });
    const again = thread.optimistic({ messages: [human("0", "new")] });
    expect([again.status, shown(thread)]).toEqual(["pending", ["1 a", "0 new"]]);
    hear(thread, started("r"));
    expect([again.status, shown(thread)]).toEqual(["sent", ["1 a", "0 new"]]);
    hear(thread, messages(ai("1", "a"), human("0", "new")));
    expect(again.status).toBe("done");
  });

  test("an update that is taken again keeps the first run's base and place", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("q", "Hi")], topic: "mine" });
    hear(thread, started("r1"), ai1, started("r2"));
    expect([op.status, idsOf(thread)]).toEqual(["sent", ["0", "q", "a1"]]);
    hear(thread, state({ topic: "theirs" }));
    expect(thread.getState()["topic"]).toBe("theirs");
    hear(thread, state({}));
    expect(thread.getState()["topic"]).toBe("mine");
  });

  test("additions by update count as the server's: they are a base, and they acknowledge", () => {
    using thread = threadOf(old);
    thread.update({ topic: "added" });
    const op = thread.optimistic({ topic: "mine" });
    hear(thread, started("r"), state({ topic: "added" }));
    expect(op.status).toBe("sent");
    thread.update({ topic: "added, too" });
    expect([op.status, thread.getState()["topic"]]).toEqual(["done", "added, too"]);
  });

  test.each([
    ["a message event", message(old)],
    ["an update event", update(old)],
  ])("%s that sends a removed message again acknowledges the removal", (_, event) => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [remove("0")] });
    hear(thread, started("r"));
    expect([op.status, idsOf(thread)]).toEqual(["sent", []]);
    hear(thread, event);
    expect([op.status, idsOf(thread)]).toEqual(["done", ["0"]]);
    hear(thread, finished);
    expect(idsOf(thread)).toEqual(["0"]);
  });

  test("a snapshot that still has a removed message does not", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [remove("0")] });
    hear(thread, started("r"), messages(old));
    expect([op.status, idsOf(thread)]).toEqual(["sent", []]);
  });
});

describe("manually", () => {
  test("a manual update that the server has is done and not applied; a run's start does not end it", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ topic: "mine" }, { manual: true });
    hear(thread, state({ topic: "theirs" }), started("r"), finished);
    expect([op.status, thread.getState()["topic"]]).toEqual(["done", "theirs"]);
    hear(thread, state({}));
    expect([op.status, thread.getState()["topic"]]).toEqual(["pending", "mine"]);
  });

  test.each(["settle", "rollback"] as const)("%s ends also an update that the server has", (how) => {
    using thread = threadOf(old);
    const op = thread.optimistic({ topic: "mine" }, { manual: true });
    hear(thread, state({ topic: "theirs" }));
    op[how]();
    expect(thread.getState()["topic"]).toBe("theirs");
    hear(thread, state({}));
    expect([op.status, thread.getState()["topic"]]).toEqual(["done", undefined]);
  });

  test.each(["fail", "retry"] as const)("%s does nothing to an update that the server has", (how) => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("0", "edited")] });
    hear(thread, started("r"), message(human("0", "theirs")));
    expect(op.status).toBe("done");
    op[how]("no");
    expect([op.status, shown(thread), thread.pending]).toEqual(["done", ["0 theirs"], []]);
  });

  test("retry makes an update as if it were made now: without base and place", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("q", "Hi")], topic: "mine" });
    hear(thread, started("r1"), ai1, failed, state({ topic: "theirs" }));
    expect([idsOf(thread), thread.getState()["topic"]]).toEqual([["0", "q", "a1"], "theirs"]);
    op.retry();
    expect([idsOf(thread), thread.getState()["topic"]]).toEqual([["0", "a1", "q"], "mine"]);
  });

  test("retry of a manual update remembers what the server has now", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("0", "edited")], topic: "mine" }, { manual: true });
    hear(thread, state({ topic: "theirs" }));
    op.fail("no");
    op.retry();
    expect([op.status, thread.getState()["topic"]]).toEqual(["pending", "mine"]);
    hear(thread, state({ topic: "theirs" }));
    expect(thread.getState()["topic"]).toBe("mine");
    hear(thread, state({ topic: "mine" }), message(human("0", "edited")));
    expect(op.status).toBe("done");
  });

  test.each([
    ["retry", "pending"],
    ["fail", "failed"],
  ] as const)("after %s in mid-run the run's end does not end the update; its echo is still its own", (how, status) => {
    using thread = threadOf(old);
    const [one, other] = ["1", "2"].map((id) => thread.optimistic({ messages: [human(id, id)] }));
    hear(thread, started("r"));
    one?.[how]("no");
    other?.[how]("no");
    hear(thread, message(human("theirs", "1")));
    expect([one?.status, other?.status, idsOf(thread)]).toEqual(["done", status, ["0", "theirs", "2"]]);
    hear(thread, finished);
    expect([one?.status, other?.status, idsOf(thread)]).toEqual(["done", status, ["0", "theirs", "2"]]);
  });
});

describe("replay", () => {
  const echo = message(human("theirs", "Hi"));

  test("a failed run with the same id is a new run, unless the start says that it is joined", () => {
    for (const [start, left] of [
      [started("r"), ["0", "a1"]],
      [joined("r"), ["0"]],
    ] as const) {
      using thread = threadOf(old);
      hear(thread, started("r"), ai1, failed, start);
      expect(idsOf(thread)).toEqual(left);
    }
  });

  test("a rename survives it, also where the replay names the message anew", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"), echo, joined("r"));
    expect([op.status, idsOf(thread), confirmedIds(thread)]).toEqual(["sent", ["0", "theirs"], ["0"]]);
    hear(thread, echo);
    expect([op.status, idsOf(thread)]).toEqual(["done", ["0", "theirs"]]);
  });

  test("updates settled or rolled back since stay so", () => {
    using thread = threadOf(old);
    const ops = ["1", "2"].map((id) => thread.optimistic({ messages: [human(id, id)] }));
    hear(thread, started("r"));
    ops[0]?.settle();
    ops[1]?.rollback();
    hear(thread, joined("r"));
    expect([confirmedIds(thread), idsOf(thread), thread.pending]).toEqual([["0", "1"], ["0", "1"], []]);
  });

  test("what was settled is folded again as far as it can be: without removals of what is not there yet", () => {
    using thread = threadOf();
    hear(thread, started("r"), message(human("s1", "theirs")));
    thread.optimistic({ messages: [remove("s1"), human("q", "Hi")], topic: "mine" }).settle();
    hear(thread, joined("r"));
    expect([idsOf(thread), thread.getState()["topic"]]).toEqual([["q"], "mine"]);
  });

  test("what the run had streamed is incomplete no more; what an earlier run left stays so", () => {
    using thread = threadOf(old);
    hear(thread, started("r1"), streamed("a"), started("r2"), streamed("b"));
    expect([...thread.incompleteIds].sort()).toEqual(["a", "b"]);
    hear(thread, joined("r2"));
    expect(thread.incompleteIds).toEqual(["a"]);
  });

  test("a message that was settled stands last, after what the run sends again so far", () => {
    using thread = threadOf(old);
    const settled = thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"), ai1);
    expect(idsOf(thread)).toEqual(["0", "q", "a1"]);
    settled.settle();
    expect(idsOf(thread)).toEqual(["0", "q", "a1"]);
    hear(thread, joined("r"));
    expect(idsOf(thread)).toEqual(["0", "q"]);
    hear(thread, ai1);
    expect(idsOf(thread)).toEqual(["0", "q", "a1"]);
  });

  test("updates failed or made pending manually since are sent again", () => {
    using thread = threadOf(old);
    const ops = ["1", "2"].map((id) => thread.optimistic({ messages: [human(id, id)] }));
    hear(thread, started("r"));
    ops[0]?.fail("no");
    ops[1]?.retry();
    hear(thread, joined("r"));
    expect(ops.map(({ status }) => status)).toEqual(["sent", "sent"]);
  });

  test("a removal that the server answered is sent again, too, also after a reload", () => {
    for (const reload of [false, true]) {
      let thread = threadOf(old);
      thread.optimistic({ messages: [remove("0")] });
      hear(thread, started("r"), message(old));
      expect(thread.pending).toEqual([]);
      if (reload) thread = reloaded(thread);
      hear(thread, joined("r"));
      expect([thread.pending.map(({ status }) => status), idsOf(thread)]).toEqual([["sent"], []]);
      thread.dispose();
    }
  });
});

describe("two updates of one key", () => {
  const adding = () => {
    const add = (spent: number, more: number) => spent + more;
    const schema = defineSchema({ messages: field.messages(), spent: field.reducer(add, { default: () => 0 }) });
    return new Thread({ schema });
  };

  test.each([
    ["settled", ([first]: { settle(): void }[]) => first?.settle()],
    ["settled, the second before the first", (all: { settle(): void }[]) => all[1]?.settle()],
  ])("that add up: one of them %s says nothing about the other", (_, settle) => {
    using thread = adding();
    const updates = [1, 10].map((spent) => thread.optimistic({ spent }));
    hear(thread, started("r"));
    settle(updates);
    expect(thread.getState().spent).toBe(11);
    expect(thread.pending.length).toBe(1);
    hear(thread, joined("r"));
    expect([thread.getState().spent, thread.pending.length]).toEqual([11, 1]);
    hear(thread, finished);
    expect([thread.getState().spent, thread.getConfirmedState().spent, thread.pending]).toEqual([11, 11, []]);
  });

  test("that add up: a finish takes the one, the manual one stays, until a server's value answers both", () => {
    using thread = adding();
    thread.optimistic({ spent: 1 });
    const manual = thread.optimistic({ spent: 10 }, { manual: true });
    hear(thread, started("r"), finished);
    expect([thread.getState().spent, thread.getConfirmedState().spent, manual.status]).toEqual([11, 1, "pending"]);
    hear(thread, state({ spent: 12 }));
    expect([thread.getState().spent, manual.status]).toEqual([12, "done"]);
  });

  test("that edit one message: the later edit is shown after the earlier one is settled", () => {
    using thread = threadOf(old);
    const edits = ["a", "b"].map((text) => thread.optimistic({ messages: [human("0", text)] }));
    hear(thread, started("r"));
    edits[0]?.settle();
    expect([shown(thread), edits[1]?.status]).toEqual([["0 b"], "sent"]);
    hear(thread, finished);
    expect(shown(thread)).toEqual(["0 b"]);
  });
});

describe("place", () => {
  test("messages of one update stand in its order; one that failed before it was sent stands at the end", () => {
    using thread = threadOf(old);
    const early = thread.optimistic({ messages: [human("1", "a")] });
    early.fail("no");
    thread.optimistic({ messages: [human("3", "c"), human("2", "b")] });
    hear(thread, started("r"), streamed("x"));
    expect(idsOf(thread)).toEqual(["0", "3", "2", "x", "1"]);
  });

  test("a settled message that no run has sent goes last in confirmed, before what still waits", () => {
    using thread = threadOf(old);
    const [, second] = ["p", "q"].map((id) => thread.optimistic({ messages: [human(id, id)] }));
    second?.settle();
    expect([idsOf(thread), confirmedIds(thread)]).toEqual([
      ["0", "q", "p"],
      ["0", "q"],
    ]);
  });

  test.each([
    [["q1"], ["q1", "q2", "q3"]],
    [["q2"], ["q1", "q2", "q3"]],
    [["q3"], ["q1", "q2", "q3"]],
    [
      ["q3", "q1"],
      ["q2", "q3", "q1"],
    ],
    // Only in the order of the parts.
    [
      ["q2", "q1"],
      ["q2", "q3", "q1"],
    ],
    [
      ["q1", "x", "q2"],
      ["q1", "q3", "x", "q2"],
    ],
  ])("of three sent messages a snapshot has %j: the others pass earlier ones that stand there: %j", (has, shown) => {
    using thread = threadOf();
    for (const id of ["q1", "q2", "q3"]) thread.optimistic({ messages: [human(id, id)] });
    hear(thread, started("r"), messages(...has.map((id) => human(id, id))));
    expect(idsOf(thread)).toEqual(shown);
  });

  test("a changed message that the server removed stands where a new one would", () => {
    using thread = threadOf(old, ai("1", "a"));
    const op = thread.optimistic({ messages: [human("0", "edited")], topic: "mine" });
    hear(thread, messages(ai("1", "a")));
    expect([op.status, shown(thread)]).toEqual(["pending", ["1 a", "0 edited"]]);
  });

  test("the server's copy takes a message's place in confirmed, too, also after the run failed", () => {
    for (const end of [[], [failed]]) {
      using thread = threadOf(old);
      thread.optimistic({ messages: [human("q", "Hi")] });
      hear(thread, started("r"), ai1, ...end, message(human("q", "Hi")));
      expect([idsOf(thread), confirmedIds(thread)]).toEqual([
        ["0", "q", "a1"],
        ["0", "q", "a1"],
      ]);
    }
  });
});

describe("renames", () => {
  test("an edit and a removal of the message, made before the server named it, are of the renamed one", () => {
    using edited = threadOf(old);
    edited.optimistic({ messages: [human("q", "Hi")] });
    hear(edited, started("r"));
    edited.optimistic({ messages: [human("q", "Hi!")] });
    hear(edited, message(human("theirs", "Hi")));
    expect(shown(edited)).toEqual(["0 old", "theirs Hi!"]);
    expect(edited.pending.map((one) => one.update)).toEqual([{ messages: [human("theirs", "Hi!")] }]);
    using removed = threadOf(old);
    removed.optimistic({ messages: [human("q", "Hi")] });
    hear(removed, started("r"));
    removed.optimistic({ messages: [remove("q")] });
    hear(removed, message(human("theirs", "Hi")));
    expect(shown(removed)).toEqual(["0 old"]);
    expect(removed.pending.map((one) => one.update)).toEqual([{ messages: [remove("theirs")] }]);
    hear(removed, finished, started("r2"), finished);
    expect(shown(removed)).toEqual(["0 old"]);
  });

  test("a message that was echoed under its own id takes no other", () => {
    using thread = threadOf(old);
    const op = thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"), message(human("q", "Hi")), message(human("theirs", "Hi")));
    expect([op.status, idsOf(thread)]).toEqual(["done", ["0", "q", "theirs"]]);
  });

  test.each([
    ["a message event", message(human("theirs", "Hi"))],
    ["an update event", update(human("theirs", "Hi"))],
    ["a snapshot", values({ messages: [old, human("theirs", "Hi")] })],
    ["a partial snapshot", { ...values({ messages: [human("theirs", "Hi")] }), partial: true } as ThreadEvent],
  ])("of two of one text the first is renamed by %s, and stands before the other", (_, event) => {
    using thread = threadOf(old);
    thread.optimistic({ messages: [human("1", "Hi")] });
    thread.optimistic({ messages: [human("2", "Hi")] });
    hear(thread, started("r"), event);
    expect(idsOf(thread)).toEqual(["0", "theirs", "2"]);
  });
});

describe("messages that a snapshot lacks", () => {
  const list = [human("1", "a"), ai("2", "b"), tool("t", "c", "d"), human("3", "e")];

  test("a message of clientRoles, or in a partial snapshot, stays after the one that it came after", () => {
    const roles = (role: string, id: string) => ({ id, role, content: id });
    using thread = threadOf(roles("user", "1"), roles("activity", "2"), roles("user", "3"));
    hear(thread, { type: "messages", messages: [roles("user", "3"), roles("user", "1")], clientRoles: ["activity"] });
    expect(idsOf(thread)).toEqual(["3", "1", "2"]);
    using other = threadOf(...list);
    hear(other, { type: "messages", messages: [human("3", "e"), human("1", "a")], partial: true });
    expect(idsOf(other)).toEqual(["3", "1", "2", "t"]);
  });

  test("a streamed one stays before the one that it stood before, or last", () => {
    using thread = threadOf(human("1", "a"));
    hear(thread, started("r"), streamed("x"), message(human("2", "b")), streamed("y"));
    hear(thread, messages(human("1", "a"), ai("new", "n"), human("2", "b"), ai("last", "n")));
    expect(idsOf(thread)).toEqual(["1", "new", "x", "2", "last", "y"]);
  });

  test.each([
    ["He", "Hello"],
    ["Hello!", "Hello!"],
    ["Bye", "Bye"],
  ])(
    "a message that is being streamed keeps its text only where the snapshot's is a beginning of it: %j",
    (theirs, left) => {
      using thread = threadOf();
      hear(thread, started("r"), streamed("a"), text("a", "Hello"), messages(ai("a", theirs)));
      expect(shown(thread)).toEqual([`a ${left}`]);
      expect(thread.incompleteIds).toEqual(["a"]);
    },
  );

  test.each(["He", "Hello!", "Bye"])("a message that a failed run cut off takes the snapshot's text: %j", (theirs) => {
    using thread = threadOf();
    hear(thread, started("r"), streamed("a"), text("a", "Hello"), failed, messages(ai("a", theirs)));
    expect(shown(thread)).toEqual([`a ${theirs}`]);
    expect(thread.incompleteIds).toEqual([]);
  });

  test("such a message stays as it is, with the calls that the snapshot lacks", () => {
    using thread = threadOf();
    const calls = [{ id: "c", name: "look", args: {} }];
    hear(thread, started("r"), {
      type: "message",
      message: { ...ai("a", "Hello"), tool_calls: calls },
      streaming: true,
    });
    hear(thread, messages(ai("a", "He")));
    expect(thread.getState().messages).toEqual([{ ...ai("a", "Hello"), tool_calls: calls }]);
  });
});

describe("confirmed has an id twice", () => {
  const contents = (state: object) =>
    (state as { messages: { id: string; content: unknown }[] }).messages.map(
      ({ id, content }) => `${id} ${String(content)}`,
    );
  /** After a remove-all, an update's ids may come twice. */
  const twice = () => {
    const thread = new Thread();
    const list = [human("a", "1"), human("b", "2"), human("a", "3"), human("c", "4")];
    thread.update({ messages: [remove("__remove_all__"), ...list] } as never);
    return thread;
  };

  test("a remove-all that is settled removes what it hid", () => {
    using thread = twice();
    const update = thread.optimistic({ messages: [remove("__remove_all__")] });
    expect(contents(thread.getState())).toEqual(["a 1"]);
    update.settle();
    expect(contents(thread.getConfirmedState())).toEqual(["a 1"]);
  });

  test.each(["a", "b"])("what a remove-all writes of %s is there once it is settled", (id) => {
    using thread = twice();
    thread.optimistic({ messages: [remove("__remove_all__"), human(id, "9")] }).settle();
    expect(contents(thread.getConfirmedState())).toContain(`${id} 9`);
  });

  test("its removal by an update removes both", () => {
    using thread = twice();
    thread.update({ messages: [remove("a")] });
    expect(contents(thread.getState())).toEqual(["b 2", "c 4"]);
  });

  test("a partial snapshot that names it loses neither the other copy nor what follows that", () => {
    using thread = twice();
    thread.receive({ type: "values", values: { messages: [human("a", "5")] }, partial: true });
    expect(contents(thread.getState())).toEqual(["a 1", "b 2", "a 5", "c 4"]);
    thread.receive({ type: "values", values: { messages: [human("a", "6")] } });
    expect(contents(thread.getState())).toEqual(["a 6"]);
  });
});

describe("bases", () => {
  test("a message that the server renames takes along what was done with it, not the bases", () => {
    using thread = threadOf();
    thread.optimistic({ messages: [human("h1", "AB"), human("k", "K")] });
    hear(thread, message(human("h1", "AB")));
    const edit = thread.optimistic({ messages: [human("h1", "mine")] });
    hear(thread, started("r"), messages(), message(human("s1", "AB")));
    // The edit was sent over the text that is gone, and the server has another.
    expect([shown(thread), edit.status]).toEqual([["s1 AB", "k K"], "done"]);
  });

  test("a replay leaves the bases of manual updates where the run's finish put them", () => {
    using thread = threadOf(human("h1", "A"));
    thread.optimistic({ messages: [human("h1", "B")] });
    thread.optimistic({ messages: [human("h1", "manual")] }, { manual: true });
    hear(thread, started("r"), finished);
    expect(shown(thread)).toEqual(["h1 manual"]);
    hear(thread, joined("r"));
    expect(shown(thread)).toEqual(["h1 B"]);
    hear(thread, finished);
    expect(shown(thread)).toEqual(["h1 manual"]);
  });
});

test.each([
  [{ type: "update", update: { title: "a", zzz: 1 } }, { title: "a" }],
  [
    { type: "state", values: { title: "a", zzz: 1 } },
    { title: "a", zzz: 1 },
  ],
] as const)("a field that the schema lacks: %j", (event, confirmed) => {
  using thread = new Thread({ schema: defineSchema({ title: field.replace() }) });
  thread.receive(event as unknown as ThreadEvent);
  expect(thread.getConfirmedState()).toEqual({ messages: [], ...confirmed });
  expect(thread.getState()).toEqual({ title: "a" });
});
