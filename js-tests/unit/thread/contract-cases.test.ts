// Former mistakes of threads, case by case, and the contract's rule for each.
import { defineSchema, field, Thread } from "threadfold";
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
  shown,
  started,
  streamed,
  text,
  threadOf,
  told,
  values,
  whole,
} from "./say.js";
import type { ThreadRecord } from "../../../pkg-template/src/thread/thread-types.js";

const update = (update: object) => ({ type: "update" as const, update });
const delta = (...operations: object[]) => ({ type: "delta" as const, operations });
const remove = (id: string) => ({ type: "remove" as const, id });
const confirmedIds = (thread: { getConfirmedState(): object }) =>
  (thread.getConfirmedState() as { messages: { id: string }[] }).messages.map(({ id }) => id);
const statuses = (ops: readonly { status: string }[]) => ops.map(({ status }) => status);

describe("the server's values", () => {
  test("two questions of one text, the first echoed under its own id: the second is still sent, and shown", () => {
    using thread = threadOf();
    const ops = ["q1", "q2"].map((id) => thread.optimistic({ messages: [human(id, "Yes")] }));
    hear(thread, started("r"), message(human("q1", "Yes")));
    expect([statuses(ops), idsOf(thread)]).toEqual([
      ["done", "sent"],
      ["q1", "q2"],
    ]);
    hear(thread, message(human("theirs", "Yes")));
    expect([statuses(ops), idsOf(thread)]).toEqual([
      ["done", "done"],
      ["q1", "theirs"],
    ]);
  });

  test("two questions of one text, both in a snapshot, the first under its own id: there are two", () => {
    using thread = threadOf();
    const ops = ["q1", "q2"].map((id) => thread.optimistic({ messages: [human(id, "Yes")] }));
    hear(thread, started("r"), messages(human("q1", "Yes")));
    expect([statuses(ops), idsOf(thread)]).toEqual([
      ["done", "sent"],
      ["q1", "q2"],
    ]);
    hear(thread, messages(human("q1", "Yes"), human("theirs", "Yes")), finished);
    expect([statuses(ops), idsOf(thread)]).toEqual([
      ["done", "done"],
      ["q1", "theirs"],
    ]);
  });

  test("an empty snapshot and then an error: the question failed, and waits", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"), messages(), failed);
    expect([op.status, shown(thread)]).toEqual(["failed", ["q Hi"]]);
    expect(thread.pending).toMatchObject([
      { id: op.id, status: "failed", error: { code: "RUN_FAILED", message: "down" } },
    ]);
  });

  test("an update event may bring a message under the server's id, too", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ messages: [human("mine", "Hi")] });
    hear(thread, started("r"), update({ messages: [human("theirs", "Hi"), ai("a", "Hello")] }));
    expect([op.status, shown(thread)]).toEqual(["done", ["0 old", "theirs Hi", "a Hello"]]);
  });

  test("an exact echo renews neither the messages nor the state", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"));
    const before = thread.getState();
    hear(thread, message(human("q", "Hi")));
    expect(op.status).toBe("done");
    expect(thread.getState().messages).toBe(before.messages);
    expect(thread.getState()).toBe(before);
    hear(
      thread,
      messages(human("0", "old"), human("q", "Hi")),
      values({ messages: [human("0", "old"), human("q", "Hi")] }),
    );
    expect(thread.getState()).toBe(before);
  });

  test("a message equal to the existing one changes nothing and calls no listener", () => {
    using thread = threadOf(human("0", "old"));
    hear(thread, started("r"), streamed("a"), text("a", "Hello"));
    const before = thread.getState();
    thread.flush();
    let calls = 0;
    thread.subscribe(() => calls++);
    hear(thread, message(human("0", "old")), message(ai("a", "Hello")));
    thread.flush();
    expect([thread.getState() === before, calls]).toEqual([true, 0]);
  });

  test("an edit that comes back as it was written is the object that was shown", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ messages: [human("0", "edited")] });
    hear(thread, started("r"));
    const [edited] = thread.getState().messages;
    hear(thread, message(human("0", "edited")));
    expect(op.status).toBe("done");
    expect(thread.getState().messages[0]).toBe(edited);
  });

  test("a late snapshot that goes back to the base shows the part again; nothing flickers", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ topic: "mine", messages: [human("0", "edited")] });
    hear(thread, started("r"));
    const seen = [];
    for (const topic of [undefined, "mine", undefined, "mine"]) {
      hear(thread, values({ messages: [human("0", topic ? "edited" : "old")], ...(topic && { topic }) }));
      seen.push([op.status, thread.getState()["topic"], shown(thread)]);
    }
    const same = ["mine", ["0 edited"]];
    expect(seen).toEqual([
      ["sent", ...same],
      ["done", ...same],
      ["sent", ...same],
      ["done", ...same],
    ]);
  });
});

