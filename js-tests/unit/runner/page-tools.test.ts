// Tools of the page over a reload, and messages that the page sends in place of the thread's.
import { Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions, type RunAgentInput } from "threadfold/ag-ui";
import { repairToolCalls } from "threadfold/context";
import { expect, test } from "vitest";

const tools = [{ name: "clock", description: "", parameters: {} }];
const reloaded = (thread: object) =>
  Thread.fromJSON(JSON.parse(JSON.stringify(thread))) as unknown as Thread<AgUiState>;

/** An agent that calls these tools, one after the other, with these arguments. */
function calling(
  calls: Record<string, string>,
  options: Partial<AgUiRunnerOptions> = {},
  thread = new Thread<AgUiState>(),
) {
  const inputs: RunAgentInput[] = [];
  const runner = new AgUiRunner(thread, {
    tools,
    transport: {
      async *run(input) {
        inputs.push(input);
        const { threadId, runId } = input;
        yield { type: "RUN_STARTED", threadId, runId };
        if (inputs.length === 1)
          for (const [toolCallName, delta] of Object.entries(calls)) {
            const toolCallId = `c-${toolCallName}`;
            yield { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: "a" };
            yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
            yield { type: "TOOL_CALL_END", toolCallId };
          }
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
    ...options,
  });
  return { thread, runner, inputs };
}

test("after a reload rejoin reports which calls of the page's tools wait", async () => {
  const { thread, runner } = calling({ clock: "", serverside: "{}" });
  expect((await runner.sendMessage("Hi")).pendingToolCallIds).toEqual(["c-clock", "c-serverside"]);
  const after = calling({}, {}, reloaded(thread)).runner;
  const told = { status: "finished", pendingToolCallIds: ["c-clock"] };
  expect(await after.load()).toMatchObject(told);
  await after.sendMessage({ role: "tool", toolCallId: "c-clock", content: "noon" });
  expect(await after.load()).toMatchObject({ status: "finished" });
});

test("neither half a call, which a stop left, nor one before the user's last message waits", async () => {
  const half = calling({ clock: '{"zone":' });
  await half.runner.sendMessage("Hi");
  expect(await calling({}, {}, reloaded(half.thread)).runner.load()).toMatchObject({ status: "finished" });
  const old = calling({ clock: "{}" });
  await old.runner.sendMessage("Hi");
  await old.runner.sendMessage("Never mind");
  expect(await calling({}, {}, reloaded(old.thread)).runner.load()).toMatchObject({ status: "finished" });
});

test("the page sends other messages than it shows: repaired, or fewer, and never what is not to be sent", async () => {
  const given: (readonly AgUiMessage[])[] = [];
  let thread: Thread<AgUiState> | undefined;
  let choose = (messages: readonly AgUiMessage[]): readonly object[] =>
    repairToolCalls(messages, { waiting: "answer" });
  const chat = calling({ clock: '{"zone":' }, { messages: (messages) => (given.push(messages), choose(messages)) });
  ({ thread } = chat);
  const { runner, inputs } = chat;
  await runner.sendMessage("Hi");
  await runner.sendMessage("And?");
  expect(inputs[1]?.messages).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "tool", toolCallId: "c-clock" },
    { role: "user", content: "And?" },
  ]);
  expect(given[1]).toHaveLength(3);
  expect(thread.getState().messages).toHaveLength(3);

  const failed = thread.optimistic({ messages: { id: "f", role: "user", content: "Failed" } });
  failed.fail(new Error("503"));
  const summary = { type: "human", id: "s", content: "Summary" };
  choose = () => [summary, ...(thread?.getState().messages.slice(-2) ?? [])];
  await runner.sendMessage("Three");
  expect(inputs[2]?.messages).toMatchObject([
    { role: "user", content: "Summary" },
    { role: "user", content: "Three" },
  ]);

  choose = () => "none" as never;
  expect(await runner.sendMessage("Four")).toMatchObject({ status: "error", error: { code: "INVALID_ARGUMENT" } });
});

test("queued messages are not sent, also if the page would", async () => {
  const inputs: RunAgentInput[] = [];
  const thread = new Thread<AgUiState>();
  const runner: AgUiRunner = new AgUiRunner(thread, {
    messages: () => thread.getState().messages,
    transport: {
      async *run(input) {
        inputs.push(input);
        const { threadId, runId } = input;
        yield { type: "RUN_STARTED", threadId, runId };
        const interrupts = [{ id: "i", reason: "confirm" }];
        yield {
          type: "RUN_FINISHED",
          threadId,
          runId,
          ...(inputs.length === 1 && { outcome: { type: "interrupt", interrupts } }),
        };
      },
    },
  });
  await runner.sendMessage("Ask");
  await runner.sendMessage("Queued");
  expect(await runner.resume({ value: true })).toMatchObject({ status: "finished" });
  expect(inputs[1]?.messages).toMatchObject([{ content: "Ask" }]);
});
