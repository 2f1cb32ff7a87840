// The question of an interrupt in words, as graphs have it.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";

test.each<[value: unknown, message: string | undefined]>([
  ["May I?", "May I?"],
  [{ question: "May I?", to: "Ada" }, "May I?"],
  [{ description: "May I?", action_request: { action: "mail" } }, "May I?"],
  [{ message: "May I?", question: "no", description: "no" }, "May I?"],
  [{ question: "May I?", description: "no" }, "May I?"],
  [{ question: 1 }, undefined],
  [null, undefined],
])("%j is asked", (value, message) => {
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, { apiUrl: "http://x", assistantId: "agent" });
  thread.receive({ type: "run-finished", interrupts: [{ id: "1", value }] });
  expect(runner.interrupts).toMatchObject([{ message, value }]);

  const other = new Thread<AgUiState>();
  const agUi = new AgUiRunner(other, { url: "http://x" });
  other.receive({
    type: "run-finished",
    interrupts: [
      { id: "1", reason: "ask", metadata: value },
      { id: "2", value },
    ],
  });
  expect(agUi.interrupts.map((asked) => asked.message)).toEqual([message, message]);
  other.receive({ type: "run-finished", interrupts: [{ id: "1", message: "First", metadata: value }] });
  expect(agUi.interrupts[0]?.message).toBe("First");
});
