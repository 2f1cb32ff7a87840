import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { defineSchema, field, Thread, ThreadfoldError } from "threadfold";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ai, hear, human, message, messages, shown, started, streamed, text, threadOf, values, whole } from "./say.js";
import { inside } from "../../support/inside.js";

/** The task under way has ended, and its follow-ups have run. */
const aTask = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Errors that are thrown later, by themselves, as browsers and Node report them. */
const thrown: unknown[] = [];
const keep = (error: unknown) => void thrown.push(error);
const others = process.listeners("uncaughtException");

async function thrownBy(call: () => void): Promise<unknown[]> {
  thrown.length = 0;
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", keep);
  call();
  await new Promise((resolve) => setImmediate(resolve));
  return [...thrown];
}

afterEach(() => {
  process.off("uncaughtException", keep);
  for (const other of others)
    if (!process.listeners("uncaughtException").includes(other)) process.on("uncaughtException", other);
});

test("a listener is called with each shown change and the state before, and for nothing else", () => {
  using thread = threadOf();
  const heard: unknown[][] = [];
  const initial = thread.getState();
  const end = thread.subscribe((...args) => void heard.push(args));
  thread.update({ topic: "x" });
  const first = thread.getState();
  thread.update({});
  thread.update({ topic: "y" });
  const second = thread.getState();
  expect(heard).toEqual([
    [first, initial],
    [second, first],
  ]);
  expect([heard[0]?.[1] === initial, heard[1]?.[1] === first]).toEqual([true, true]);
  end();
  end();
  thread.update({ topic: "z" });
  expect(heard.length).toBe(2);
  expect(thread.getInitialState()).toBe(initial);
});

