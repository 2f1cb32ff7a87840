import { Thread, type ThreadfoldError } from "threadfold";
import { loadThread, persist } from "threadfold/persist";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ai, hear, human, text, threadOf } from "../thread/say.js";
import { Shelf, SlowShelf } from "./storages.js";

const name = "chat";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets promises and due tasks run, and so much time pass. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("saving", () => {
  test("comes once in a throttle, however many tokens come, and never without a change", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new Shelf();
    const toJSON = vi.spyOn(thread, "toJSON");
    const stop = persist(thread, { name, storage });
    await pass(5_000);
    expect(storage.writes).toEqual([]);
    for (let part = 0; part < 250; part++) {
      hear(thread, text("1", "b"));
      await pass(10);
    }
    expect(toJSON.mock.calls.length).toBe(2);
    await pass(5_000);
    expect(storage.contents(name)).toEqual([`a${"b".repeat(250)}`]);
    expect([toJSON.mock.calls.length, storage.writes.length]).toEqual([3, 3]);
    await pass(5_000);
    stop();
    expect(storage.writes.length).toBe(3);
  });

  test("continues from earlier changes, since the thread was made or last saved", async () => {
    using thread = new Thread();
    const storage = new Shelf();
    thread.optimistic({ messages: "draft" });
    persist(thread, { name, storage })();
    expect(storage.state(name)).toMatchObject({ core: { pending: [{}] } });
    thread.update({ messages: "two" });
    const stop = persist(thread, { name, storage });
    await pass(1_000);
    expect(storage.contents(name)).toEqual(["two"]);
    stop();
    persist(thread, { name, storage })();
    expect(storage.writes.length).toBe(2);
    // Under another name nothing of it is saved yet.
    await persist(thread, { name: "copy", storage }).flush();
    expect(storage.contents("copy")).toEqual(["two"]);
    // A thread that was loaded is saved already.
    using loaded = await loadThread({ name, storage });
    persist(loaded as Thread, { name, storage })();
    expect(storage.writes.length).toBe(3);
  });

  test("stopped during a write, saves what came since, also of a thread that is freed then", async () => {
    const thread = new Thread();
    const storage = new SlowShelf();
    const stop = persist(thread, { name, storage });
    thread.update({ messages: "one" });
    await pass(1_000);
    expect(storage.isWriting).toBe(true);
    thread.update({ messages: "two" });
    stop();
    thread.dispose();
    await storage.answer();
    expect(storage.inner.contents(name)).toEqual(["one"]);
    await storage.answer();
    expect([storage.inner.contents(name), storage.isWriting]).toEqual([["one", "two"], false]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "x"])("refuses a throttle of %s", (throttle) => {
    using thread = new Thread();
    expect(() => persist(thread, { name, storage: new Shelf(), throttle: throttle as number })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  test("waits also for longer than a timer takes, until it is told", async () => {
    using thread = threadOf();
    const storage = new Shelf();
    const stop = persist(thread, { name, storage, throttle: 10 ** 10 });
    thread.update({ topic: "x" });
    await pass(1_000);
    expect(storage.writes).toEqual([]);
    await stop.flush();
    expect(storage.writes.length).toBe(1);
    stop();
  });

  test("waits as long as requested", async () => {
    using thread = threadOf();
    const storage = new Shelf();
    const stop = persist(thread, { name, storage, throttle: 50, version: 7 });
    thread.update({ topic: "x" });
    await pass(49);
    expect(storage.writes).toEqual([]);
    await pass(1);
    expect(storage.writes.length).toBe(1);
    expect(JSON.parse(storage.writes[0] as string)).toEqual({
      state: JSON.parse(JSON.stringify(thread)) as object,
      version: 7,
    });
    stop();
  });

  test("waits for the page to be idle, and is then due in as long again", async () => {
    const asked: [() => void, unknown][] = [];
    const cancelled: unknown[] = [];
    vi.stubGlobal("requestIdleCallback", (...args: [() => void, unknown]) => asked.push(args));
    vi.stubGlobal("cancelIdleCallback", (handle: number) => cancelled.push(handle));
    using thread = threadOf();
    const storage = new Shelf();
    const stop = persist(thread, { name, storage });
    thread.update({ topic: "x" });
    await pass(1_000);
    expect([asked.length, asked[0]?.[1], storage.writes.length]).toEqual([1, { timeout: 1_000 }, 0]);
    asked[0]?.[0]();
    expect(storage.writes.length).toBe(1);
    thread.update({ topic: "y" });
    await pass(1_000);
    stop();
    expect(cancelled).toContain(2);
    expect(storage.writes.length).toBe(2);
  });

  test("is done by flush() at once, with changes that the thread has not reported yet", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new Shelf();
    const stop = persist(thread, { name, storage });
    await stop.flush();
    expect(storage.writes).toEqual([]);
    hear(thread, text("1", "b"));
    void stop.flush();
    expect(storage.contents(name)).toEqual(["ab"]);
    await stop.flush();
    await pass(5_000);
    expect(storage.writes.length).toBe(1);
    stop();
  });

  test("ends with stop(), which saves what is not saved yet", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new Shelf();
    const stop = persist(thread, { name, storage });
    hear(thread, text("1", "b"));
    stop();
    expect(storage.contents(name)).toEqual(["ab"]);
    hear(thread, text("1", "c"));
    stop();
    await stop.flush();
    await pass(5_000);
    expect(storage.writes.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of a thread that was freed has no more to do", async () => {
    const thread = threadOf(ai("1", "a"));
    const storage = new Shelf();
    const onError = vi.fn();
    const stop = persist(thread, { name, storage, onError });
    thread.dispose();
    await stop.flush();
    stop();
    expect([storage.writes, onError.mock.calls]).toEqual([[], []]);
  });
});

describe("a save that fails", () => {
  test("is reported once, keeps the saved record, and is retried with the next change", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new Shelf();
    const errors: ThreadfoldError[] = [];
    const stop = persist(thread, { name, storage, onError: (error) => void errors.push(error) });
    thread.update({ topic: "x" });
    await pass(1_000);
    const before = storage.kept.get(name);
    const quota = (storage.broken = new Error("QuotaExceededError"));
    for (let part = 0; part < 3; part++) {
      hear(thread, text("1", "b"));
      await pass(2_000);
    }
    expect(errors).toEqual([expect.objectContaining({ code: "STORAGE_FAILED", cause: quota })]);
    expect(errors[0]?.message).toContain("'chat'");
    expect(storage.kept.get(name)).toBe(before);
    storage.broken = undefined;
    await pass(5_000);
    expect(storage.kept.get(name)).toBe(before);
    hear(thread, text("1", "c"));
    await pass(1_000);
    expect(storage.contents(name)).toEqual(["abbbc"]);
    storage.broken = quota;
    thread.update({ topic: "y" });
    await stop.flush();
    expect(errors.length).toBe(2);
    storage.broken = undefined;
    stop();
    expect(storage.kept.get(name)).toContain('"topic":"y"');
  });

  test("is reported to the thread's error listeners, if there is no onError", async () => {
    using thread = threadOf();
    const storage = new Shelf();
    storage.broken = new Error("full");
    const listener = vi.fn();
    thread.on("error", listener);
    const stop = persist(thread, { name, storage });
    thread.update({ topic: "x" });
    await stop.flush();
    expect(listener.mock.calls).toEqual([
      [expect.objectContaining({ code: "STORAGE_FAILED", cause: storage.broken }), undefined],
    ]);
    stop();
  });

  test("may fail for the thread's own sake", async () => {
    using thread = threadOf();
    const storage = new Shelf();
    const errors: string[] = [];
    const stop = persist(thread, { name, storage, onError: ({ code }) => void errors.push(code) });
    const circle: Record<string, unknown> = {};
    thread.update({ circle });
    circle["self"] = circle;
    await stop.flush();
    expect([errors, storage.writes]).toEqual([["INVALID_ARGUMENT"], []]);
    stop();
  });
});

describe("a storage that takes its time", () => {
  test("has one write under way, and then what changed meanwhile", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new SlowShelf();
    const stop = persist(thread, { name, storage });
    hear(thread, text("1", "b"));
    await pass(1_000);
    for (let part = 0; part < 3; part++) {
      hear(thread, text("1", "c"));
      await pass(1_000);
    }
    await storage.answer();
    expect(storage.inner.contents(name)).toEqual(["ab"]);
    await pass(1_000);
    await storage.answer();
    expect(storage.inner.contents(name)).toEqual(["abccc"]);
    expect([storage.mostAtOnce, storage.inner.writes.length]).toEqual([1, 2]);
    stop();
  });

  test("is waited for by flush(), with changes made meanwhile", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new SlowShelf();
    const stop = persist(thread, { name, storage });
    hear(thread, text("1", "b"));
    await pass(1_000);
    hear(thread, text("1", "c"));
    let done = false;
    const flushed = stop.flush().then(() => (done = true));
    stop();
    await storage.answer();
    expect([storage.inner.contents(name), done, storage.isWriting]).toEqual([["ab"], false, true]);
    await storage.answer();
    await flushed;
    expect(storage.inner.contents(name)).toEqual(["abc"]);
    await stop.flush();
    await pass(5_000);
    expect([storage.mostAtOnce, storage.inner.writes.length, vi.getTimerCount()]).toEqual([1, 2, 0]);
  });

  test("that fails is reported, and later changes are tried", async () => {
    using thread = threadOf(ai("1", "a"));
    const storage = new SlowShelf();
    const onError = vi.fn();
    const stop = persist(thread, { name, storage, onError });
    storage.inner.broken = new Error("full");
    hear(thread, text("1", "b"));
    await pass(1_000);
    hear(thread, text("1", "c"));
    await pass(1_000);
    await storage.answer();
    expect(onError.mock.calls.length).toBe(1);
    storage.inner.broken = undefined;
    await pass(1_000);
    await storage.answer();
    expect(storage.inner.contents(name)).toEqual(["abc"]);
    stop();
  });
});

