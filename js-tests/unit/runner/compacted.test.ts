// The recipes of docs/context.md and docs/long-threads.md together: compact the thread, send its context.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { Context, repairToolCalls } from "threadfold/context";
import { expect, test } from "vitest";

interface Sent {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}

test("a summary without an id is sent with one, the same with each run", async () => {
  const thread = new Thread<AgUiState>();
  const context = new Context({ trigger: { messages: 4 }, keep: { messages: 2 } });
  const sent: Sent[][] = [];
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId, messages }) {
        sent.push(messages as Sent[]);
        yield { type: "RUN_STARTED", threadId, runId };
        yield { type: "TEXT_MESSAGE_CHUNK", messageId: `a${sent.length}`, role: "assistant", delta: "Yes." };
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
    messages: () => repairToolCalls(context.of(thread).messages),
  });
  for (const question of ["One?", "Two?", "Three?", "Four?"]) {
    const { due } = context.of(thread);
    if (due && sent.length < 3) thread.compact(due, "They talked.");
    expect((await runner.sendMessage(question)).status).toBe("finished");
  }
  const [third = [], fourth = []] = sent.slice(2);
  expect(third[0]).toMatchObject({ role: "user", content: expect.stringContaining("They talked.") as string });
  expect(third[0]?.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(fourth[0]).toEqual(third[0]);
  expect(thread.getState().messages).toHaveLength(8);
});
