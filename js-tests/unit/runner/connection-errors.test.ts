// A runner's words for errors on the way to the server, for the reader of the chat.
import { Thread, ThreadfoldError, type AgUiState } from "threadfold";
import { AgUiRunner, httpTransport, type AgUiTransport } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test, vi } from "vitest";

const BROKEN = {
  code: "NO_CONNECTION",
  message: "The connection to the server broke.",
  cause: { message: "terminated" },
};

/** A runner with a way of its own to an agent whose connection breaks in the middle of a run. */
const breaking = (own: Partial<AgUiTransport> = {}) =>
  new AgUiRunner(new Thread<AgUiState>(), {
    transport: {
      async *run({ threadId, runId }) {
        yield { type: "RUN_STARTED", threadId, runId };
        throw new TypeError("terminated");
      },
      ...own,
    },
    rejoinDelays: [0],
  });

test("an agent's own connection error is reported in the same words, whether the run can be joined or not", async () => {
  const failed = breaking();
  expect(await failed.sendMessage("Hi")).toMatchObject({ status: "error", error: BROKEN });
  const join = () => Promise.reject(new TypeError("terminated"));
  const lost = breaking({ join });
  expect(await lost.sendMessage("Hi")).toMatchObject({ status: "disconnected", error: BROKEN });
  expect(lost.error).toBe(lost.error);
  // The record of a page that was left keeps the raw words.
  const record = JSON.parse(JSON.stringify(lost.thread)) as object;
  const after = new AgUiRunner(Thread.fromJSON(record) as unknown as Thread<AgUiState>, {
    transport: { ...httpTransport({ url: "/agent" }), join },
  });
  expect([after.status, after.error]).toMatchObject(["disconnected", { code: BROKEN.code, message: BROKEN.message }]);
});

test.each([true, false])(
  "a run that a reload cut off has an error at once, also if it can be joined: %s",
  async (canJoin) => {
    let begun: () => void = () => {};
    const streaming = new Promise<void>((resolve) => (begun = resolve));
    const left = breaking({
      async *run({ threadId, runId }) {
        yield { type: "RUN_STARTED", threadId, runId };
        begun();
        await new Promise<never>(() => {});
      },
    });
    const sent = left.sendMessage("Hi");
    await streaming;
    const record = JSON.parse(JSON.stringify(left.thread)) as object;
    left.dispose();
    // It was left: nothing broke.
    expect(await sent).toMatchObject({ status: "disconnected" });
    const thread = Thread.fromJSON(record) as unknown as Thread<AgUiState>;
    expect([thread.run.status, thread.run.error]).toEqual(["disconnected", undefined]);
    const join = () => Promise.reject(new TypeError("terminated"));
    const runner = new AgUiRunner(thread, {
      transport: { ...httpTransport({ url: "/agent" }), ...(canJoin && { join }) },
    });
    const { error } = runner;
    expect(runner.status).toBe("disconnected");
    expect(error).toBeInstanceOf(ThreadfoldError);
    expect(error).toMatchObject({ code: BROKEN.code, message: BROKEN.message });
    expect(error).not.toHaveProperty("cause");
    expect(runner.error).toBe(error);
    // An error without a message is reported as it is.
    thread.receive({ type: "run-error", error: undefined });
    expect(runner.error).toMatchObject({ message: "undefined", code: "RUN_FAILED" });
  },
);

test("while a broken connection is rejoined, no error is shown", async () => {
  let fail: (why: Error) => void = () => {};
  const joining = new Promise<never>((_, reject) => (fail = reject));
  const runner = breaking({ join: () => joining });
  const seen: [status: string, hasError: boolean][] = [];
  runner.subscribe(() => seen.push([runner.status, runner.error !== undefined]));
  const sent = runner.sendMessage("Hi");
  await vi.waitFor(() => expect(runner.thread.run.status).toBe("disconnected"));
  expect([runner.status, runner.error]).toEqual(["disconnected", undefined]);
  fail(new TypeError("terminated"));
  expect(await sent).toMatchObject({ status: "disconnected", error: BROKEN });
  expect([runner.status, runner.error]).toMatchObject(["disconnected", BROKEN]);
  expect(seen.filter(([status]) => status !== "streaming")).toEqual([
    ["submitted", false],
    ["disconnected", false],
    ["disconnected", true],
  ]);
});

