// A runner's listeners, beside getters that are read first, and listeners that dispose.
import { expect, test } from "vitest";
import { settled, told } from "./told-agent.js";

test("a change that a getter has seen before is reported all the same, once", async () => {
  const { thread, runner, calls } = told();
  thread.subscribe(() => void runner.status);
  const seen: string[] = [];
  runner.subscribe(() => seen.push(runner.status));
  const sent = runner.sendMessage("Hi");
  await settled();
  calls[0]?.begin();
  await settled();
  expect(seen).toEqual(["submitted", "streaming"]);
  calls[0]?.finish();
  await sent;
  expect(seen).toEqual(["submitted", "streaming", "ready"]);
});

test("the end of another program's run is reported, whoever reads first", () => {
  const { thread, runner } = told();
  thread.subscribe(() => void runner.interrupts);
  const seen: unknown[] = [];
  runner.subscribe(() => seen.push([runner.status, runner.interrupts.length]));
  thread.receive({ type: "run-started", runId: "other" });
  thread.flush();
  thread.receive({ type: "run-finished", interrupts: [{ id: "i", reason: "confirmation" }] });
  thread.flush();
  thread.flush();
  expect(seen).toEqual([
    ["streaming", 0],
    ["interrupted", 1],
  ]);
});

test("a listener that disposes of the thread while the run is stopped leaves no call unsettled", async () => {
  const { thread, runner, calls } = told();
  const sent = runner.sendMessage("Hi");
  await settled();
  expect(calls.length).toBe(1);
  thread.subscribe(() => {
    if (thread.isDisposed || thread.pending[0]?.status !== "pending") return;
    runner.dispose();
    thread.dispose();
  });
  const stopped = runner.stop();
  expect(await sent).toMatchObject({ status: "stopped" });
  expect(await stopped).toMatchObject({ status: "stopped" });
});
