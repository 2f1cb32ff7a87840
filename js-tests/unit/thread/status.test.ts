// A thread's reports besides its state: the run's status, pending updates, incomplete messages.
import { Thread, ThreadfoldError, type ThreadEvent, type ThreadState } from "threadfold";
import { expect, test, vi } from "vitest";
import {
  ai,
  failed,
  finished,
  hear,
  human,
  reloaded,
  started,
  streamed,
  text,
  threadOf,
  values,
  whole,
} from "./say.js";
import { inside } from "../../support/inside.js";

const disconnected = (error?: unknown): ThreadEvent => ({
  type: "disconnected",
  ...(error === undefined ? {} : { error }),
});
const interrupted = (...interrupts: unknown[]): ThreadEvent => ({ type: "run-finished", interrupts });
const joined = (runId: string, joined: boolean): ThreadEvent => ({ type: "run-started", runId, joined });
const aTask = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("a run by its events", () => {
  using thread = threadOf();
  const steps: [ThreadEvent, object][] = [
    [started("r"), { id: "r", status: "submitted" }],
    [finished, { id: "r", status: "ready" }],
    [disconnected("late"), { id: "r", status: "ready" }],
    [started("s"), { id: "s", status: "submitted" }],
    [
      disconnected("cut"),
      { id: "s", status: "disconnected", error: expect.objectContaining({ code: "NO_CONNECTION", cause: "cut" }) },
    ],
    [disconnected(), { id: "s", status: "disconnected" }],
    [streamed("1"), { id: "s", status: "streaming" }],
    [failed, { id: "s", status: "error", error: expect.objectContaining({ code: "RUN_FAILED", message: "down" }) }],
    [started(), { status: "submitted" }],
    [interrupted({ id: "i" }), { status: "interrupted", interrupts: [{ id: "i" }] }],
    [started("t"), { id: "t", status: "submitted" }],
    [interrupted(), { id: "t", status: "ready" }],
  ];
  expect(thread.run).toMatchObject({ status: "ready" });
  for (const [event, run] of steps) {
    hear(thread, event);
    expect(thread.run, event.type).toStrictEqual(run);
  }
});

test("the id of the last part goes with the run, and not into the next", () => {
  using thread = threadOf();
  const part = { ...text("1", "a"), id: "7" };
  hear(thread, started("r", "5"), { ...streamed("1"), id: "6" }, part, part, { ...text("1", "b"), key: "k" });
  expect(thread.run).toEqual({ id: "r", status: "streaming", lastEventId: "7" });
  hear(thread, finished);
  expect(thread.run.lastEventId).toBe("7");
  hear(thread, started("r2"));
  expect(thread.run).toEqual({ id: "r2", status: "submitted" });
  // Joined from its start: nothing of it is folded any more, so nobody may continue after its seventh part.
  hear(thread, part, started("r2"));
  expect(thread.run.lastEventId).toBeUndefined();
});

test("a client that joins mid-run receives no start, and its run is running", () => {
  using thread = threadOf();
  hear(thread, { ...streamed("1"), id: "6" });
  expect(thread.run).toMatchObject({ status: "streaming", lastEventId: "6" });
});

test("a start is the last run's again when it is marked so, or when that has its id and has not ended", () => {
  const run = [started("r"), streamed("1"), text("1", "a")];
  const shownAfter = (...events: ThreadEvent[]) => {
    using thread = threadOf();
    hear(thread, ...run, ...events);
    return thread.getState().messages.map(({ id }) => id);
  };
  expect(shownAfter(started("r"))).toEqual([]);
  expect(shownAfter(disconnected(), started("r"))).toEqual([]);
  expect(shownAfter(finished, joined("r", true))).toEqual([]);
  expect(shownAfter(started("s"))).toEqual(["1"]);
  expect(shownAfter(started("s"), joined("r", true))).toEqual(["1"]);
});

test("a start under the id of a run that has ended, or that is marked as new, is another run", () => {
  using thread = threadOf();
  hear(thread, started("r"), streamed("1"), text("1", "a"), finished, started("r"));
  const shown = [thread.getState().messages.length];
  hear(thread, streamed("2"), joined("r", false));
  expect([...shown, thread.getState().messages.length]).toEqual([1, 2]);
});

test("pending is the same list when its run is repeated from its start", () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("q", "Hi")] });
  hear(thread, started("r"));
  const { pending } = thread;
  hear(thread, streamed("a"), started("r"));
  expect(thread.pending).toBe(pending);
});