describe("the server's events", () => {
  test("is called once a task, however many parts arrive", async () => {
    using thread = threadOf();
    const heard: unknown[][] = [];
    const initial = thread.getState();
    thread.subscribe((...args) => void heard.push(args));
    hear(thread, started("r"), streamed("1"));
    for (let part = 0; part < 1_000; part++) {
      hear(thread, text("1", "a"));
      if (part % 100 === 0) await Promise.resolve();
    }
    expect(heard).toEqual([]);
    await aTask();
    expect(heard).toEqual([[thread.getState(), initial]]);
    expect(shown(thread)).toEqual([`1 ${"a".repeat(1_000)}`]);
    hear(thread, text("1", "b"));
    await aTask();
    await aTask();
    expect(heard.length).toBe(2);
  });

  test("that changes nothing is not reported", async () => {
    using thread = threadOf(ai("1", "a"));
    hear(thread, started("r"), streamed("2"));
    const listener = vi.fn();
    thread.subscribe(listener);
    hear(thread, text("9", "x"), whole("2"), { type: "state", values: {} }, messages(ai("1", "a"), ai("2")));
    await aTask();
    expect(listener).not.toHaveBeenCalled();
  });

  test("is called at once, together with the caller's own change", async () => {
    using thread = threadOf(ai("1", "a"));
    const heard: unknown[] = [];
    thread.subscribe((state) => void heard.push([state.messages[0]?.content, state["topic"]]));
    hear(thread, text("1", "b"));
    thread.update({ topic: "x" });
    expect(heard).toEqual([["ab", "x"]]);
    await aTask();
    expect(heard.length).toBe(1);
  });

  test("is called at once by flush()", async () => {
    using thread = threadOf(ai("1", "a"));
    const listener = vi.fn();
    thread.subscribe(listener);
    thread.flush();
    expect(listener).not.toHaveBeenCalled();
    hear(thread, text("1", "b"));
    thread.flush();
    thread.flush();
    await aTask();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test("schedules nothing without listeners", () => {
    using thread = threadOf(ai("1", "a"));
    const schedule = vi.spyOn(globalThis, "setImmediate");
    try {
      hear(thread, text("1", "b"));
      expect(schedule).not.toHaveBeenCalled();
      thread.subscribe(() => undefined);
      hear(thread, text("1", "c"), text("1", "d"));
      expect(schedule).toHaveBeenCalledTimes(1);
    } finally {
      schedule.mockRestore();
    }
  });

  test("by a listener waits for its own task", async () => {
    using thread = threadOf(ai("1", "a"));
    const heard: unknown[] = [];
    thread.subscribe((state) => {
      heard.push(state.messages[0]?.content);
      if (heard.length === 1) hear(thread, text("1", "c"));
    });
    thread.update({ messages: [ai("1", "b")] });
    expect(heard).toEqual(["b"]);
    await aTask();
    expect(heard).toEqual(["b", "bc"]);
  });

  test("is not reported once the thread was disposed of", async () => {
    const thread = threadOf(ai("1", "a"));
    const listener = vi.fn();
    thread.subscribe(listener);
    hear(thread, text("1", "b"));
    thread.dispose();
    expect(await thrownBy(() => undefined)).toEqual([]);
    expect(listener).not.toHaveBeenCalled();
  });

  test("is called by a timer without setImmediate", async () => {
    const { setImmediate: immediate } = globalThis;
    using thread = threadOf(ai("1", "a"));
    const heard: unknown[] = [];
    thread.subscribe((state) => void heard.push(state.messages[0]?.content));
    try {
      vi.stubGlobal("setImmediate", undefined);
      hear(thread, text("1", "b"), text("1", "c"));
      await Promise.resolve();
      expect(heard).toEqual([]);
      await expect.poll(() => heard).toEqual(["abc"]);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(globalThis.setImmediate).toBe(immediate);
  });
});

test.each(["task", "frame"])(
  "a program ends by itself once all is told, once a %s, also without setImmediate",
  async (notify) => {
    const program = `
    import { Thread } from "threadfold";
    if (${notify === "task"}) delete globalThis.setImmediate;
    const thread = new Thread({ notify: ${JSON.stringify(notify)}, values: { messages: [{ type: "ai", id: "1", content: "" }] } });
    thread.subscribe((state) => console.log(state.messages[0].content));
    for (const text of "abc") thread.receive({ type: "text", messageId: "1", text });
  `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: import.meta.dirname,
      timeout: 20_000,
    });
    expect(stdout).toBe("abc\n");
  },
);

describe("once a frame", () => {
  const frames = () => {
    const due: (() => void)[] = [];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.stubGlobal("requestAnimationFrame", (call: () => void) => due.push(call));
    vi.stubGlobal("cancelAnimationFrame", (at: number) => {
      due[at - 1] = () => undefined;
    });
    return () => due.splice(0).forEach((call) => call());
  };
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test("the server's events call listeners before the frame, the caller's changes at once", () => {
    const paint = frames();
    using thread = new Thread({ notify: "frame", values: { messages: [ai("1", "a")] } });
    const heard: unknown[] = [];
    thread.subscribe((state) => void heard.push(state.messages[0]?.content));
    hear(thread, text("1", "b"), text("1", "c"));
    expect(heard).toEqual([]);
    paint();
    expect(heard).toEqual(["abc"]);
    vi.runAllTimers();
    expect(heard.length).toBe(1);
    hear(thread, text("1", "d"));
    thread.update({ messages: [ai("1", "e")] });
    expect(heard).toEqual(["abc", "e"]);
    paint();
    expect(heard.length).toBe(2);
  });

  test("a hidden page uses a timer, and a thread from a record uses its own option", () => {
    const paint = frames();
    using first = threadOf(ai("1", "a"));
    using thread = Thread.fromJSON(first.toJSON(), { notify: "frame" });
    const heard: unknown[] = [];
    thread.subscribe((state) => void heard.push(state.messages[0]?.content));
    hear(thread, text("1", "b"));
    vi.advanceTimersByTime(150);
    expect(heard).toEqual(["ab"]);
    paint();
    expect(heard.length).toBe(1);
  });

  test("without frames, too", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    using thread = new Thread({ notify: "frame", values: { messages: [ai("1", "a")] } });
    const listener = vi.fn();
    thread.subscribe(listener);
    hear(thread, text("1", "b"));
    vi.advanceTimersByTime(20);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(() => new Thread({ notify: "never" as never })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });
});

test("a later listener is not notified of earlier changes", () => {
  using thread = threadOf();
  thread.update({ topic: "x" });
  const listener = vi.fn();
  thread.subscribe(listener);
  thread.optimistic({});
  expect(listener).not.toHaveBeenCalled();
});

test("one function that subscribes twice is two listeners", () => {
  using thread = threadOf();
  const listener = vi.fn();
  const [end] = [thread.subscribe(listener), thread.subscribe(listener)];
  thread.update({ topic: "x" });
  end();
  thread.update({ topic: "y" });
  expect(listener).toHaveBeenCalledTimes(3);
});

test("every change is made before listeners run, and they may make more", () => {
  using thread = threadOf();
  const seen: unknown[] = [];
  thread.subscribe((state, previous) => {
    seen.push([state["step"], previous["step"], thread.getState()["step"]]);
    const step = (state["step"] ?? 0) as number;
    if (step < 3) thread.update({ step: step + 1 });
  });
  thread.subscribe((state) => void seen.push(state["step"]));
  thread.update({ messages: [human("1", "a")], step: 1 });
  expect(seen).toEqual([[1, undefined, 1], 1, [2, 1, 2], 2, [3, 2, 3], 3]);
});

test("the last change that a listener makes is reported, however many it makes", async () => {
  using thread = threadOf();
  const heard: unknown[] = [];
  thread.subscribe((state) => {
    const step = state["step"] as number;
    if (step < 150) thread.update({ step: step + 1 });
  });
  thread.subscribe((state) => void heard.push(state["step"]));
  thread.update({ step: 1 });
  await aTask();
  expect(heard).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
});

test("listeners that never stop changing the thread hold up neither the caller nor the page", async () => {
  using thread = threadOf();
  thread.subscribe((state) => thread.update({ step: ((state["step"] ?? 0) as number) + 1 }));
  thread.update({ step: 0 });
  const once = thread.getState()["step"] as number;
  expect(once).toBeGreaterThan(5);
  await vi.waitFor(() => expect(thread.getState()["step"]).toBeGreaterThan(once), 10_000);
});

test("a listener may end itself and others, and those that come while it runs wait for the next change", () => {
  using thread = threadOf();
  const late = vi.fn();
  const other = vi.fn();
  let once = 0;
  const ends = [
    thread.subscribe(() => {
      once++;
      for (const end of ends) end();
      thread.subscribe(late);
    }),
    thread.subscribe(other),
  ];
  thread.update({ topic: "x" });
  expect([once, other.mock.calls.length, late.mock.calls.length]).toEqual([1, 0, 0]);
  thread.update({ topic: "y" });
  expect([once, late.mock.calls.length]).toEqual([1, 1]);
});

test("a listener's error is its own: the others are notified, the change stands, and it is reported", async () => {
  using thread = threadOf();
  const other = vi.fn();
  const fails = () => {
    throw new Error("mine");
  };
  thread.subscribe(fails);
  thread.on("drift", fails);
  thread.on("error", fails);
  thread.subscribe(other);
  const errors = await thrownBy(() => {
    thread.update({ topic: "x" });
    hear(thread, message(ai("1", "a")), messages(ai("1", "b")), text("9", "x"));
    thread.flush();
  });
  expect(errors.map((error) => (error as Error).message)).toEqual(Array.from({ length: 4 }, () => "mine"));
  expect([other.mock.calls.length, thread.getState()["topic"], shown(thread)]).toEqual([2, "x", ["1 b"]]);
});

test("drift and error listeners run when the event is done, may call the thread, and can be ended", () => {
  using thread = threadOf();
  const seen: unknown[] = [];
  const listener = () => undefined;
  const ends = [
    thread.on("drift", ({ patch }) => {
      seen.push(shown(thread), patch.length);
      thread.update({ drifted: true });
    }),
    thread.on("error", ({ code }, event) => {
      seen.push(code, (event as { type: string }).type);
      thread.update({ failed: true });
    }),
  ];
  hear(thread, message(ai("1", "a")), messages(ai("1", "b")), text("9", "x"));
  expect(seen).toEqual([["1 b"], 1, "UNKNOWN_MESSAGE", "text"]);
  expect(thread.getState()).toMatchObject({ drifted: true, failed: true });
  for (const end of ends) end();
  hear(thread, message(ai("1", "a")), messages(ai("1", "b")), text("9", "x"));
  expect(seen.length).toBe(4);
  expect(() => thread.on("other" as never, listener as never)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("a freed thread throws DISPOSED everywhere", () => {
  const thread = threadOf();
  const op = thread.optimistic({ topic: "x" });
  const listener = vi.fn();
  thread.subscribe(listener);
  expect(thread.isDisposed).toBe(false);
  thread.dispose();
  expect(thread.isDisposed).toBe(true);
  thread.dispose();
  const calls: (() => unknown)[] = [
    () => thread.getState(),
    () => thread.getConfirmedState(),
    () => thread.pending,
    () => thread.getConfirmedMessage("1"),
    () => thread.update({}),
    () => thread.optimistic({}),
    () => thread.receive(text("1", "a")),
    () => thread.receive(values({})),
    () => thread.toJSON(),
    () => op.status,
    () => op.rollback(),
    () => thread.subscribe(listener),
    () => thread.flush(),
    () => thread.on("error", () => undefined),
    () => thread.incompleteIds,
  ];
  for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: "DISPOSED" }));
  expect(listener).not.toHaveBeenCalled();
  // These need no core.
  expect(thread.getInitialState()).toEqual({ messages: [] });
  expect([thread.run, inside(thread).had("1")]).toEqual([{ status: "ready" }, false]);
  inside(thread).report(new ThreadfoldError("INVALID_ARGUMENT", "late"));
});

test("a listener may give the thread up", () => {
  const thread = threadOf();
  const other = vi.fn();
  thread.subscribe(() => thread.dispose());
  thread.subscribe(other);
  thread.update({ topic: "x" });
  expect(other).not.toHaveBeenCalled();
  expect(() => thread.getState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("a drift listener may give the thread up", () => {
  const thread = new Thread();
  thread.on("drift", () => thread.dispose());
  hear(thread, message(ai("1", "a")), messages(ai("1", "b")));
  expect(() => thread.getState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("a listener may give the thread up in mid-stream", async () => {
  const thread = threadOf(ai("1", "a"));
  const other = vi.fn();
  thread.subscribe(() => thread.dispose());
  thread.subscribe(other);
  hear(thread, text("1", "b"));
  expect(await thrownBy(() => undefined)).toEqual([]);
  expect(other).not.toHaveBeenCalled();
  expect(() => hear(thread, text("1", "c"))).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("valid and invalid listeners", () => {
  using thread = threadOf();
  for (const listener of [undefined, null, 5, {}]) {
    expect(() => thread.subscribe(listener as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    expect(() => thread.on("error", listener as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  }
});

describe("from within a reducer", () => {
  const within = (work: (thread: Thread<{ total: number; messages: object[] }>) => void) => {
    const seen: unknown[] = [];
    const schema = defineSchema({
      messages: field.messages(),
      total: field.reducer(
        (left: number, right: number) => {
          try {
            work(thread);
            seen.push("done");
          } catch (error) {
            seen.push((error as { code?: string }).code);
          }
          return left + right;
        },
        { default: () => 0 },
      ),
    });
    const thread: Thread<{ total: number; messages: object[] }> = new Thread<{ total: number; messages: object[] }>({
      schema: schema as never,
    });
    return { thread, seen };
  };

  const calls: Record<string, (thread: Thread<{ total: number; messages: object[] }>) => unknown> = {
    getState: (thread) => thread.getState(),
    update: (thread) => thread.update({}),
    optimistic: (thread) => thread.optimistic({}),
    subscribe: (thread) => thread.subscribe(() => undefined),
    receive: (thread) => thread.receive({ ...whole("1"), id: "7" }),
    flush: (thread) => thread.flush(),
    toJSON: (thread) => thread.toJSON(),
    pending: (thread) => thread.pending,
  };
  test.each(Object.entries(calls))("%s is BUSY, and the thread works afterwards", (_, call) => {
    const { thread, seen } = within(call);
    thread.update({ total: 1 });
    expect(seen).toEqual(["BUSY"]);
    hear(thread, { ...text("1", "x"), id: "8" });
    // The refused event does not count as received: it may come again.
    expect([inside(thread).had("7"), inside(thread).had("8"), thread.getState().total]).toEqual([false, true, 1]);
    thread.dispose();
  });

  test.each(["update", "receive"] as const)("dispose() lets the %s end, and gives the thread up", (how) => {
    const { thread, seen } = within((thread) => thread.dispose());
    const listener = vi.fn();
    thread.subscribe(listener);
    if (how === "update") thread.update({ total: 1 });
    else thread.receive({ type: "update", update: { total: 1 } });
    expect(seen).toEqual(["done"]);
    expect(listener).not.toHaveBeenCalled();
    expect(() => thread.getState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
  });
});

test("a message whose id occurred twice is found, and heard, when one of them has gone", () => {
  using thread = threadOf();
  const heard: unknown[] = [];
  thread.subscribeMessage("m", (now) => heard.push((now as { content?: unknown } | undefined)?.content));
  const found = () => {
    thread.flush();
    return (thread.getMessage("m") as { content?: unknown } | undefined)?.content;
  };
  const twice = { messages: [{ type: "remove", id: "__remove_all__" }, human("m", "a"), human("m", "b")] };
  hear(thread, started("r"), { type: "update", update: twice } as never);
  expect(found()).toBe("b");
  hear(thread, messages(human("m", "c")));
  expect(found()).toBe("c");
  hear(thread, { type: "update", update: twice } as never);
  expect(found()).toBe("b");
  hear(thread, { type: "update", update: { messages: [...twice.messages, human("n", "n")] } } as never);
  hear(thread, messages(human("n", "n"), human("m", "a")));
  expect([found(), heard.at(-1)]).toEqual(["a", "a"]);
});
