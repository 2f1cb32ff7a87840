// Faults of a server, a listener or the page that a runner must outlive, over both protocols.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, runInput } from "threadfold/ag-ui";
import { foldLangGraph, LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { StubServer, turn, until } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";
import { stubTransport } from "./stub-transport.js";

/** How long a cancel is waited for where more is done meanwhile, on a busy machine too. */
const LONG = 250;

const OPEN = {
  "AG-UI": (cancelTimeout = 20) => {
    const server = new StubServer(agUiWire);
    const { fetch } = server;
    const thread = new Thread();
    const runner = new AgUiRunner(thread as unknown as Thread<AgUiState>, {
      transport: stubTransport(fetch),
      rejoinDelays: [0, 0],
      cancelTimeout,
    });
    return { server, thread, runner, inStep: () => messagesOn(server, agUiWire, thread.threadId) };
  },
  LangGraph: (cancelTimeout = 20) => {
    const server = new StubServer(langGraphWire);
    const { fetch } = server;
    const thread = new Thread();
    const options = { apiUrl: "http://stub", assistantId: "agent", rejoinDelays: [0, 0] };
    const runner = new LangGraphRunner(thread, { ...options, fetch, cancelTimeout });
    return { server, thread, runner, inStep: () => messagesOn(server, langGraphWire, thread.threadId) };
  },
};

describe.each(Object.entries(OPEN))("%s", (_, open) => {
  test("a cancel that is never answered holds the next message up for a while, which shows", async () => {
    const { server, thread, runner, inStep } = open(LONG);
    Object.assign(server, { holdAt: 4, hangCancels: true });
    const first = runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    const stopped = runner.stop();
    expect(await first).toMatchObject({ status: "stopped" });
    const second = runner.sendMessage("Two");
    await turn();
    expect([runner.status, server.requests.length]).toEqual(["submitted", 1]);
    await stopped;
    server.release();
    expect(await second).toMatchObject({ status: "finished" });
    expect([runner.status, thread.pending]).toEqual(["ready", []]);
    await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
    expect(inStep().length).toBeGreaterThan(0);
  });

  test("a stop before the server has sent anything of the run keeps the message for the next run", async () => {
    const { server, thread, runner } = open();
    Object.assign(server, { holdAt: 1 });
    const first = runner.sendMessage("One");
    await until(() => thread.run.id !== undefined);
    await runner.stop();
    expect(await first).toMatchObject({ status: "stopped" });
    expect(thread.pending).toMatchObject([{ status: "pending" }]);
    server.release();
    expect(await runner.sendMessage("Two")).toMatchObject({ status: "finished" });
    expect(JSON.stringify(server.requests.at(-1))).toMatch(/One.*Two/);
    expect(thread.pending).toEqual([]);
  });

  test("a message that is rolled back while it waits for the cancel runs nothing", async () => {
    const { server, thread, runner } = open(LONG);
    Object.assign(server, { holdAt: 4, hangCancels: true });
    void runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    const stopped = runner.stop();
    await until(() => runner.status === "ready");
    const second = runner.sendMessage("Two");
    thread.pending.at(-1)?.rollback();
    await stopped;
    expect(await second).toMatchObject({ status: "stopped" });
    expect([runner.status, server.requests.length]).toEqual(["ready", 1]);
  });

  test("dispose ends the waiting for a cancel", async () => {
    const { server, runner } = open(1_000_000);
    Object.assign(server, { holdAt: 4, hangCancels: true });
    void runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    const stopped = runner.stop();
    await until(() => runner.status === "ready");
    const second = runner.sendMessage("Two");
    runner.dispose();
    await stopped;
    expect(await second).toMatchObject({ status: "disconnected" });
    await turn();
    expect(server.requests.length).toBe(1);
  });

  test("a listener's message goes out with the one it was notified of, and both promises report so", async () => {
    const { server, thread, runner } = open();
    let inner: Promise<unknown> | undefined;
    thread.subscribe(() => (inner ??= runner.sendMessage("Inner")));
    const outer = runner.sendMessage("Outer");
    expect([await outer, await inner]).toMatchObject([{ status: "finished" }, { status: "finished" }]);
    expect(server.requests.length).toBe(1);
  });

  test("an empty list of messages is ignored: the agent runs with its own", async () => {
    const { server, runner } = open();
    expect(await runner.sendMessage([])).toMatchObject({ status: "finished" });
    expect(server.requests.length).toBe(1);
  });

  test("a thread that was freed has no run under way", async () => {
    const { server, thread, runner } = open();
    server.holdAt = 4;
    const sent = runner.sendMessage("One");
    await until(() => runner.status === "streaming");
    thread.dispose();
    expect(runner.status).toBe("ready");
    runner.dispose();
    expect((await sent).status).toBe("disconnected");
  });

  test("a stream that ends between two tokens, as if it were over, is joined", async () => {
    for (let cut = 1; cut <= 6; cut++) {
      for (const end of ["close", "half"] as const) {
        const { server, thread, runner, inStep } = open();
        // An end right after a state looks like any other run's.
        if (cut === 2 && runner instanceof LangGraphRunner) continue;
        server.faults = { cut, end };
        expect([cut, end, await runner.sendMessage("Hi")]).toMatchObject([cut, end, { status: "finished" }]);
        expect(server.joins.length).toBe(1);
        expect(thread.getConfirmedState().messages).toEqual(inStep());
      }
    }
  });
});

const STREAM = { headers: { "content-type": "text/event-stream" } };

function answering(body: string, options: Partial<LangGraphRunnerOptions> = {}) {
  const thread = new Thread({ threadId: "t" });
  const fetch = async () => new Response(body, STREAM);
  return { thread, runner: new LangGraphRunner(thread, { apiUrl: "http://x", assistantId: "a", fetch, ...options }) };
}

test.each(["", "<html>502</html>", ": heartbeat\n\n"])("an answer without events, %j, has failed", async (body) => {
  const { thread, runner } = answering(body);
  const error = { code: "BAD_RESPONSE", message: "The server answered without an event of a run." };
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error });
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
});