test("run, pending and streaming are the same objects while they are equal", () => {
  using thread = threadOf();
  const op = thread.optimistic({ messages: [human("q", "Hi")] });
  thread.optimistic({ topic: "x" });
  hear(thread, started("r", "1"), streamed("a"));
  const look = () => [thread.run, thread.pending, thread.incompleteIds] as const;
  const [run, pending, streaming] = look();
  expect([run.status, pending.map(({ status }) => status), streaming]).toEqual(["streaming", ["sent", "sent"], ["a"]]);
  hear(thread, text("a", "Hel"), text("nobody", "x"), started("r", "1"));
  thread.update({ other: 1 });
  thread.toJSON();
  look().forEach((now, at) => expect(now).toBe([run, pending, streaming][at]));
  op.fail("no");
  expect(thread.pending).not.toBe(pending);
  expect(thread.pending[1]).toBe(pending[1]);
  expect(thread.pending[0]).toMatchObject({ status: "failed", error: { code: "RUN_FAILED", message: "no" } });
  hear(thread, whole("a"));
  expect(thread.incompleteIds).toEqual([]);
});

test("listeners are notified of pending updates and the run, also when the state is as it was", async () => {
  using thread = threadOf(human("0", "a"));
  const heard: unknown[] = [];
  const op = thread.optimistic({ topic: "x" });
  thread.subscribe(
    (state, previous) => void heard.push([state === previous, thread.pending[0]?.status, thread.run.status]),
  );
  const next = async (...events: ThreadEvent[]) => {
    hear(thread, ...events);
    await aTask();
    return heard.splice(0);
  };
  expect(await next(started("r"))).toEqual([[true, "sent", "submitted"]]);
  expect(await next(disconnected("cut"))).toEqual([[true, "sent", "disconnected"]]);
  expect(await next(failed)).toEqual([[true, "failed", "error"]]);
  op.retry();
  expect(heard.splice(0)).toEqual([[true, "pending", "error"]]);
  const error = new ThreadfoldError("RUN_FAILED", "no");
  op.fail(error);
  expect(heard.splice(0)).toEqual([[true, "failed", "error"]]);
  op.fail(error);
  expect(heard).toEqual([]);
  op.settle();
  expect(heard.splice(0)).toEqual([[true, undefined, "error"]]);
  expect(await next({ ...text("9", "x"), id: "5" })).toEqual([[true, undefined, "error"]]);
  expect(thread.run.lastEventId).toBe("5");
});

test("an update in the hand says where it stands, however many there are", () => {
  using thread = threadOf();
  const made = Array.from({ length: 50 }, (_, at) => thread.optimistic({ [`field ${at}`]: at }));
  hear(thread, started("r"));
  made[7]?.rollback();
  made[8]?.fail("no");
  const count: Record<string, number> = {};
  for (const { status } of made) count[status] = (count[status] ?? 0) + 1;
  expect([count, inside(thread).update("nobody").status]).toEqual([{ sent: 48, done: 1, failed: 1 }, "done"]);
});

test("a page that is loaded anew is not connected, and may join the run", () => {
  using first = threadOf();
  hear(first, started("r", "1"), { ...streamed("1"), id: "2" });
  using thread = reloaded(first);
  expect(thread.run).toEqual({ id: "r", status: "disconnected", lastEventId: "2" });
  hear(thread, { ...text("1", "a"), id: "3" });
  expect(thread.run).toEqual({ id: "r", status: "streaming", lastEventId: "3" });
  hear(thread, interrupted("i"));
  using again = reloaded(thread);
  expect(again.run).toEqual({ id: "r", status: "interrupted", interrupts: ["i"], lastEventId: "3" });
  expect(reloaded(threadOf()).run).toBe(threadOf().run);
});

test("an event that cannot be read leaves the run as it was", () => {
  using thread = threadOf();
  const error = vi.fn();
  thread.on("error", error);
  hear(thread, started("r"));
  const { run } = thread;
  const hostile = Object.defineProperty({ type: "run-finished" }, "interrupts", {
    get: () => {
      throw new Error("mine");
    },
  });
  hear(thread, hostile as ThreadEvent);
  expect([error.mock.calls[0]?.[0].code, thread.run === run]).toEqual(["UNREADABLE_VALUE", true]);
  hear(thread, values({ messages: [ai("1", "a")] }));
  expect(thread.getState().messages.length).toBe(1);
});

test("destructured, a thread's functions work", () => {
  using thread = new Thread<ThreadState & { topic?: string }>();
  const { getState, getInitialState, subscribe } = thread;
  const listener = vi.fn();
  const end = subscribe(listener);
  thread.update({ topic: "x" });
  expect([getState(), getInitialState(), listener.mock.calls.length]).toEqual([thread.getState(), { messages: [] }, 1]);
  end();
  using again = Thread.fromJSON(thread.toJSON());
  const restored = again.getState;
  expect(restored()).toEqual({ messages: [], topic: "x" });
});