test.each([new Shelf(), new SlowShelf()])(
  "an onError that throws breaks nothing, and its error is uncaught",
  async (storage) => {
    using thread = threadOf();
    const mine = new Error("mine");
    const uncaught: unknown[] = [];
    vi.stubGlobal("queueMicrotask", (call: () => void) => {
      try {
        call();
      } catch (error) {
        uncaught.push(error);
      }
    });
    try {
      const stop = persist(thread, {
        name,
        storage,
        onError() {
          throw mine;
        },
      });
      (storage instanceof SlowShelf ? storage.inner : storage).broken = new Error("full");
      thread.update({ topic: "x" });
      const flushed = stop.flush();
      if (storage instanceof SlowShelf) await storage.answer();
      await flushed;
      expect(uncaught).toEqual([mine]);
      stop();
      if (storage instanceof SlowShelf) await storage.answer();
    } finally {
      vi.unstubAllGlobals();
    }
  },
);

test("two that save under one name: the last to save wins, and one without a change does not save", async () => {
  using left = threadOf(human("1", "left"));
  using right = threadOf(human("1", "right"));
  const storage = new Shelf();
  const stops = [left, right].map((thread) => persist(thread, { name, storage }));
  right.update({ topic: "x" });
  await pass(1_000);
  left.update({ topic: "y" });
  await pass(1_000);
  for (const stop of stops) stop();
  expect([storage.writes.length, storage.contents(name)]).toEqual([2, ["left"]]);
});

test("where its run stands is saved, too, though the state stays as it is", async () => {
  using thread = new Thread();
  const storage = new Shelf();
  const stop = persist(thread, { name, storage, throttle: 0 });
  thread.receive({ type: "run-started", runId: "r" });
  await pass(10);
  expect(storage.kept.get(name)).toContain('"submitted"');
  stop();
});
