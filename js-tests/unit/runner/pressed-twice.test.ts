// Buttons that a user presses at the wrong moment: no promise rejects, and the result says why nothing was done.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";

function chat() {
  const sent: string[] = [];
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: [{ id: "c1", name: "send", args: {} }] },
    tools: [tool({ name: "send", run: () => void sent.push("sent") })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  return { runner: new AgUiRunner(new Thread<AgUiState>(), { transport: graphTransport(agent) }), sent };
}

const approve = { value: { decisions: [{ type: "approve" }] } };

test("approve, twice: the first answer counts", async () => {
  const { runner, sent } = chat();
  await runner.sendMessage("Write.");
  const [first, second] = await Promise.all([runner.resume(approve), runner.resume(approve)]);
  expect(first).toMatchObject({ status: "finished", error: undefined });
  expect(second).toMatchObject({ status: "error", error: { code: "BUSY" } });
  expect(await runner.resume(approve)).toMatchObject({ status: "error", error: { code: "INVALID_STATE" } });
  expect(sent).toEqual(["sent"]);
});

test("regenerate and an edit while a question is open: it stays open", async () => {
  const { runner } = chat();
  await runner.sendMessage("Write.");
  const { messages } = runner.thread.getState();
  const open = { status: "interrupted", error: { code: "BUSY" }, interrupts: [{ id: runner.interrupts[0]?.id }] };
  expect(await runner.regenerate()).toMatchObject(open);
  expect(await runner.sendMessage("No.", { messageId: messages[0]?.id as string })).toMatchObject(open);
  expect(runner.thread.getState().messages).toBe(messages);
  expect(await runner.resume(approve)).toMatchObject({ status: "finished" });
});
