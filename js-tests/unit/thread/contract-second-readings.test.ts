// More sentences of docs/contract.md that a second implementer read in another way, case by case.
import { expect, test } from "vitest";
import { ai, failed, finished, hear, human, idsOf, joined, message, messages, shown, started } from "./say.js";
import { streamed, text, threadOf, tool } from "./say.js";

const remove = (id: string) => ({ type: "remove", id }) as const;

test.each([
  ["repeats it", [started("r1"), streamed("a")], started("r1"), "streaming"],
  ["repeats it once it is cut off", [started("r1"), { type: "disconnected" }], joined("r1"), "streaming"],
  ["repeats it after its end", [started("r1"), failed], joined("r1"), "streaming"],
  ["names it", [started()], started("r1"), "streaming"],
  ["is another run's", [started("r1"), streamed("a")], started("r2"), "submitted"],
] as const)("a start that %s (rule 12)", (_, before, start, status) => {
  using thread = threadOf();
  hear(thread, ...before, start);
  expect(thread.run.status).toBe(status);
});

test("a part that is refused leaves the status, but one with an id belongs to a run (12)", () => {
  using thread = threadOf();
  hear(thread, started("r1"));
  expect(thread.receive(text("unknown", "x"))).toBe(false);
  expect(thread.run.status).toBe("submitted");
  hear(thread, { type: "disconnected" }, text("unknown", "x"));
  expect(thread.run.status).toBe("disconnected");

  using joinedMidway = threadOf();
  expect(joinedMidway.receive({ ...text("unknown", "x"), id: "7" })).toBe(false);
  expect([joinedMidway.run.status, joinedMidway.run.lastEventId]).toEqual(["streaming", "7"]);
});

test("a replay has the incomplete messages of earlier runs again, with their text (6)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), streamed("a"), text("a", "Hel"), started("r2"), messages(ai("a", "Other")));
  expect(thread.incompleteIds).toEqual([]);
  hear(thread, joined("r2"));
  expect([shown(thread), thread.incompleteIds]).toEqual([["a Hel"], ["a"]]);
});

test("so has one that was stored in between (6)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), streamed("a"), text("a", "Hel"), started("r2"), messages(ai("a", "Other")));
  using stored = (thread.constructor as typeof import("threadfold").Thread).fromJSON(
    JSON.parse(JSON.stringify(thread)) as object,
  );
  hear(stored, joined("r2"));
  expect([shown(stored), stored.incompleteIds]).toEqual([["a Hel"], ["a"]]);
});

test("an incomplete message of a run that never ended is complete once it is gone (4)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), streamed("a"), started("r2"), messages());
  thread.update({ messages: [ai("a", "again")] });
  expect(thread.incompleteIds).toEqual([]);
});

test("update() completes none (4)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), streamed("a"), started("r2"));
  thread.update({ messages: [ai("a", "Hey")] });
  expect(thread.incompleteIds).toEqual(["a"]);
});

test("retry leaves a part that adds one that adds (5)", () => {
  using thread = threadOf();
  const adds = thread.optimistic({ messages: [human("b", "mine"), human("c", "more")] });
  hear(thread, message(human("b", "theirs")));
  adds.retry();
  expect(shown(thread)).toEqual(["b theirs", "c more"]);
});

test("update() with the message of a sent removal does not bring it back, text for it does (2)", () => {
  using thread = threadOf(human("b", "He"));
  thread.optimistic({ messages: [remove("b")] });
  hear(thread, started("r1"));
  thread.update({ messages: [human("b", "He")] });
  expect(idsOf(thread)).toEqual([]);
  hear(thread, text("b", "llo"));
  expect(shown(thread)).toEqual(["b Hello"]);
});

test("a sent message passes what an earlier part has changed, if the server lacked it (7)", () => {
  using thread = threadOf();
  hear(thread, messages(human("b", "b")));
  thread.optimistic({ messages: [human("b", "changed")] });
  thread.optimistic({ messages: [human("c", "c")] });
  hear(thread, messages());
  expect(idsOf(thread)).toEqual(["b", "c"]);
  hear(thread, started("r1"), messages(human("b", "b")));
  expect(idsOf(thread)).toEqual(["b", "c"]);
});

test("it does not pass what a part adds that was rolled back, or over when the run started (7)", () => {
  using rolledBack = threadOf();
  const first = rolledBack.optimistic({ messages: [human("d", "d")] });
  rolledBack.optimistic({ messages: [human("c", "c")] });
  hear(rolledBack, started("r1"));
  first.rollback();
  hear(rolledBack, message(human("d", "d")));
  expect(idsOf(rolledBack)).toEqual(["c", "d"]);

  using over = threadOf();
  over.optimistic({ messages: [human("a", "a")] });
  hear(over, started("r1"), finished, messages());
  over.optimistic({ messages: [human("b", "b")] });
  hear(over, started("r2"), message(human("a", "a")));
  expect(idsOf(over)).toEqual(["b", "a"]);
});

test("of several parts that write a message the first places it (7)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("c", "c")] }, { manual: true });
  thread.optimistic({ messages: [human("c", "changed")] });
  thread.optimistic({ messages: [human("d", "d")] });
  hear(thread, started("r1"));
  expect(shown(thread)).toEqual(["d d", "c changed"]);
});

