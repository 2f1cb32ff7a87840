// A thread as a store of messages: getMessage, messageIds and subscribeMessage.
import * as fc from "fast-check";
import { defineSchema, field, removeMessage, Thread, type ThreadEvent } from "threadfold";
import { describe, expect, test, vi } from "vitest";
import { seeded } from "../../support/seed.js";
import { ai, hear, human, messages, started, streamed, text, threadOf, type Message } from "../thread/say.js";

const aTask = () => new Promise<void>((resolve) => void setImmediate(resolve));
type Heard = [now: Message | undefined, before: Message | undefined];

/** Records the notifications of one message's listener. */
function listening(thread: ReturnType<typeof threadOf>, id: string): { heard: Heard[]; end: () => void } {
  const heard: Heard[] = [];
  return { heard, end: thread.subscribeMessage(id, (now, before) => void heard.push([now, before])) };
}

describe("the messages by id", () => {
  test("are those of the view, pending ones too, by the server's ids", () => {
    using thread = threadOf(ai("1", "a"));
    thread.optimistic({ messages: [human("2", "b"), { ...ai("1", "A") }] });
    expect(thread.messageIds).toEqual(["1", "2"]);
    expect(thread.getMessage("1")).toBe(thread.getState().messages[0]);
    expect([thread.getMessage("1")?.content, thread.getConfirmedMessage("1")?.content]).toEqual(["A", "a"]);
    hear(thread, started("r"), { type: "message", message: human("srv", "b") });
    expect(thread.messageIds).toEqual(["1", "srv"]);
    expect([thread.getMessage("2"), thread.getMessage("srv")?.content]).toEqual([undefined, "b"]);
  });

  test("the ids are the same array, until one comes, goes or moves", () => {
    using thread = threadOf(ai("1"), ai("2"));
    const { messageIds } = thread;
    hear(thread, text("1", "a"));
    thread.update({ topic: "x", messages: [ai("2", "b")] });
    expect(thread.messageIds).toBe(messageIds);
    hear(thread, messages(ai("2", "b"), ai("1", "a")));
    expect(thread.messageIds).toEqual(["2", "1"]);
    thread.update({ messages: [removeMessage("2")] });
    expect(thread.messageIds).toEqual(["1"]);
    expect(messageIds).toEqual(["1", "2"]);
  });

  test("a state without messages has none", () => {
    using thread = new Thread({ schema: defineSchema({ topic: field.replace<string>() }) });
    expect(thread.messageIds).toEqual([]);
    expect(thread.messageIds).toBe(thread.messageIds);
    expect(thread.getMessage("1")).toBe(undefined);
    const end = thread.subscribeMessage("1", () => expect.fail());
    thread.update({ topic: "x" });
    end();
  });
});

