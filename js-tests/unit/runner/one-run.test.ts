// At most one run of a runner is under way, and another program's run of the thread is waited for.
import { Thread, type AgUiState } from "threadfold";
import { expect, test } from "vitest";
import { settled, told } from "./told-agent.js";

/** A thread whose run was cut off. */
function cut(): Thread<AgUiState> {
  const thread = new Thread<AgUiState>();
  thread.receive({ type: "run-started", runId: "before" });
  thread.receive({ type: "disconnected" });
  return thread;
}

test("a listener that sends when the rejoined run ends begins no second run beside the queue's", async () => {
  const { runner, calls, joined } = told({ joins: true }, cut());
  const sent = [runner.sendMessage("a")];
  runner.subscribe(() => {
    if (runner.status === "ready" && sent.length === 1) sent.push(runner.sendMessage("b"), runner.sendMessage("c"));
  });
  await settled();
  joined[0]?.begin().finish();
  await settled();
  expect(calls.length).toBe(1);
  calls[0]?.begin().finish();
  await settled();
  for (const call of calls.slice(1)) call.begin().finish();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
  expect(calls.at(-1)?.texts).toEqual(["a", "b", "c"]);
});
