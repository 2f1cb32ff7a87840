// On the real LangGraph server: what an edit replaced is shown again, and the conversation goes on from there.
import { Thread } from "threadfold";
import { apiTransport, LangGraphRunner } from "threadfold/langgraph";
import { expect, inject, test } from "vitest";

test("a switch shows what an edit replaced, here and on another device", async () => {
  const transport = apiTransport({ apiUrl: inject("langGraph"), assistantId: "chat" });
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, { transport });
  const texts = ({ thread: shown } = runner) => shown.getState().messages.map(({ content }) => content);
  await runner.sendMessage("Count to 2.");
  await runner.sendMessage("Count to 3.");
  await runner.sendMessage("Count to 5.", { messageId: thread.messageIds[2] });
  expect(texts()).toEqual(["Count to 2.", "1 2", "Count to 5.", "1 2 3 4 5"]);
  const { threadId = "" } = thread;
  const all = (await transport.history?.(threadId, { limit: 200 })) ?? [];
  const lastOf = (messages: readonly object[]) => (messages.at(-1) as { content?: unknown } | undefined)?.content;
  const replaced = all.find(({ isInput, messages }) => !isInput && lastOf(messages) === "1 2 3");
  expect((await runner.switchBranch(replaced?.id ?? "")).status).toBe("finished");
  expect(texts()).toEqual(["Count to 2.", "1 2", "Count to 3.", "1 2 3"]);
  expect((await runner.sendMessage("Count to 4.")).status).toBe("finished");
  const other = new LangGraphRunner(new Thread({ threadId }), { transport });
  await other.load();
  expect(texts(other)).toEqual(["Count to 2.", "1 2", "Count to 3.", "1 2 3", "Count to 4.", "1 2 3 4"]);
});
