// A thread into which other code folds a run of its own: the runner waits for it, and does not mistake it for its own.
import { Thread, type AgUiState } from "threadfold";
import { expect, test } from "vitest";
import { settled, stateOf, told } from "./told-agent.js";

const begins = (thread: Thread<AgUiState>) => thread.receive({ type: "run-started", runId: "other" });
const says = (thread: Thread<AgUiState>, id: string) =>
  thread.receive({ type: "message", message: { id, role: "assistant", content: id } });
const ids = (thread: Thread<AgUiState>) => thread.getState().messages.map(({ id }) => id);

test("queued messages go with the run that other code begins, and no second run begins beside it", async () => {
  const { thread, runner, calls } = told();
  const first = runner.sendMessage({ id: "one", role: "user", content: "one" });
  await settled();
  calls[0]?.begin();
  await settled();
  const second = runner.sendMessage({ id: "two", role: "user", content: "two" });
  const wanted = runner.sendMessage();
  runner.subscribe(() => runner.status === "ready" && thread.run.id !== "other" && begins(thread));
  calls[0]?.finish();
  expect(await first).toMatchObject({ status: "finished" });
  await settled();
  expect([thread.run.id, runner.status, calls.length]).toEqual(["other", "streaming", 1]);
  expect(await runner.sendMessage("three")).toMatchObject({ error: { code: "BUSY" } });
  thread.receive({ type: "run-finished" });
  expect(await second).toMatchObject({ status: "finished" });
  await settled();
  // The run without a message is still to be made.
  expect([calls.length, await stateOf(wanted)]).toEqual([2, "pending"]);
  calls[1]?.begin().finish();
  expect(await wanted).toMatchObject({ status: "finished" });
});

test("load() waits for it, and stop() reports that it continues", async () => {
  const { thread, runner } = told();
  begins(thread);
  const joined = runner.load();
  expect(await runner.stop()).toMatchObject({ status: "stopped", error: { code: "BUSY" } });
  expect([await stateOf(joined), thread.run.status]).toEqual(["pending", "submitted"]);
  thread.receive({ type: "run-finished" });
  expect(await joined).toMatchObject({ status: "finished" });
});

test("retry() of a run that failed removes nothing of another program's", async () => {
  const { thread, runner, calls } = told();
  const sent = runner.sendMessage({ id: "one", role: "user", content: "one" });
  await settled();
  calls[0]?.begin().say("mine").finish();
  await sent;
  begins(thread);
  says(thread, "theirs");
  thread.receive({ type: "run-finished" });
  thread.receive({ type: "run-started", runId: "another" });
  thread.receive({ type: "run-error", error: new Error("overloaded") });
  const again = runner.retry();
  await settled();
  expect(ids(thread)).toEqual(["one", "mine", "theirs"]);
  calls[1]?.begin().finish();
  expect(await again).toMatchObject({ status: "finished" });
});

test("a message that a cut run carried is not confirmed by the end of another run", async () => {
  const { thread, runner, calls } = told({ joins: true, rejoinDelays: [] });
  const sent = runner.sendMessage({ id: "one", role: "user", content: "one" });
  await settled();
  calls[0]?.begin().cut();
  expect(await sent).toMatchObject({ status: "disconnected" });
  begins(thread);
  expect(runner.status).toBe("streaming");
  thread.receive({ type: "run-finished" });
  await settled();
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
});
