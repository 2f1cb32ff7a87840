// switchBranch: a choice that was stopped, replaced or refused.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { until } from "./stub-server.js";

const STATE = {
  messages: [
    { id: "q", role: "user", content: "Hi" },
    { id: "a", role: "assistant", content: "Hello" },
  ],
  state: {},
  next: [],
};

/** A server that is down, hangs or refuses when it is asked for a switch. */
function open() {
  const at = { isDown: false, hangs: false, refuses: false, asked: [] as unknown[] };
  const fetch = async (url: string, { body, signal }: RequestInit = {}): Promise<Response> => {
    if (at.isDown) throw new TypeError("Failed to fetch");
    if (url.endsWith("/capabilities")) return Response.json({});
    if (!url.endsWith("/checkpoints")) return Response.json(STATE);
    at.asked.push((JSON.parse(String(body)) as { from: unknown }).from);
    if (at.hangs)
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    return Response.json({}, { status: at.refuses ? 500 : 200 });
  };
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
    url: "http://page/agent",
    resumable: true,
    fetch: fetch as typeof globalThis.fetch,
    whileOffline: "wait",
    rejoinDelays: Array.from({ length: 100 }, () => 1),
  });
  return { at, runner };
}

test("a switch that was stopped is not made by a later load, nor by a retry", async () => {
  const { at, runner } = open();
  at.hangs = true;
  const switched = runner.switchBranch("one");
  await until(() => at.asked.length === 1);
  expect(await runner.stop()).toMatchObject({ status: "stopped" });
  expect(await switched).toMatchObject({ status: "stopped" });
  at.hangs = false;
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expect(at.asked).toEqual(["one"]);
});

test("a load right after the stop of a switch does not make that", async () => {
  const { at, runner } = open();
  at.hangs = true;
  const switched = runner.switchBranch("one");
  await until(() => at.asked.length === 1);
  at.hangs = false;
  const [stopped, loaded] = [runner.stop(), runner.load()];
  expect(await stopped).toMatchObject({ status: "stopped" });
  expect(await loaded).toMatchObject({ status: "finished" });
  expect(await switched).toMatchObject({ status: "stopped" });
  expect(at.asked).toEqual(["one"]);
});

test.each(["one", "two"])("offline, a switch to one is replaced by a switch to %s, which is made", async (other) => {
  const { at, runner } = open();
  at.isDown = true;
  const first = runner.switchBranch("one");
  await until(() => runner.status === "disconnected");
  const second = runner.switchBranch(other);
  expect(await first).toMatchObject({ status: "error" });
  at.isDown = false;
  expect(await second).toMatchObject({ status: "finished" });
  expect(at.asked).toEqual([other]);
});

test("a switch that the server refuses is not made again by a retry", async () => {
  const { at, runner } = open();
  at.refuses = true;
  expect(await runner.switchBranch("one")).toMatchObject({ status: "error" });
  at.refuses = false;
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect(at.asked).toEqual(["one"]);
});
