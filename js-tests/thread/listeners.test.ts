import { Thread } from "threadfold";
import { afterEach, expect, test, vi } from "vitest";
import { ai, hear, human, message, messages, shown, started, streamed, text, threadOf, values, whole } from "./say.js";

/** What is thrown later, by itself, as browsers and Node report it. */
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
  for (const other of others) if (!process.listeners("uncaughtException").includes(other)) process.on("uncaughtException", other);
});

test("a listener hears each change of what is shown, with the state before it, and nothing else", () => {
  using thread = threadOf();
  const heard: unknown[][] = [];
  const initial = thread.getState();
  const end = thread.subscribe((...args) => void heard.push(args));
  hear(thread, started("r"), streamed("1"));
  const first = thread.getState();
  hear(thread, text("1", "a"), whole("1"), messages(ai("1", "a")));
  const second = thread.getState();
  expect(heard).toEqual([[first, initial], [second, first]]);
  expect([heard[0]?.[1] === initial, heard[1]?.[1] === first]).toEqual([true, true]);
  end();
  end();
  thread.update({ topic: "x" });
  expect(heard.length).toBe(2);
  expect(thread.getInitialState()).toBe(initial);
});

test("who comes later is not told of what was before", () => {
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

test("listeners that never stop changing the thread do not hang it", () => {
  using thread = threadOf();
  thread.subscribe((state) => thread.update({ step: ((state["step"] ?? 0) as number) + 1 }));
  thread.update({ step: 0 });
  expect(thread.getState()["step"]).toBeGreaterThan(5);
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

test("what a listener throws is its own: the others hear, the change stands, and it is reported", async () => {
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
  });
  expect(errors.map((error) => (error as Error).message)).toEqual(Array.from({ length: 5 }, () => "mine"));
  expect([other.mock.calls.length, thread.getState()["topic"], shown(thread)]).toEqual([3, "x", ["1 b"]]);
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
  expect(() => thread.on("other" as never, listener as never)).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
});

test("given up, a thread says so, whoever has it", () => {
  const thread = threadOf();
  const op = thread.optimistic({ topic: "x" });
  const listener = vi.fn();
  thread.subscribe(listener);
  thread.free();
  thread.free();
  const calls: (() => unknown)[] = [
    () => thread.getState(),
    () => thread.confirmed,
    () => thread.pending,
    () => thread.message("1"),
    () => thread.update({}),
    () => thread.optimistic({}),
    () => thread.receive(text("1", "a")),
    () => thread.receive(values({})),
    () => thread.toJSON(),
    () => op.status,
    () => op.rollback(),
    () => thread.subscribe(listener),
  ];
  for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: "DISPOSED" }));
  expect(listener).not.toHaveBeenCalled();
});

test("a listener may give the thread up", () => {
  const thread = threadOf();
  const other = vi.fn();
  thread.subscribe(() => thread.free());
  thread.subscribe(other);
  thread.update({ topic: "x" });
  expect(other).not.toHaveBeenCalled();
  expect(() => thread.getState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("a drift listener may give the thread up", () => {
  const thread = new Thread();
  thread.on("drift", () => thread.free());
  hear(thread, message(ai("1", "a")), messages(ai("1", "b")));
  expect(() => thread.getState()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});
