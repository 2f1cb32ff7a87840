// retry() repeats the purpose of the last run, after any earlier failures.
import { textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { StubServer } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";

type AnyThread = Thread<{ messages: readonly { id?: string; content: unknown }[] }>;
type Options = { whileRunning?: "queue" | "refuse" | undefined };

const PROTOCOLS = {
  "AG-UI": {
    wire: agUiWire,
    runner: (thread: AnyThread, { fetch }: StubServer, options: Options = {}) =>
      new AgUiRunner(thread, { url: "http://stub/agent", fetch, ...options }),
    said: ({ messages }: Record<string, unknown>) => messages as { content: string }[],
    answer: ({ resume }: Record<string, unknown>) => (resume as { payload: unknown }[] | undefined)?.[0]?.payload,
  },
  LangGraph: {
    wire: langGraphWire,
    runner: (thread: AnyThread, { fetch }: StubServer, options: Options = {}) =>
      new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch, ...options }),
    said: ({ input }: Record<string, unknown>) =>
      [(input as { messages?: { content: string }[] } | null)?.messages ?? []].flat(),
    answer: ({ command }: Record<string, unknown>) => (command as { resume?: unknown } | undefined)?.resume,
  },
};

const reloaded = (thread: object) => Thread.fromJSON(JSON.parse(JSON.stringify(thread))) as unknown as AnyThread;

describe.each(Object.entries(PROTOCOLS))("%s", (_, { wire, runner: make, said, answer }) => {
  /** A chat in which a message has failed long ago. */
  async function withOld(options?: Options) {
    const server = new StubServer(wire);
    const thread: AnyThread = new Thread();
    const runner = make(thread, server, options);
    server.faults = { refuse: 503 };
    expect((await runner.sendMessage("Old")).status).toBe("error");
    return { server, thread, runner };
  }

  const statuses = (thread: AnyThread) => thread.pending.map(({ status }) => status);
  const lastSaid = (server: StubServer) => said(server.requests.at(-1) ?? {}).map(({ content }) => content);

  test("an old message removes its own run's text, and no answer of another", async () => {
    const { server, thread, runner } = await withOld();
    const [old] = thread.pending;
    const texts = () => thread.getState().messages.map(({ content }) => content);
    expect((await runner.sendMessage()).status).toBe("finished");
    const answered = texts().slice(1);
    expect(answered).toHaveLength(1);
    server.faults = { cut: 99 };
    expect((await runner.retry(old)).status).toBe("finished");
    expect(texts()).toEqual([...answered, "Old", expect.stringContaining("You said Old")]);
  });

  test.each([undefined, "refuse"] as const)("an answer that is refused is sent again (%s)", async (whileRunning) => {
    const { server, thread, runner } = await withOld({ whileRunning });
    expect((await runner.sendMessage("Ask")).status).toBe("interrupted");
    for (const fault of [{ refuse: 502 }, { lose: true }]) {
      server.faults = fault;
      expect((await runner.resume({ value: "left" })).status).toBe("error");
      const requests = server.requests.length;
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect([server.requests.length, statuses(thread)]).toEqual([requests + 1, ["failed"]]);
      expect(answer(server.requests.at(-1) ?? {})).toBe("left");
      expect(lastSaid(server)).not.toContain("Old");
      expect((await runner.sendMessage("Ask")).status).toBe("interrupted");
    }
  });

  test("an answer that a reload has lost is asked for again", async () => {
    const { server, thread, runner } = await withOld();
    await runner.sendMessage("Ask");
    server.faults = { refuse: 503 };
    await runner.resume({ value: "left" });
    const again = reloaded(thread);
    const other = make(again, server);
    expect(await other.retry()).toMatchObject({ status: "interrupted", interrupts: [{ message: "Ask" }] });
    expect([other.status, other.error, statuses(again)]).toEqual(["interrupted", undefined, ["failed"]]);
    expect(await other.resume({ value: "right" })).toMatchObject({ status: "finished" });
    expect(again.getConfirmedState().messages).toEqual(messagesOn(server, wire, again.threadId));
  });

  test("a run without a message runs again without the older one", async () => {
    const { server, thread, runner } = await withOld();
    await runner.sendMessage("Hi");
    server.faults = { refuse: 500 };
    expect((await runner.sendMessage()).status).toBe("error");
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect([lastSaid(server).includes("Old"), statuses(thread), server.requests.length]).toEqual([
      false,
      ["failed"],
      2,
    ]);
  });

  test("a run whose message the server has runs again without the older one", async () => {
    const server = new StubServer(wire);
    const thread: AnyThread = new Thread();
    const runner = make(thread, server);
    await runner.sendMessage("Hi");
    server.faults = { refuse: 503 };
    await runner.sendMessage("Old");
    expect((await runner.sendMessage("Two")).status).toBe("finished");
    thread.optimistic({ messages: "Acknowledged" } as never);
    thread.receive({ type: "run-started", runId: "r" });
    const messages = [
      ...thread.getConfirmedState().messages,
      ...((thread.pending.at(-1)?.update.messages ?? []) as never[]),
    ];
    thread.receive({ type: "values", values: { messages } });
    thread.receive({ type: "run-error", error: new Error("boom") });
    expect(statuses(thread)).toEqual(["failed"]);
    await runner.retry();
    expect([lastSaid(server).includes("Old"), statuses(thread)]).toEqual([false, ["failed"]]);
  });

  test("the last run's messages go out, also after a reload, and the older one alone when it is named", async () => {
    const { server, thread, runner } = await withOld();
    server.faults = { refuse: 500 };
    await runner.sendMessage("Two");
    const again = reloaded(thread);
    const other = make(again, server);
    expect(await other.retry()).toMatchObject({ status: "finished" });
    expect([lastSaid(server), statuses(again)]).toEqual([["Two"], ["failed"]]);
    expect(await other.retry(again.pending[0])).toMatchObject({ status: "finished" });
    expect([lastSaid(server).at(-1), again.pending]).toEqual(["Old", []]);
  });
});

