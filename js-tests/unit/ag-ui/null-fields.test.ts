// Servers whose serializer writes null for a field that is left out.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, foldAgUi, runInput } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { type Event, finished, started } from "./agents.js";

async function folded(events: readonly Event[], thread = new Thread<AgUiState>({ threadId: "t1" })) {
  const errors: string[] = [];
  thread.on("error", ({ code }) => errors.push(code));
  await foldAgUi(thread, [started(), ...events, finished()]);
  return { thread, errors, messages: thread.getState().messages, sent: runInput(thread).messages };
}

const without = (event: Event): Event =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)) as Event;

const WITH_NULLS: Record<string, Event[]> = {
  "a message": [
    { type: "TEXT_MESSAGE_START", messageId: "a", role: null, name: null, metadata: null, subagentRunId: null },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "x", metadata: null },
    { type: "TEXT_MESSAGE_END", messageId: "a", metadata: null },
  ],
  "chunks of text": [
    { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: null, name: null, delta: "He" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: null, role: null, name: null, delta: "l" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: null, delta: "lo" },
  ],
  "a first chunk without text": [
    { type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: null },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: null, metadata: null },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: "lo" },
  ],
  "chunks of a tool call": [
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "n", parentMessageId: null, delta: null },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: null, parentMessageId: null, delta: "{" },
    { type: "TOOL_CALL_CHUNK", toolCallId: null, toolCallName: null, parentMessageId: null, delta: "}" },
  ],
  "chunks of reasoning": [
    { type: "REASONING_MESSAGE_CHUNK", messageId: "a", delta: "h" },
    { type: "REASONING_MESSAGE_CHUNK", messageId: null, delta: "m" },
  ],
  "a tool's result": [
    { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "n", parentMessageId: null },
    { type: "TOOL_CALL_END", toolCallId: "c", metadata: null },
    { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "x", role: null },
  ],
  "an activity that is replaced": [
    { type: "ACTIVITY_SNAPSHOT", messageId: "v", activityType: "p", content: { n: 0 } },
    { type: "ACTIVITY_SNAPSHOT", messageId: "v", activityType: "p", content: { n: 1 }, replace: null },
  ],
};

test.each(Object.entries(WITH_NULLS))("null is a field left out: %s", async (_, events) => {
  const { messages, errors } = await folded(events);
  expect(messages).toEqual((await folded(events.map(without))).messages);
  expect(errors).toEqual([]);
});

test("an error's code of null is none", async () => {
  const thread = new Thread();
  await foldAgUi(thread, [started(), { type: "RUN_ERROR", message: "no", code: null }]);
  expect(thread.run.error).toMatchObject({ cause: { message: "no" } });
  expect((thread.run.error as Error).cause).not.toHaveProperty("code");
});

test("a conversation goes on after a message whose role was null", async () => {
  const thread = new Thread<AgUiState>({ threadId: "t1" });
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ runId }) {
        yield started(runId);
        yield { type: "TEXT_MESSAGE_CHUNK", messageId: runId, role: null, delta: "hello" };
        yield finished(runId);
      },
    },
  });
  expect((await runner.sendMessage("one")).status).toBe("finished");
  expect((await runner.sendMessage("two")).status).toBe("finished");
  expect(thread.getState().messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test.each<Event>([
  { type: "TEXT_MESSAGE_START", messageId: "a", role: 7 },
  { type: "TEXT_MESSAGE_START", messageId: "a", name: {} },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "a", name: 7, delta: "x" },
  { type: "TOOL_CALL_RESULT", messageId: "a", toolCallId: "c", content: "x", role: 7 },
  { type: "TOOL_CALL_RESULT", messageId: "a", toolCallId: "c", content: "x", role: {} },
])("%j is refused, and nothing of it is sent", async (event) => {
  const { messages, errors, sent } = await folded([event]);
  expect([messages, errors, sent]).toEqual([[], ["INVALID_ARGUMENT"], []]);
});
