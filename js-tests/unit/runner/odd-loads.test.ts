// States of a thread that no server should send, and a page's own mistakes: each call of the runner ends all the same.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";

const answer = async function* ({ threadId, runId }: { threadId: string; runId: string }) {
  yield { type: "RUN_STARTED", threadId, runId };
  yield { type: "TEXT_MESSAGE_CHUNK", messageId: runId, delta: "Hello" };
  yield { type: "RUN_FINISHED", threadId, runId };
};

const loading = (found: unknown, options: AgUiRunnerOptions = {}) => {
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, { ...options, transport: { run: answer, load: async () => found as never } });
  return { thread, runner };
};

const USER = { id: "u", role: "user", content: "q" };
const values = { messages: [USER] };
const withCalls = (toolCalls: unknown) => ({
  values: { messages: [USER, { id: "a", role: "assistant", content: "x", toolCalls }] },
  isDone: true,
});

test.each([null, [{ id: "c" }], [{ id: "c", function: null }]])(
  "tool calls of %j leave nothing to the page",
  async (calls) => {
    const { thread, runner } = loading(withCalls(calls), { tools: [{ name: "confirm" }] });
    expect(await runner.load()).toMatchObject({ status: "finished", pendingToolCallIds: [] });
    expect(thread.getState().messages).toHaveLength(2);
    expect((await runner.sendMessage("x")).status).toBe("finished");
  },
);

describe.each([
  ["no values", {}],
  ["values that are a list", { values: [] }],
  ["an interrupt of null", { values, interrupts: [null] }],
  ["interrupts that are no list", { values, interrupts: {} }],
])("a load with %s", (_, found) => {
  test("is the error BAD_RESPONSE, and the conversation goes on", async () => {
    const { runner } = loading(found);
    expect(await runner.load()).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
    expect([runner.status, runner.error?.code, runner.isThreadLoading]).toEqual(["error", "BAD_RESPONSE", false]);
    expect((await runner.sendMessage("x")).status).toBe("finished");
    expect([runner.status, runner.error]).toEqual(["ready", undefined]);
  });

  test("is that over LangGraph, too", async () => {
    const runner = new LangGraphRunner(new Thread({ threadId: "t" }), {
      transport: {
        async *run() {
          yield { event: "metadata", data: { run_id: "r" } };
          yield { event: "values", data: { messages: [] } };
        },
        load: async () => found as never,
        status: () => "success",
      },
    });
    expect(await runner.load()).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
    expect((await runner.sendMessage("x")).status).toBe("finished");
  });
});

test.each([
  ["no state", { messages: [] }],
  ["a state that is a list", { messages: [], state: [] }],
  ["a message of null", { messages: [null], state: {} }],
  ["an interrupt of null", { messages: [], state: {}, interrupts: [null] }],
  ["interrupts that are no list", { messages: [], state: {}, interrupts: {} }],
])("a server's thread with %s is the error BAD_RESPONSE", async (_, told) => {
  const fetch = (async () => Response.json(told)) as typeof globalThis.fetch;
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url: "http://h", resumable: true, fetch });
  expect(await runner.load()).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
});

test("a server's thread may have null where it has nothing", async () => {
  const told = { messages: [USER], state: null, interrupts: null, run: null, next: null, checkpoint: null };
  const fetch = (async () => Response.json(told)) as typeof globalThis.fetch;
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, { url: "http://h", resumable: true, fetch });
  expect(await runner.load()).toMatchObject({ status: "finished", interrupts: [] });
  expect(thread.getState().messages).toEqual([USER]);
});

test("tools that throw are the result's error: the thread is loaded, and the runner goes on", async () => {
  let isReady = false;
  const tools = () => {
    if (!isReady) throw new Error("not ready");
    return [{ name: "confirm" }];
  };
  const call = { id: "c", type: "function", function: { name: "confirm", arguments: "{}" } };
  const { thread, runner } = loading(withCalls([call]), { tools });
  expect(await runner.load()).toMatchObject({ status: "error", error: { code: "RUN_FAILED", message: "not ready" } });
  expect([runner.status, thread.getState().messages.length]).toEqual(["ready", 2]);
  isReady = true;
  expect(await runner.load()).toMatchObject({ status: "finished", pendingToolCallIds: ["c"] });
  expect((await runner.sendMessage("x")).status).toBe("finished");
});

test.each([
  ["AgUiRunner", (thread: Thread) => new AgUiRunner(thread as never, { transport: { run: () => [] } })],
  ["LangGraphRunner", (thread: Thread) => new LangGraphRunner(thread, { transport: { run: () => [] } })],
])("interrupts that a thread has from elsewhere may be any value: %s", (_, open) => {
  const thread = new Thread({ threadId: "t" });
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "run-finished", interrupts: [null, "Which?", 7] as never });
  const runner = open(thread);
  expect(runner.status).toBe("interrupted");
  expect(runner.interrupts.map(({ value }) => value)).toEqual([null, "Which?", 7]);
});

test("a message of a failed run that the server has not kept stays, to be sent again", async () => {
  const thread = new Thread<AgUiState>({ threadId: "t" });
  let fails = true;
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId, messages }) {
        yield { type: "RUN_STARTED", threadId, runId, input: { messages } };
        yield fails ? { type: "RUN_ERROR", message: "model down" } : { type: "RUN_FINISHED", threadId, runId };
      },
      load: async () => ({ values: { messages: [USER] }, isDone: true }),
    },
  });
  await runner.load();
  const shown = () => thread.getState().messages.map(({ content }) => content);
  expect((await runner.sendMessage("an hour of typing")).status).toBe("error");
  expect(await runner.load()).toMatchObject({ status: "error", error: { message: "model down" } });
  expect([shown(), thread.pending.map(({ status }) => status)]).toEqual([["q", "an hour of typing"], ["failed"]]);
  fails = false;
  expect((await runner.retry()).status).toBe("finished");
  expect([shown(), thread.pending]).toEqual([["q", "an hour of typing"], []]);
});