test("AG-UI: an answer whose run fails after it is sent again, an older message is not", async () => {
  const inputs: { resume?: unknown; messages: object[] }[] = [];
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run(input) {
        inputs.push(input);
        const { threadId, runId, resume } = input;
        if (inputs.length === 1) throw new Error("503");
        yield { type: "RUN_STARTED", threadId, runId };
        if (inputs.length === 3) return yield { type: "RUN_ERROR", message: "gateway" };
        const outcome = { type: "interrupt", interrupts: [{ id: "i", reason: "confirm" }] };
        yield { type: "RUN_FINISHED", threadId, runId, ...(!resume && { outcome }) };
      },
    },
  });
  expect((await runner.sendMessage("old")).status).toBe("error");
  expect((await runner.sendMessage("refund")).status).toBe("interrupted");
  expect((await runner.resume({ id: "i", value: true })).status).toBe("error");
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect(inputs[3]?.resume).toEqual([{ interruptId: "i", status: "resolved", payload: true }]);
  expect(inputs[3]?.messages).toHaveLength(1);
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
});

test("messages that failed together go out again in their order, and at the end if the conversation has gone on", async () => {
  const sent: string[][] = [];
  let fails = true;
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId, messages }) {
        sent.push(messages.map((message) => textOf(message as AgUiMessage)));
        yield { type: "RUN_STARTED", threadId, runId };
        if (fails) throw new Error("down");
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  const texts = () => thread.getState().messages.map(textOf);
  await Promise.all(["one", "two", "three"].map((text) => runner.sendMessage(text)));
  fails = false;
  // The first had a run of its own, and failed with an error of its own.
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect([texts(), sent.at(-1)]).toEqual([
    ["one", "two", "three"],
    ["two", "three"],
  ]);
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["two", "three", "one"], []]);
});

test("an answer that is the one before, by its id and its text, is shown", async () => {
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId }) {
        yield { type: "RUN_STARTED", threadId, runId };
        yield { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hello" };
        yield { type: "TEXT_MESSAGE_END", messageId: "a" };
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  await runner.sendMessage("Hi");
  for (let again = 0; again < 2; again++) {
    expect(await runner.regenerate()).toMatchObject({ status: "finished" });
    expect(thread.getState().messages.map(textOf)).toEqual(["Hi", "Hello"]);
    expect([thread.getConfirmedState().messages.length, thread.pending]).toEqual([2, []]);
  }
});