test("without states, a stream ends after a task's updates, unless that is in an event", async () => {
  const whole = `event: metadata\ndata: {"run_id":"r"}\n\nevent: messages\ndata: [{"type":"AIMessageChunk","id":"a","content":"Hel"},{}]\n\nevent: updates\ndata: {"model":{"messages":[{"type":"ai","id":"a","content":"Hel"}]}}\n\n`;
  const options = { streamMode: [], rejoinDelays: [] };
  expect((await answering(whole, options).runner.sendMessage("Hi")).status).toBe("finished");
  for (const half of [
    "id: 2\n",
    "id: 2\nevent: messages",
    `event: messages\nda`,
    `event: messages\ndata: [{"type":"AI`,
  ]) {
    expect((await answering(whole + half, options).runner.sendMessage("Hi")).status).toBe("disconnected");
    const thread = new Thread();
    await foldLangGraph(thread, new Response(whole + half, STREAM));
    expect(thread.run).toMatchObject({ id: "r", status: "disconnected" });
  }
});

test.each([
  ["a page", () => new Response("<html>login</html>", { headers: { "content-type": "text/html" } })],
  ["no thread_id", () => Response.json({})],
  ["nothing", () => Response.json(null)],
])("a thread that the server makes by answering %s is none", async (_, answer) => {
  const asked: string[] = [];
  const fetch = async (url: RequestInfo | URL) => {
    asked.push(String(url));
    return answer();
  };
  const runner = new LangGraphRunner(new Thread(), { apiUrl: "http://x", assistantId: "a", fetch });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
  expect(asked).toEqual(["http://x/threads"]);
});

test("AG-UI: a run that fails after the answers is given them once more", async () => {
  const resumed: unknown[] = [];
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: {
      async *run({ threadId, runId, resume }) {
        resumed.push(resume);
        yield { type: "RUN_STARTED", threadId, runId };
        const outcome = { type: "interrupt", interrupts: [{ id: "i", reason: "May I?" }] };
        if (resumed.length === 2) yield { type: "RUN_ERROR", message: "overloaded" };
        else yield { type: "RUN_FINISHED", threadId, runId, ...(!resume && { outcome }) };
      },
    },
  });
  await runner.sendMessage("Hi");
  expect((await runner.resume({ value: true })).status).toBe("error");
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect(resumed[2]).toEqual([{ interruptId: "i", status: "resolved", payload: true }]);
  expect(resumed[2]).toEqual(resumed[1]);
});

test("AG-UI: a message that cannot be sent fails alone", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const server = new StubServer(agUiWire);
  const thread = new Thread();
  const open = () =>
    new AgUiRunner(thread as unknown as Thread<AgUiState>, { url: "http://stub/agent", fetch: server.fetch });
  const runner = open();
  const bad = { role: "user", content: "Bad", extra: circle } as never;
  expect((await runner.sendMessage(bad)).status).toBe("error");
  for (const other of [runner, open()]) {
    expect(await other.sendMessage("Ask")).toMatchObject({ status: "interrupted" });
    expect(await other.resume({ value: 1 })).toMatchObject({ status: "finished" });
  }
  expect(runInput(thread).messages.length).toBe(server.threads.get(thread.threadId ?? "")?.messages.length);
});