describe("where a message stands", () => {
  test("a question that was typed before the history came stands below it", () => {
    using thread = threadOf();
    thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, messages(human("1", "a"), ai("2", "b")));
    expect(idsOf(thread)).toEqual(["1", "2", "q"]);
    hear(thread, started("r"), streamed("a"), text("a", "Hello"));
    expect(idsOf(thread)).toEqual(["1", "2", "q", "a"]);
  });

  test("an update that the server has in part is rolled back: nothing else moves", () => {
    using thread = threadOf(human("0", "old"));
    const op = thread.optimistic({ messages: [human("1", "a"), human("2", "b")] });
    thread.optimistic({ messages: [human("3", "c")] });
    hear(thread, started("r"), message(human("1", "a")), streamed("x"));
    expect(idsOf(thread)).toEqual(["0", "1", "2", "3", "x"]);
    op.rollback();
    expect([idsOf(thread), op.status]).toEqual([["0", "1", "3", "x"], "done"]);
  });

  test("a message that is rolled back and made anew comes after those that were made before it", () => {
    using thread = threadOf();
    const first = thread.optimistic({ messages: [human("1", "a")] });
    thread.optimistic({ messages: [human("2", "b")] });
    hear(thread, started("r1"));
    thread.receive({ type: "run-error", error: "down" });
    first.rollback();
    thread.optimistic({ messages: [human("1", "a")] });
    hear(thread, started("r2"), message(human("1", "a")), streamed("x"));
    expect(idsOf(thread)).toEqual(["2", "1", "x"]);
  });

  test("an update that edits one message and adds another: the new one stands at the end", () => {
    using thread = threadOf(human("1", "a"), ai("2", "b"), human("3", "c"));
    thread.optimistic({ messages: [human("1", "A"), human("4", "d")] });
    expect(shown(thread)).toEqual(["1 A", "2 b", "3 c", "4 d"]);
    hear(thread, started("r"), streamed("5"));
    expect(shown(thread)).toEqual(["1 A", "2 b", "3 c", "4 d", "5"]);
  });
});

