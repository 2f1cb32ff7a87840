// An answer goes out again only by retry() of the run that failed with it.
import { expect, test } from "vitest";
import { settled, told } from "./told-agent.js";

test("retry() of another program's failed run does not send the answer of an earlier one again", async () => {
  const { thread, runner, calls } = told();
  const asked = runner.sendMessage("Pay");
  await settled();
  calls[0]?.begin().ask("i");
  expect((await asked).status).toBe("interrupted");
  const answered = runner.resume({ value: true });
  await settled();
  calls[1]?.begin().finish();
  expect((await answered).status).toBe("finished");
  thread.receive({ type: "run-started", runId: "other" });
  thread.receive({ type: "run-error", error: new Error("overloaded") });
  const again = runner.retry();
  await settled();
  calls[2]?.begin().finish();
  expect((await again).status).toBe("finished");
  expect(calls.map(({ input }) => input?.resume !== undefined)).toEqual([false, true, false]);
});

test("retry() of the run that failed with the answer sends it again", async () => {
  const { runner, calls } = told();
  const asked = runner.sendMessage("Pay");
  await settled();
  calls[0]?.begin().ask("i");
  await asked;
  const answered = runner.resume({ value: true });
  await settled();
  calls[1]?.begin().fail();
  expect((await answered).status).toBe("error");
  const again = runner.retry();
  await settled();
  calls[2]?.begin().finish();
  expect((await again).status).toBe("finished");
  expect(calls[2]?.input?.resume).toEqual(calls[1]?.input?.resume);
});