test("a streamed tool result takes the id and the text that a snapshot has for its call (9)", () => {
  using thread = threadOf();
  hear(thread, started("r1"), message(tool("b", "k1", "Hello"), { streaming: true }), messages(tool("e", "k1", "Hel")));
  expect(shown(thread)).toEqual(["e Hel"]);
  expect(thread.receive(text("b", "lo"))).toBe(false);
});

test("what is written as it is shown stays the same object (11)", () => {
  using thread = threadOf(ai("a", "Hello"));
  thread.update({ place: { in: ["Kyoto"] } });
  const before = [thread.getState(), thread.getConfirmedState()];
  const calls: unknown[] = [];
  thread.subscribe((state) => calls.push(state));
  thread.update({ messages: [ai("a", "Hello")] });
  thread.update({ place: { in: ["Kyoto"] } });
  expect([thread.getState(), thread.getConfirmedState()]).toEqual(before);
  expect(thread.getState()).toBe(before[0]);
  expect(thread.getConfirmedState()).toBe(before[1]);
  expect(calls).toEqual([]);

  // An update is listed, but shows nothing new.
  const messageUpdate = thread.optimistic({ messages: [ai("a", "Hello")] });
  const fieldUpdate = thread.optimistic({ place: { in: ["Kyoto"] } });
  expect(thread.getState()).toBe(before[0]);
  messageUpdate.settle();
  fieldUpdate.settle();
  expect(thread.getState()).toBe(before[0]);
  expect(thread.getConfirmedState()).toBe(before[1]);
});

test("pending and run stay the same objects while they are equal (11)", () => {
  using thread = threadOf();
  const { pending } = thread;
  thread.optimistic({}).rollback();
  thread.optimistic({}).settle();
  hear(thread, started("r1"));
  expect(thread.pending).toBe(pending);
  const asks = { type: "run-finished", interrupts: [{ id: "i", value: { text: "Sure?" } }] } as const;
  hear(thread, asks);
  const { run } = thread;
  hear(thread, structuredClone(asks));
  expect(thread.run).toBe(run);
});

test("a sent tool result is renamed by its call, whatever its text, and not by another's (8)", () => {
  for (const [event, expected] of [
    [tool("e", "k1", "ok, in other words"), ["e ok, in other words"]],
    [tool("e", "k2", "ok"), ["b ok", "e ok"]],
  ] as const) {
    using thread = threadOf();
    thread.optimistic({ messages: [tool("b", "k1", "ok")] });
    hear(thread, started("r1"), message(event), finished);
    expect(shown(thread).toSorted()).toEqual(expected);
    expect(thread.pending).toEqual([]);
  }
});

test("an added message that the server had and removes is over (2)", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("a", "a")] });
  hear(thread, started("r1"), message(human("a", "a")));
  hear(thread, { type: "update", update: { messages: [remove("a")] } });
  expect([idsOf(thread), thread.pending]).toEqual([[], []]);
  hear(thread, finished);
  expect(idsOf(thread)).toEqual([]);
});

test("a message that is streamed again is not predicted (10)", () => {
  using thread = threadOf();
  const drifts: unknown[] = [];
  thread.on("drift", (drift) => drifts.push(drift));
  hear(thread, message(ai("a", "")), message(ai("a", "Hello"), { streaming: true }), messages(ai("a", "He")));
  expect([shown(thread), drifts]).toEqual([["a Hello"], []]);
});

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

test("what is refused because it cannot be read changes nothing (2)", () => {
  using thread = threadOf();
  thread.update({ place: { in: "Kyoto" }, mood: "calm" });
  const before = thread.getConfirmedState();
  expect(() => thread.update({ place: revoked(), mood: "other" })).toThrow(
    expect.objectContaining({ code: "UNREADABLE_VALUE" }) as Error,
  );
  expect(thread.receive({ type: "update", update: { place: revoked(), mood: "other" } })).toBe(false);
  expect(thread.getConfirmedState()).toBe(before);

  const op = thread.optimistic({ messages: [human("a", "a")] });
  for (const odd of [{ joined: revoked() }, { runId: revoked() }])
    expect(thread.receive({ type: "run-started", ...odd } as never)).toBe(false);
  expect([op.status, thread.run.status]).toEqual(["pending", "ready"]);
});

test("misspelt options of a thread's calls are refused", () => {
  using thread = threadOf();
  const misspelt = expect.objectContaining({ code: "UNKNOWN_OPTION" }) as Error;
  expect(() => thread.optimistic({}, { manuel: true } as never)).toThrow(misspelt);
  expect(() => reloadedWith({ shema: undefined, histroy: "full" })).toThrow(misspelt);
  function reloadedWith(options: object) {
    return (thread.constructor as typeof import("threadfold").Thread).fromJSON(thread.toJSON(), options);
  }
});

test("of two messages with one id in an update the last counts, also where it is equal to the one before the update", () => {
  using thread = threadOf(ai("a", "Hello"));
  thread.update({ messages: [ai("a", "Bye"), ai("a", "Hello")] });
  expect(shown(thread)).toEqual(["a Hello"]);
  thread.update({ messages: [ai("a", "Hello"), ai("a", "Bye")] });
  expect(shown(thread)).toEqual(["a Bye"]);
});
