// Every path of a runner, against a server in the process, over both protocols.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { StubServer, turn, until } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";
import { stubTransport } from "./stub-transport.js";

type AnyThread = Thread<{ messages: readonly { id?: string; content: unknown }[]; mood?: string }>;
type AnyOptions = { whileRunning?: "queue" | "refuse"; rejoinDelays?: number[] };

const BROKEN = {
  code: "NO_CONNECTION",
  message: "The connection to the server broke.",
  cause: { message: "network error" },
};

const PROTOCOLS = {
  "AG-UI": {
    wire: agUiWire,
    runner: (thread: AnyThread, { fetch }: StubServer, options: AnyOptions = {}) =>
      new AgUiRunner(thread, {
        transport: stubTransport(fetch),
        rejoinDelays: [0, 0, 0],
        ...options,
      }),
  },
  LangGraph: {
    wire: langGraphWire,
    runner: (thread: AnyThread, { fetch }: StubServer, options: AnyOptions = {}) =>
      new LangGraphRunner(thread, {
        apiUrl: "http://stub/",
        assistantId: "agent",
        fetch,
        rejoinDelays: [0, 0, 0],
        ...options,
      }),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { wire, runner: make }) => {
  function open(options?: AnyOptions) {
    const server = new StubServer(wire);
    const thread: AnyThread = new Thread();
    const runner = make(thread, server, options);
    const statuses: string[] = [];
    runner.subscribe(() => statuses.push(runner.status));
    return { server, thread, runner, statuses };
  }

  const texts = (thread: AnyThread) => thread.getState().messages.map(({ content }) => content);
  const expectInStep = (thread: AnyThread, server: StubServer) =>
    expect(thread.getConfirmedState().messages).toEqual(messagesOn(server, wire, thread.threadId));

  test("sends, streams and finishes", async () => {
    const { server, thread, runner, statuses } = open();
    const sent = runner.sendMessage("Hi");
    expect([runner.status, texts(thread), thread.pending[0]?.status]).toEqual(["submitted", ["Hi"], "sent"]);
    expect(await sent).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["Hi", "You said Hi, which is message 1."]);
    expect(thread.pending).toEqual([]);
    expectInStep(thread, server);
    expect(statuses).toEqual(["submitted", "streaming", "ready"]);
    expect(await runner.sendMessage("And again")).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
    expect(server.requests).toHaveLength(2);
  });

  test("sends other input fields along", async () => {
    const { server, thread, runner } = open();
    const sent = runner.sendMessage("Hi", { input: { mood: "curious" } });
    expect(thread.getState().mood).toBe("curious");
    await sent;
    expect(server.threads.get(thread.threadId ?? "")?.fields).toEqual({ mood: "curious" });
    expect(thread.getConfirmedState().mood).toBe("curious");
  });

  test("queues messages while a run continues, and sends them together", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 3;
    const first = runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    const second = runner.sendMessage("Two");
    const third = runner.sendMessage("Three");
    expect(thread.pending.map(({ status }) => status).slice(-2)).toEqual(["pending", "pending"]);
    server.release();
    expect(await Promise.all([first, second, third])).toMatchObject(
      ["finished", "finished", "finished"].map((status) => ({ status })),
    );
    expect(server.requests).toHaveLength(2);
    expect(texts(thread)).toEqual([
      "One",
      "You said One, which is message 1.",
      "Two",
      "Three",
      "You said Three, which is message 4.",
    ]);
    expectInStep(thread, server);
  });

  test("a message that is rolled back while it waits is not sent, nor is anything else", async () => {
    const { server, thread, runner } = open();
    thread.optimistic({ mood: "mine" }, { manual: true });
    const again = make(thread, server);
    server.holdAt = 3;
    const first = again.sendMessage("One");
    await until(() => again.status === "streaming");
    const second = again.sendMessage("Two");
    thread.pending.at(-1)?.rollback();
    server.release();
    expect([await first, await second]).toMatchObject([{ status: "finished" }, { status: "stopped" }]);
    expect([server.requests.length, runner.status, thread.pending.length]).toEqual([1, "ready", 1]);
    expectInStep(thread, server);
  });

  test("refuses it when asked to, and shows nothing", async () => {
    const { thread, runner } = open({ whileRunning: "refuse" });
    const first = runner.sendMessage("One");
    expect(await runner.sendMessage("Two")).toMatchObject({ error: { code: "BUSY" } });
    expect(texts(thread)).toEqual(["One"]);
    expect(await first).toMatchObject({ status: "finished" });
    expect(await runner.sendMessage("Two")).toMatchObject({ status: "finished" });
  });

  test("a refused request fails what it carried, with the HTTP status; a retry sends it", async () => {
    const { server, thread, runner } = open();
    server.faults = { refuse: 503 };
    const end = await runner.sendMessage("Hi");
    expect(end).toMatchObject({ status: "error", error: { status: 503, code: "BAD_RESPONSE" } });
    expect(end.error?.message).toMatch(/^The server answered \d+: no$/);
    expect([runner.status, runner.error, thread.pending[0]?.status]).toEqual(["error", end.error, "failed"]);
    const kept = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object) as unknown as AnyThread;
    expect(make(kept, server).error).toMatchObject({ status: 503 });
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect([runner.error, texts(thread)]).toEqual([undefined, ["Hi", "You said Hi, which is message 1."]]);
    expectInStep(thread, server);
  });

  test("a request that is lost fails; the next message goes without it, and its retry after that", async () => {
    const { server, thread, runner } = open();
    server.faults = { lose: true };
    expect(await runner.sendMessage("One")).toMatchObject({
      status: "error",
      error: { code: "NO_CONNECTION", message: "The server could not be reached.", cause: { message: "fetch failed" } },
    });
    expect(await runner.sendMessage("Two")).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["One", "Two", "You said Two, which is message 1."]);
    expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
    expect(texts(thread).slice(0, 3)).toEqual(["Two", "You said Two, which is message 1.", "One"]);
    expectInStep(thread, server);
    expect(thread.pending).toEqual([]);
  });

  test("a run that fails on the server can be retried", async () => {
    const { server, thread, runner } = open();
    expect(await runner.sendMessage("Fail")).toMatchObject({
      status: "error",
      error: { message: "The model hung up." },
    });
    expect(runner.status).toBe("error");
    server.isMended = true;
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
    expect(thread.pending).toEqual([]);
  });

  test("a connection that breaks in mid-run is joined after the last part", async () => {
    const { server, thread, runner, statuses } = open();
    server.faults = { cut: 4, joins: ["lose", 503, { cut: 1 }] };
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
    expect(server.joins).toEqual(["4", "5"]);
    expectInStep(thread, server);
    expect(statuses.at(-1)).toBe("ready");
  });

  test("a connection that breaks before the run's first part is joined from its start", async () => {
    const { server, thread, runner } = open();
    server.faults = { cut: 0 };
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
    expect(server.requests).toHaveLength(1);
    expectInStep(thread, server);
  });

  test("when patience is out the run is disconnected; new messages wait; rejoin continues", async () => {
    const { server, thread, runner } = open();
    server.faults = { cut: 4, joins: ["lose", "lose", "lose", "lose"] };
    const end = await runner.sendMessage("Hi");
    expect(end).toMatchObject({ status: "disconnected", error: BROKEN });
    expect([runner.status, thread.run.status]).toEqual(["disconnected", "disconnected"]);
    server.faults = { joins: ["lose", "lose", "lose", "lose", "lose"] };
    expect(await runner.sendMessage("Two")).toMatchObject({ status: "disconnected" });
    expect(thread.pending.at(-1)?.status).toBe("pending");
    server.faults = {};
    expect(await runner.load()).toMatchObject({ status: "finished" });
    await until(() => runner.status === "ready");
    expect(server.requests).toHaveLength(2);
    expectInStep(thread, server);
    expect(thread.pending).toEqual([]);
  });

  test("without automatic rejoining it waits for load()", async () => {
    const { server, thread, runner } = open({ rejoinDelays: [] });
    server.faults = { cut: 4 };
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "disconnected" });
    expect(server.joins).toEqual([]);
    server.faults = { joins: [{ cut: 1 }] };
    expect(await runner.retry()).toMatchObject({ status: "disconnected" });
    expect(await runner.load()).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
  });

  test.each([404, 410])("a run that is gone when retry() joins it (%i) is made again at once", async (gone) => {
    const { server, thread, runner } = open({ rejoinDelays: [] });
    server.faults = { cut: 3 };
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "disconnected" });
    const held = server.threads.get(thread.threadId ?? "");
    await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
    if (held) held.messages = [];
    server.faults = { joins: ["lose", gone] };
    const waits = runner.sendMessage("Two");
    expect(await waits).toMatchObject({ status: "disconnected" });
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(texts(thread).map((text) => String(text).split(",")[0])).toEqual(["Hi", "Two", "You said Two"]);
    expectInStep(thread, server);
    expect([server.requests.length, thread.pending, runner.status]).toEqual([2, [], "ready"]);
  });

  test("a run fails that is gone with its message, and load() does not make it again by itself", async () => {
    const { server, thread, runner } = open({ rejoinDelays: [] });
    server.faults = { cut: 3 };
    await runner.sendMessage("Hi");
    await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
    const held = server.threads.get(thread.threadId ?? "");
    if (held) held.messages = [];
    server.faults = { joins: [404] };
    expect(await runner.load()).toMatchObject({ status: "error", error: { status: 404 } });
    expect([thread.run.status, server.requests.length]).toEqual(["error", 1]);
  });

  test.each([401, 403])("a join that is answered by %i leaves the way to join again", async (refusal) => {
    const { server, thread, runner } = open({ rejoinDelays: [] });
    server.faults = { cut: 3 };
    await runner.sendMessage("Hi");
    const expectRefused = (end: object) =>
      expect([end, runner.status, runner.error]).toMatchObject([
        { status: "disconnected", error: { status: refusal } },
        "disconnected",
        { status: refusal },
      ]);
    server.faults = { joins: [refusal, refusal] };
    expectRefused(await runner.load());
    expectRefused(await runner.retry());
    expect(await runner.load()).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
    expect([server.requests.length, thread.pending]).toEqual([1, []]);
  });

  test("stops: the text stays, and the conversation continues", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 5;
    const sent = runner.sendMessage("Hi");
    await until(() => texts(thread).length === 2);
    await runner.stop();
    expect(await sent).toMatchObject({ status: "stopped" });
    expect([runner.status, thread.run.status, texts(thread).length]).toEqual(["ready", "ready", 2]);
    expect([...server.runs.values()][0]?.isCancelled).toBe(true);
    server.release();
    expect(await runner.sendMessage("Again")).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
  });

  test("stopped before the server answers, the sent messages go out with the next one", async () => {
    const { server, thread, runner } = open();
    server.holdAnswers = true;
    server.holdAt = 1;
    const sent = runner.sendMessage("One");
    await turn();
    const stopped = runner.stop();
    expect(await sent).toMatchObject({ status: "stopped" });
    expect([runner.status, thread.pending.map(({ status }) => status)]).toEqual(["ready", ["pending"]]);
    server.release();
    await stopped;
    expect(await runner.sendMessage("Two")).toMatchObject({ status: "finished" });
    expect(texts(thread)[0]).toBe("One");
    expectInStep(thread, server);
    expect(thread.pending).toEqual([]);
  });

  test("queued messages go out after a stop", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 5;
    const first = runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    const second = runner.sendMessage("Two");
    const stopped = runner.stop();
    server.release();
    await stopped;
    expect([await first, await second]).toMatchObject([{ status: "stopped" }, { status: "finished" }]);
    expectInStep(thread, server);
  });

  test("asks, and continues with the answer; messages sent meanwhile wait for it", async () => {
    const { server, thread, runner } = open();
    const end = await runner.sendMessage("Ask");
    expect(end).toMatchObject({ status: "interrupted", interrupts: [{ value: { question: "Ask" } }] });
    expect([runner.status, runner.interrupts]).toEqual(["interrupted", end.interrupts]);
    expect(runner.interrupts).toBe(runner.interrupts);
    expect(await runner.sendMessage("Meanwhile")).toMatchObject({ status: "interrupted" });
    expect(server.requests).toHaveLength(1);
    expect(await runner.resume({ value: "left" })).toMatchObject({ status: "finished" });
    await until(() => thread.pending.length === 0);
    await until(() => runner.status === "ready");
    expect(texts(thread)).toEqual([
      "Ask",
      expect.stringMatching(/^You chose .*left/) as string,
      "Meanwhile",
      "You said Meanwhile, which is message 3.",
    ]);
    expectInStep(thread, server);
    expect([runner.interrupts, server.requests.length]).toEqual([[], 3]);
  });

  test("several questions are answered by their ids, all of them", async () => {
    const { thread, runner } = open();
    await runner.sendMessage("Ask twice");
    const [one, two] = runner.interrupts;
    await expect(runner.resume({ value: 1 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(runner.resume([])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(runner.status).toBe("interrupted");
    const answers = [one, two].map((interrupt, at) => ({ id: interrupt?.id, value: at }));
    expect(await runner.resume(answers)).toMatchObject({ status: "finished" });
    expect(texts(thread).at(-1)).toMatch(/0.*1/);
    expect(await runner.resume({ value: 1 })).toMatchObject({ error: { code: "INVALID_STATE" } });
  });

  test("an answer that does not arrive leaves the question open; retry sends it again", async () => {
    const { server, thread, runner } = open();
    await runner.sendMessage("Ask");
    for (const fault of [{ refuse: 500 }, { lose: true }]) {
      server.faults = fault;
      expect(await runner.resume({ value: "left" })).toMatchObject({ status: "error" });
      expect([runner.status, runner.interrupts.length]).toEqual(["error", 1]);
    }
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(texts(thread).at(-1)).toMatch(/^You chose .*left/);
    expectInStep(thread, server);
  });

  test("stop puts a question aside, and stopping its answer before it arrives leaves it open", async () => {
    const { server, thread, runner } = open();
    await runner.sendMessage("Ask");
    server.holdAnswers = true;
    server.faults = { lose: true };
    const resumed = runner.resume({ value: "left" });
    void runner.stop();
    expect(await resumed).toMatchObject({ status: "stopped" });
    expect([runner.status, runner.interrupts.length]).toEqual(["interrupted", 1]);
    server.faults = {};
    server.release();
    await runner.stop();
    expect([runner.status, runner.interrupts]).toEqual(["ready", []]);
    expect(await runner.sendMessage("Never mind")).toMatchObject({ status: "finished" });
    expectInStep(thread, server);
  });

  test("a reload in mid-run: rejoin continues where it was, and waiting messages go out", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 6;
    void runner.sendMessage("Hi");
    await until(() => texts(thread).length === 2);
    void runner.sendMessage("Two");
    const record = JSON.parse(JSON.stringify(thread)) as object;
    runner.dispose();
    expect(thread.run.status).toBe("disconnected");
    await expect(runner.sendMessage("Three")).rejects.toMatchObject({ code: "DISPOSED" });

    const again = Thread.fromJSON(record) as unknown as AnyThread;
    const other = make(again, server);
    expect([other.status, other.error]).toMatchObject(["disconnected", { code: "NO_CONNECTION" }]);
    server.release();
    expect(await other.load()).toMatchObject({ status: "finished" });
    await until(() => other.status === "ready");
    expect(
      texts(again)
        .map(String)
        .map((text) => text.split(",")[0]),
    ).toEqual(["Hi", "You said Hi", "Two", "You said Two"]);
    expectInStep(again, server);
    expect([again.pending, server.requests.length]).toEqual([[], 2]);
  });

  test("dispose lets the run continue, and its promises end", async () => {
    const { server, thread, runner, statuses } = open();
    server.holdAt = 5;
    const first = runner.sendMessage("Hi");
    await until(() => runner.status === "streaming");
    const second = runner.sendMessage("Two");
    runner.dispose();
    expect([(await first).status, (await second).status]).toEqual(["disconnected", "disconnected"]);
    expect([...server.runs.values()].map(({ isCancelled }) => isCancelled)).toEqual([false]);
    const told = statuses.length;
    server.release();
    await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
    const other = make(thread, server);
    expect(await other.load()).toMatchObject({ status: "finished" });
    await until(() => other.status === "ready");
    expectInStep(thread, server);
    expect(statuses).toHaveLength(told);
  });

  test("a thread that is freed in mid-run ends the promise with DISPOSED", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 5;
    const sent = runner.sendMessage("Hi");
    await until(() => runner.status === "streaming");
    thread.dispose();
    server.release();
    await expect(sent).rejects.toMatchObject({ code: "DISPOSED" });
    await expect(runner.sendMessage("Two")).rejects.toMatchObject({ code: "DISPOSED" });
  });

  test("rejoin, stop and retry with nothing to do", async () => {
    const { server, runner } = open();
    expect(await runner.load()).toMatchObject({ status: "finished" });
    await runner.stop();
    expect(await runner.retry()).toMatchObject({ error: { code: "INVALID_STATE" } });
    await expect(runner.retry("none")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect([runner.status, server.requests]).toEqual(["ready", []]);
  });
});

test("a run that is joined and has no end fails", async () => {
  const thread = new Thread<AgUiState>();
  let connections = 0;
  const begin = (runId: string) => [
    { type: "RUN_STARTED", threadId: "t", runId },
    { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
  ];
  const runner = new AgUiRunner(thread, {
    transport: { run: ({ runId }) => begin(runId), join: ({ runId }) => (connections++, begin(runId)) },
    rejoinDelays: [0, 0],
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  expect(connections).toBe(2);
  expect(thread.pending[0]?.status).toBe("failed");
});

test("without a way to join, a run that broke off fails", async () => {
  const server = new StubServer(agUiWire);
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, { url: "http://stub/agent", fetch: server.fetch });
  server.faults = { cut: 3 };
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: BROKEN });
  expect(thread.pending[0]?.status).toBe("failed");
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(server, agUiWire, thread.threadId));
});