describe("how a run ends", () => {
  test("a run that never ended, and the next one's end: no message is dropped", () => {
    using thread = threadOf(human("0", "old"));
    const first = thread.optimistic({ messages: [human("q1", "Hi")] });
    hear(thread, started("r1"), streamed("a1"), text("a1", "Hel"));
    const second = thread.optimistic({ messages: [human("q2", "And?")] });
    hear(thread, started("r2"), message(ai("a2", "So")), finished);
    expect(statuses([first, second])).toEqual(["done", "done"]);
    expect(idsOf(thread)).toEqual(expect.arrayContaining(["0", "q1", "q2", "a2"]));
    expect(confirmedIds(thread)).toEqual(idsOf(thread));
  });

  test("a server that sends no snapshot: its run's updates are confirmed when it ends", () => {
    using thread = threadOf();
    const seen = told(thread);
    const op = thread.optimistic({ messages: [human("q", "Hi")], topic: "mine" });
    hear(thread, started("r"), streamed("a"), text("a", "Hello"), whole("a"));
    expect([op.status, confirmedIds(thread)]).toEqual(["sent", ["a"]]);
    const before = thread.getState();
    hear(thread, finished);
    expect([op.status, thread.pending, confirmedIds(thread), thread.getConfirmedState()["topic"]]).toEqual([
      "done",
      [],
      ["q", "a"],
      "mine",
    ]);
    expect(thread.getState()).toEqual(before);
    expect(seen.drifts).toEqual([]);
  });

  test("a server that sends no snapshot: an error fails its own run's updates, and nothing earlier", () => {
    using thread = threadOf();
    const ops = [];
    for (let run = 0; run < 3; run++) {
      ops.push(thread.optimistic({ messages: [human(`q${run}`, "Hi")] }));
      hear(thread, started(`r${run}`), message(ai(`a${run}`, "Hello")), run < 2 ? finished : failed);
    }
    expect(statuses(ops)).toEqual(["done", "done", "failed"]);
    expect(thread.pending.map(({ id }) => id)).toEqual([ops[2]?.id]);
    expect(idsOf(thread)).toEqual(["q0", "a0", "q1", "a1", "q2", "a2"]);
  });

  test("a server that sends no snapshot: a token after 500 questions costs as much as after none", () => {
    const QUESTIONS = 500;
    using asked = threadOf();
    for (let at = 0; at < QUESTIONS; at++) {
      asked.optimistic({ messages: [human(`q${at}`, "Hi")] });
      hear(asked, started(`r${at}`), message(ai(`a${at}`, "Hello")), finished);
    }
    using given = threadOf(...asked.getState().messages);
    const time = (thread: ReturnType<typeof threadOf>, at: number) => {
      hear(thread, started(`again ${at}`), streamed(`t${at}`));
      const start = performance.now();
      for (let token = 0; token < 100; token++) {
        hear(thread, text(`t${at}`, "x"));
        thread.getState();
      }
      const took = performance.now() - start;
      hear(thread, finished);
      return took;
    };
    const best = [Infinity, Infinity];
    for (let at = 0; at < 10; at++)
      [asked, given].forEach((thread, which) => (best[which] = Math.min(best[which] ?? 0, time(thread, at))));
    expect((best[0] ?? 0) / (best[1] ?? 1)).toBeLessThan(4);
  });

  test("the server contradicted a run's updates: its value stands, and drift is reported", () => {
    using thread = threadOf(human("0", "old"));
    const seen = told(thread);
    const op = thread.optimistic({ messages: [human("q", "Hi")], topic: "mine" });
    hear(thread, started("r"), values({ messages: [human("0", "old"), ai("a", "Hello")] }));
    expect([op.status, idsOf(thread), thread.getState()["topic"]]).toEqual(["sent", ["0", "q", "a"], "mine"]);
    hear(thread, finished);
    expect([op.status, idsOf(thread), thread.getState()["topic"]]).toEqual(["done", ["0", "a"], undefined]);
    expect(thread.getState()).toEqual(thread.getConfirmedState());
    expect(seen.drifts).toEqual([
      [
        { op: "remove", path: "/messages/1" },
        { op: "remove", path: "/topic" },
      ],
    ]);
    expect(seen.events).toEqual([finished]);
  });

  test("the server spoke of fields, and not of messages: the message is taken as it was, the field is the server's", () => {
    using thread = threadOf();
    const seen = told(thread);
    thread.optimistic({ messages: [human("q", "Hi")], topic: "mine" });
    hear(thread, started("r"), { type: "state", values: { mood: "calm" } }, finished);
    expect(thread.getState()).toEqual({ messages: [human("q", "Hi")], mood: "calm" });
    expect(thread.getConfirmedState()).toEqual(thread.getState());
    expect(seen.drifts).toEqual([[{ op: "remove", path: "/topic" }]]);
  });

  test("an answer that an error broke off stays, and is not history, until the next run starts", () => {
    using thread = threadOf();
    thread.optimistic({ messages: [human("q", "Hi")] });
    hear(thread, started("r"), message(human("q", "Hi")), streamed("a"), text("a", "Hel"), failed);
    expect([shown(thread), thread.incompleteIds]).toEqual([["q Hi", "a Hel"], ["a"]]);
    hear(thread, messages(human("q", "Hi")));
    expect([shown(thread), thread.incompleteIds]).toEqual([["q Hi", "a Hel"], ["a"]]);
    hear(thread, started("r2"));
    expect([shown(thread), thread.incompleteIds]).toEqual([["q Hi"], []]);
  });

  test("an answer that an error broke off, and that a snapshot has after all, is whole", () => {
    using thread = threadOf();
    hear(thread, started("r"), streamed("a"), text("a", "Hel"), failed, messages());
    expect([shown(thread), thread.incompleteIds]).toEqual([["a Hel"], ["a"]]);
    hear(thread, messages(ai("a", "Hello")));
    expect([shown(thread), thread.incompleteIds]).toEqual([["a Hello"], []]);
    hear(thread, started("r2"));
    expect(shown(thread)).toEqual(["a Hello"]);
  });
});