test("an error that an agent throws before a run is the agent's", async () => {
  const run = () => Promise.reject(new Error("No key."));
  expect(await breaking({ run }).sendMessage("Hi")).toMatchObject({ status: "error", error: { message: "No key." } });
});

test("an answer that is a page is reported without advice about fetch", async () => {
  const fetch = async () => new Response("<p>Sign in", { headers: { "content-type": "text/html" } });
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "http://stub/agent", fetch });
  const message = "The server answered 200 with text/html, not with text/event-stream: <p>Sign in";
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE", message } });
});

const own = new RangeError("The proxy is off.");
const throwing = (what: unknown) => (): never => {
  throw what as Error;
};

test.each<[string, () => unknown, object]>([
  ["rejects with an error of its own", async () => throwing(own)(), { code: "NO_CONNECTION", cause: own }],
  ["throws at once", throwing(own), { code: "NO_CONNECTION", cause: own }],
  ["throws a text", throwing("off"), { code: "NO_CONNECTION", cause: "off" }],
  ["returns nothing", async () => undefined, { code: "BAD_RESPONSE" }],
  ["returns a number", async () => 5, { code: "BAD_RESPONSE" }],
  ["returns an object", async () => ({}), { code: "BAD_RESPONSE" }],
])("a fetch of your own that %s fails the run with a code, over both protocols", async (_, fetch, error) => {
  const options = { fetch: fetch as typeof globalThis.fetch };
  for (const runner of [
    new AgUiRunner(new Thread<AgUiState>(), { url: "http://stub/agent", ...options }),
    new LangGraphRunner(new Thread(), { apiUrl: "http://stub", assistantId: "a", ...options }),
  ]) {
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error });
    expect(runner.error).toBeInstanceOf(ThreadfoldError);
  }
});

test("an address without an origin is reported, where no page has one", async () => {
  const error = { code: "INVALID_ARGUMENT", message: "Outside a page an address must be absolute: '/agent' is not." };
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "/agent" });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error });
  vi.stubGlobal("location", { href: "http://page/" });
  try {
    expect(await runner.retry()).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  } finally {
    vi.unstubAllGlobals();
  }
});

test("LangGraph's name of an error is its serverCode, the same object each time", async () => {
  const words = { error: "RuntimeError", message: "The model hung up." };
  const parts = `event: metadata\ndata: {"run_id":"r1"}\n\nevent: error\ndata: ${JSON.stringify(words)}\n\n`;
  const fetch = async (url: string | URL | Request) =>
    String(url).endsWith("/threads")
      ? Response.json({ thread_id: "t1" })
      : new Response(parts, { headers: { "content-type": "text/event-stream" } });
  const runner = new LangGraphRunner(new Thread(), { apiUrl: "http://stub", assistantId: "a", fetch });
  const { status, error } = await runner.sendMessage("Hi");
  expect(status).toBe("error");
  expect(error).toMatchObject({ code: "RUN_FAILED", serverCode: words.error, message: words.message, cause: words });
  expect(runner.error).toBe(error);
});

test("a message that is rolled back while a broken connection is rejoined runs nothing", async () => {
  let runs = 0;
  let join: (events: object[]) => void = () => {};
  const joined = new Promise<object[]>((resolve) => (join = resolve));
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId }) {
        runs += 1;
        yield { type: "RUN_STARTED", threadId, runId };
        throw new TypeError("terminated");
      },
      join: () => joined as never,
    },
    rejoinDelays: [],
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "disconnected" });
  const sent = runner.sendMessage("Never mind");
  thread.pending.at(-1)?.rollback();
  const { id: runId } = thread.run;
  join([
    { type: "RUN_STARTED", threadId: thread.threadId, runId },
    { type: "RUN_FINISHED", threadId: thread.threadId, runId },
  ]);
  expect(await sent).toMatchObject({ status: "stopped" });
  expect([runs, runner.status]).toEqual([1, "ready"]);
});