describe("a listener of one message", () => {
  test("is called with each change of that message and the one before, and for no other message", () => {
    using thread = threadOf(ai("1", "a"), ai("2", "b"));
    const [one, two] = [listening(thread, "1"), listening(thread, "2")];
    const before = thread.getMessage("1");
    thread.update({ messages: [ai("1", "A")] });
    thread.update({ topic: "x" });
    expect(one.heard).toEqual([[ai("1", "A"), ai("1", "a")]]);
    expect(one.heard[0]?.[1]).toBe(before);
    expect(one.heard[0]?.[0]).toBe(thread.getMessage("1"));
    expect(two.heard).toEqual([]);
    one.end();
    one.end();
    thread.update({ messages: [ai("1", "AA"), ai("2", "B")] });
    expect([one.heard.length, two.heard.length]).toEqual([1, 1]);
  });

  test("is called when the message is added or removed, not when it moves", () => {
    using thread = threadOf(ai("2"));
    const [one, two] = [listening(thread, "1"), listening(thread, "2")];
    const op = thread.optimistic({ messages: [human("1", "hi")] });
    op.rollback();
    expect(one.heard).toEqual([
      [human("1", "hi"), undefined],
      [undefined, human("1", "hi")],
    ]);
    hear(thread, messages(ai("0"), ai("2")), messages(ai("2"), ai("0")));
    thread.flush();
    expect(two.heard).toEqual([]);
  });

  test("is called when the server renames it: removed under one id, added under the other", () => {
    using thread = threadOf();
    thread.optimistic({ messages: [human("mine", "hi")] });
    const [mine, srv] = [listening(thread, "mine"), listening(thread, "srv")];
    hear(thread, started("r"), { type: "message", message: human("srv", "hi") });
    thread.flush();
    expect([mine.heard, srv.heard]).toEqual([[[undefined, human("mine", "hi")]], [[human("srv", "hi"), undefined]]]);
  });

  test("is called for the server's events once a task, or by flush()", async () => {
    using thread = threadOf();
    const { heard } = listening(thread, "1");
    hear(thread, started("r"), streamed("1"));
    for (let part = 0; part < 100; part++) hear(thread, text("1", "a"));
    expect(heard).toEqual([]);
    await aTask();
    expect(heard).toEqual([[ai("1", "a".repeat(100)), undefined]]);
    hear(thread, text("1", "b"));
    thread.flush();
    await aTask();
    expect(heard.length).toBe(2);
  });

  test("is called in a task of the scheduler in a hidden page, whose timers wait a second", () => {
    const posted: (() => void)[] = [];
    vi.stubGlobal("document", { hidden: true });
    vi.stubGlobal("scheduler", { postTask: (call: () => void) => posted.push(call) });
    try {
      using thread = threadOf(ai("1", "a"));
      const { heard } = listening(thread, "1");
      hear(thread, text("1", "b"), text("1", "c"));
      expect([posted.length, heard.length]).toEqual([1, 0]);
      posted[0]?.();
      expect(heard).toEqual([[ai("1", "abc"), ai("1", "a")]]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('is called once a frame with notify: "frame"', () => {
    const due: (() => void)[] = [];
    vi.stubGlobal("requestAnimationFrame", (call: () => void) => due.push(call));
    vi.stubGlobal("cancelAnimationFrame", () => undefined);
    try {
      using thread = new Thread({ notify: "frame", values: { messages: [ai("1", "a")] } });
      const listener = vi.fn();
      thread.subscribeMessage("1", listener);
      hear(thread, text("1", "b"), text("1", "c"));
      expect(listener).not.toHaveBeenCalled();
      for (const call of due) call();
      expect(listener.mock.calls).toEqual([[ai("1", "abc"), ai("1", "a")]]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("is not notified of changes before it came", () => {
    using thread = threadOf(ai("1", "a"));
    thread.subscribe(() => undefined);
    hear(thread, text("1", "b"));
    const { heard } = listening(thread, "1");
    thread.flush();
    expect(heard).toEqual([]);
  });

  test("may unsubscribe itself, others and all, while it is called", () => {
    using thread = threadOf(ai("1", "a"), ai("2", "b"));
    const heard: string[] = [];
    const ends: (() => void)[] = [];
    const end = () => ends.forEach((call) => call());
    for (const id of ["1", "1", "2"]) ends.push(thread.subscribeMessage(id, () => (heard.push(id), end())));
    thread.update({ messages: [ai("1", "A"), ai("2", "B")] });
    thread.update({ messages: [ai("1", "AA"), ai("2", "BB")] });
    expect(heard).toEqual(["1"]);
  });

  test("may change the thread: all are notified of the change before it first", () => {
    using thread = threadOf(ai("1", "a"), ai("2", "b"));
    const heard: string[] = [];
    thread.subscribeMessage("1", (now) => {
      heard.push(`1 ${now?.content as string}`);
      if (now?.content === "A") {
        thread.update({ messages: [ai("2", "C")] });
        expect(thread.getMessage("2")?.content).toBe("C");
      }
    });
    thread.subscribeMessage("2", (now, before) => {
      heard.push(`2 ${before?.content as string}>${now?.content as string}`);
    });
    thread.update({ messages: [ai("1", "A"), ai("2", "B")] });
    expect(heard).toEqual(["1 A", "2 b>B", "2 B>C"]);
  });

  test("that is added twice is called twice, and each unsubscribes separately", () => {
    using thread = threadOf(ai("1", "a"));
    const listener = vi.fn();
    const ends = [thread.subscribeMessage("1", listener), thread.subscribeMessage("1", listener)];
    thread.update({ messages: [ai("1", "b")] });
    expect(listener).toHaveBeenCalledTimes(2);
    ends[0]?.();
    ends[0]?.();
    thread.update({ messages: [ai("1", "c")] });
    expect(listener).toHaveBeenCalledTimes(3);
  });

  test("that is not a function is refused, and so is one on a disposed thread", () => {
    const thread = threadOf();
    expect(() => thread.subscribeMessage("1", undefined as never)).toThrow("A listener should be a function");
    const end = thread.subscribeMessage("1", () => expect.fail());
    thread.dispose();
    end();
    expect(() => thread.subscribeMessage("1", () => undefined)).toThrow("was disposed");
  });

  test("that throws keeps no other from hearing", async () => {
    using thread = threadOf(ai("1", "a"), ai("2", "b"));
    const others = process.listeners("uncaughtException");
    const thrown: unknown[] = [];
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => void thrown.push(error));
    try {
      const listener = vi.fn();
      thread.subscribeMessage("1", () => {
        throw "mine";
      });
      thread.subscribeMessage("1", listener);
      thread.subscribeMessage("2", listener);
      thread.update({ messages: [ai("1", "A"), ai("2", "B")] });
      expect(listener).toHaveBeenCalledTimes(2);
      await aTask();
      expect(thrown).toEqual(["mine"]);
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const other of others) process.on("uncaughtException", other);
    }
  });
});

test("a token asks no message but the one that it changed", () => {
  let asked = 0;
  // A message that counts how often its id is read.
  const watched = (id: string) => ({
    type: "ai",
    content: "",
    get id() {
      asked++;
      return id;
    },
  });
  using thread = threadOf(...Array.from({ length: 1_000 }, (_, at) => watched(`m${at}`)), ai("1"));
  const listener = vi.fn();
  for (const id of thread.messageIds) thread.subscribeMessage(id, listener);
  asked = 0;
  for (let part = 0; part < 50; part++) {
    hear(thread, text("1", "a"));
    thread.flush();
    expect(thread.getMessage("1")?.content).toBe("a".repeat(part + 1));
  }
  expect([listener.mock.calls.length, asked]).toEqual([50, 0]);
});

test("at any time, the listeners' messages and those by id equal the view's", () => {
  const id = fc.constantFrom("1", "2", "3", "4");
  const one = id.map((id) => ai(id, id));
  const step = fc.oneof(
    fc.record({ type: fc.constant("update" as const), messages: fc.array(one, { maxLength: 3 }) }),
    fc.record({ type: fc.constant("optimistic" as const), messages: fc.array(one, { maxLength: 2 }) }),
    fc.record({ type: fc.constant("text" as const), id }),
    fc.record({ type: fc.constant("remove" as const), id }),
    fc.record({ type: fc.constant("snapshot" as const), ids: fc.uniqueArray(id) }),
    fc.record({ type: fc.constant("event" as const), event: fc.constantFrom("run-started", "run-finished") }),
    fc.record({ type: fc.constant("listen" as const), id, ends: fc.boolean() }),
    fc.record({ type: fc.constant("flush" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      using thread = threadOf(ai("1", "a"));
      const listeners = new Map<string, { now: Message | undefined; end: () => void }[]>();
      const check = () => {
        const { messages: all } = thread.getState();
        expect(thread.messageIds).toEqual(all.map((message) => message.id));
        for (const id of ["1", "2", "3", "4"]) expect(thread.getMessage(id)).toBe(all.find((it) => it.id === id));
      };
      for (const [at, step] of steps.entries()) {
        if (step.type === "update") thread.update({ messages: step.messages });
        else if (step.type === "optimistic") thread.optimistic({ messages: step.messages });
        else if (step.type === "text") hear(thread, text(step.id, "a"));
        else if (step.type === "remove") {
          if (thread.getMessage(step.id)) thread.optimistic({ messages: [removeMessage(step.id)] });
        } else if (step.type === "snapshot") hear(thread, messages(...step.ids.map((id) => ai(id, `${at}`))));
        else if (step.type === "event") hear(thread, { type: step.event } as ThreadEvent);
        else if (step.type === "flush") thread.flush();
        else if (step.ends) listeners.get(step.id)?.shift()?.end();
        else {
          const own = { now: thread.getMessage(step.id), end: () => {} };
          own.end = thread.subscribeMessage(step.id, (now, before) => {
            expect([before === own.now, now === before]).toEqual([true, false]);
            own.now = now;
          });
          listeners.set(step.id, [...(listeners.get(step.id) ?? []), own]);
        }
        if (at % 3 === 0) check();
      }
      thread.flush();
      check();
      for (const [id, all] of listeners) for (const { now } of all) expect(now).toBe(thread.getMessage(id));
    }),
    seeded("one message, heard", 500),
  );
});