describe("updates that no run carries", () => {
  test("a manual update waits for the caller through any runs", () => {
    using thread = threadOf();
    const op = thread.optimistic({ topic: "mine" }, { manual: true });
    expect(thread.pending).toMatchObject([{ id: op.id, manual: true }]);
    for (const end of [finished, failed]) {
      hear(thread, started(), { type: "state", values: {} }, end);
      expect([op.status, thread.getState()["topic"], thread.pending.length]).toEqual(["pending", "mine", 1]);
    }
    op.settle();
    expect([op.status, thread.getConfirmedState()["topic"]]).toEqual(["done", "mine"]);
  });

  test("a manual update has its base from when it was made: the server's new value is the acknowledgement", () => {
    using thread = threadOf();
    hear(thread, { type: "state", values: { topic: "old" } });
    const op = thread.optimistic({ topic: "mine" }, { manual: true });
    hear(thread, { type: "state", values: { topic: "old" } });
    expect([op.status, thread.getState()["topic"]]).toEqual(["pending", "mine"]);
    hear(thread, { type: "state", values: { topic: "theirs" } });
    expect([op.status, thread.getState()["topic"]]).toEqual(["done", "theirs"]);
  });
});

describe("messages by the schema's own reducer", () => {
  const replacing = () => new Thread({ schema: defineSchema({ messages: field.replace<object[]>() }) });
  const deepAgents = () => new Thread({ schema: defineSchema({ messages: field.messages({ rules: "deepagents" }) }) });

  test("Replace: an optimistic list is the list", () => {
    using thread = replacing();
    thread.update({ messages: [human("1", "a"), human("2", "b")] });
    const op = thread.optimistic({ messages: [human("2", "B"), human("3", "c")] });
    expect(shown(thread)).toEqual(["2 B", "3 c"]);
    expect(shown({ getState: () => thread.getConfirmedState() })).toEqual(["1 a", "2 b"]);
    op.rollback();
    expect(shown(thread)).toEqual(["1 a", "2 b"]);
  });

  test("Replace: a snapshot is the list, including messages that other rules would fold away", () => {
    using thread = replacing();
    const list = [human("1", "a"), { type: "remove", id: "1" }, { type: "human", content: "no id" }];
    hear(thread, values({ messages: list }));
    expect(thread.getState().messages).toEqual(list);
  });

  test("DeepAgents' rules: an optimistic removal of an unknown id is allowed", () => {
    using thread = deepAgents();
    thread.update({ messages: [human("1", "a")] });
    thread.optimistic({ messages: [remove("nobody"), human("2", "b")] });
    expect(shown(thread)).toEqual(["1 a", "2 b"]);
  });

  test("DeepAgents' rules: a snapshot's messages need no ids, and are given none", () => {
    using thread = deepAgents();
    const list = () => [
      { type: "human", content: "a" },
      { type: "ai", content: "b" },
    ];
    hear(thread, values({ messages: list() }));
    const before = thread.getState();
    expect(before.messages).toEqual(list());
    hear(thread, values({ messages: list() }));
    expect(thread.getState()).toEqual(before);
  });
});

