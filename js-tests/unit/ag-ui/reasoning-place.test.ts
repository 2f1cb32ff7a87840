// A model's reasoning comes first in a run: it stands after the message that the run answers.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { expect, test } from "vitest";

interface Asked {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly { readonly id: string; readonly role: string }[];
}

/** Asks twice an agent that reasons; `renamed` says which ids its snapshots give the user's messages. */
async function twoTurns(closes: boolean, renamed: (id: string) => string) {
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const orders: string[] = [];
  const order = () => thread.getState().messages.map(({ role }) => role).join(" "); // prettier-ignore
  thread.subscribe(() => orders.push(order()));
  const kept: object[] = [];
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run(input) {
        const { threadId, runId, messages } = input as unknown as Asked;
        const question = messages.findLast(({ role }) => role === "user");
        const messageId = `a-${runId}`;
        yield { type: "RUN_STARTED", threadId, runId };
        yield { type: "REASONING_MESSAGE_START", messageId: `r-${runId}`, role: "reasoning" };
        yield { type: "REASONING_MESSAGE_CONTENT", messageId: `r-${runId}`, delta: "Hm" };
        yield { type: "REASONING_MESSAGE_END", messageId: `r-${runId}` };
        yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Hello." };
        yield { type: "TEXT_MESSAGE_END", messageId };
        kept.push(
          { ...question, id: renamed(question?.id ?? "") },
          { id: messageId, role: "assistant", content: "Hello." },
        );
        if (closes) yield { type: "MESSAGES_SNAPSHOT", messages: [...kept] as never };
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  await runner.sendMessage("Hi");
  await runner.sendMessage("Again");
  return { order: order(), orders };
}

test.each([
  ["a closing snapshot without the reasoning", true, (id: string) => id],
  ["one that gives the messages other ids", true, (id: string) => `server-${id}`],
  ["no snapshot", false, (id: string) => id],
])("with %s", async (_, closes, renamed) => {
  const { order, orders } = await twoTurns(closes, renamed);
  expect(order).toBe("user reasoning assistant user reasoning assistant");
  expect(orders.filter((shown) => /^reasoning|assistant reasoning/.test(shown))).toEqual([]);
});