describe("the server's messages", () => {
  test.each([
    ["makes a list", { op: "add", path: "/messages", value: [human("2", "b")] }],
    ["replaces all", { op: "replace", path: "", value: { messages: [], topic: "x" } }],
    ["copies a field there", { op: "copy", from: "/topic", path: "/messages" }],
  ])("a delta on messages that %s is an error, never a hidden list", (_, operation) => {
    using thread = threadOf(human("1", "a"));
    hear(thread, { type: "state", values: { topic: "x" } });
    const seen = told(thread);
    const [before, record] = [thread.getState(), JSON.stringify(thread)];
    hear(thread, delta(operation));
    expect(seen.errors).toHaveLength(1);
    expect(thread.getState()).toBe(before);
    expect(JSON.stringify(thread)).toBe(record);
  });

  test("messages without ids, in a snapshot that comes twice, are the same messages", () => {
    using thread = threadOf();
    const list = () => [
      { type: "human", content: "a" },
      { type: "ai", content: "b" },
      { type: "human", content: "a" },
    ];
    hear(thread, values({ messages: list() }));
    const before = thread.getState();
    expect(new Set(idsOf(thread)).size).toBe(3);
    hear(thread, values({ messages: list() }), { type: "messages", messages: list() });
    expect(thread.getState()).toBe(before);
    hear(thread, values({ messages: [...list(), { type: "ai", content: "c" }] }));
    expect(
      thread
        .getState()
        .messages.slice(0, 3)
        .map((one, at) => one === before.messages[at]),
    ).toEqual([true, true, true]);
  });

  test("a state that is partial, such as one with an interrupt, keeps the messages that it lacks", () => {
    using thread = threadOf(human("1", "a"));
    hear(thread, started("r"), message(ai("2", "Shall I?")));
    hear(
      thread,
      { type: "values", values: { messages: [human("1", "a")], topic: "x" }, partial: true },
      { type: "run-finished", interrupts: ["?"] },
    );
    expect([shown(thread), thread.getState()["topic"]]).toEqual([["1 a", "2 Shall I?"], "x"]);
    hear(thread, { type: "messages", messages: [human("1", "A")], partial: true });
    expect(shown(thread)).toEqual(["1 A", "2 Shall I?"]);
  });
});

describe("repeated events", () => {
  test("a replay folds a local update as far as it can: without removals of what is not there yet", () => {
    using thread = threadOf(human("0", "old"));
    hear(thread, started("r"), message(human("x", "theirs")));
    thread.update({ mood: "calm" });
    thread.update({ topic: "b", messages: [remove("x")] });
    expect(thread.getState()).toEqual({ messages: [human("0", "old")], mood: "calm", topic: "b" });
    thread.update({ log: "kept" });
    hear(thread, joined("r"));
    expect(thread.getState()).toEqual({
      messages: [human("0", "old")],
      mood: "calm",
      topic: "b",
      log: "kept",
    });
    expect(thread.getConfirmedState()).toEqual(thread.getState());
  });

  test("the id of a run that has ended is a new run's: later changes are not lost", () => {
    using thread = threadOf();
    hear(thread, started("r"), message(ai("1", "a")), finished);
    thread.update({ messages: [human("2", "b")] });
    hear(thread, started("r"));
    expect(idsOf(thread)).toEqual(["1", "2"]);
  });
});

describe("the contents of a record", () => {
  const json = (thread: object) => JSON.parse(JSON.stringify(thread)) as ThreadRecord;

  test("additions after a run has ended do not grow it", () => {
    using thread = threadOf();
    hear(thread, started("r"), message(ai("1", "a")), finished);
    const size = JSON.stringify(thread).length;
    for (let at = 0; at < 1000; at++) thread.update({ topic: `${at}` });
    expect(JSON.stringify(thread).length).toBeLessThan(size + 100);
  });

  test("a field of any name comes back", () => {
    using thread = threadOf();
    const odd = JSON.parse('{ "__proto__": { "mine": 1 }, "constructor": 2, "toString": null }') as object;
    hear(thread, started("r"), { type: "state", values: odd });
    thread.optimistic(odd);
    using again = Thread.fromJSON(json(thread));
    expect(Object.entries(again.getConfirmedState())).toEqual(expect.arrayContaining(Object.entries(odd)));
    expect(again.pending).toEqual(thread.pending);
  });

  test("a version that it does not know is refused", () => {
    using thread = threadOf();
    const record = json(thread);
    expect(() => Thread.fromJSON({ ...record, version: 99 })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  test("a thread with a schema is refused without it", () => {
    using thread = new Thread({ schema: defineSchema({ messages: field.messages(), log: field.append<string>() }) });
    thread.update({ log: ["a"] });
    const record = json(thread);
    expect(() => Thread.fromJSON(record)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});
