// A server's thread, opened in another page: its state, its interrupts, and the run that continues.
import { Client } from "@langchain/langgraph-sdk";
import { Thread } from "threadfold";
import { clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer, turn, until } from "./stub-server.js";
import { langGraphWire, messagesOn } from "./stub-wires.js";

const server = () => new StubServer(langGraphWire);
const open = ({ fetch }: StubServer, thread: Thread) =>
  new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch, rejoinDelays: [0] });

/** A server with a thread that has this message, and a page that only knows its id. */
async function after(said: string) {
  const stub = server();
  const first = new Thread();
  await open(stub, first).sendMessage(said);
  const thread = new Thread({ threadId: first.threadId });
  return { stub, first, thread, runner: open(stub, thread) };
}

const texts = (thread: Thread) => thread.getState().messages.map(({ content }) => content);
const inStep = (thread: Thread, stub: StubServer) =>
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(stub, langGraphWire, thread.threadId));

test("opens a thread: its messages and its fields, and runs nothing", async () => {
  const { stub, thread, runner } = await after("Hi");
  Object.assign(stub.thread(thread.threadId as string).fields, { todos: [{ content: "Pack", status: "pending" }] });
  expect(await runner.load()).toMatchObject({ status: "finished" });
  inStep(thread, stub);
  expect([texts(thread).length, thread.getConfirmedState().todos?.[0]?.content, runner.status]).toEqual([
    2,
    "Pack",
    "ready",
  ]);
  const before = thread.getState().messages[0];
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expect(thread.getState().messages[0]).toBe(before);
  expect(stub.requests).toHaveLength(1);
});

test("opens what the thread asks, and answers it", async () => {
  const { stub, thread, runner } = await after("Ask");
  const heard: string[] = [];
  runner.subscribe(() => heard.push(runner.status));
  expect(await runner.load()).toMatchObject({ status: "interrupted", interrupts: [{ message: "Ask" }] });
  expect(heard).toEqual(["ready", "interrupted"]);
  expect(await runner.resume({ value: "left" })).toMatchObject({ status: "finished" });
  expect(texts(thread).at(-1)).toBe('You chose "left".');
  inStep(thread, stub);
});

test("a question that was answered elsewhere is open no more", async () => {
  const { stub, first, thread, runner } = await after("Ask");
  await runner.load();
  await open(stub, first).resume({ value: "left" });
  expect(runner.status).toBe("interrupted");
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expect([runner.status, runner.interrupts]).toEqual(["ready", []]);
  inStep(thread, stub);
});

test.each([true, false])(
  "an answer during a load is of the question that was shown; named by its id: %s",
  async (isNamed) => {
    const { stub, first, thread, runner } = await after("Ask");
    await runner.load();
    const [asked] = runner.interrupts;
    const elsewhere = open(stub, first);
    await elsewhere.resume({ value: "left" });
    expect((await elsewhere.sendMessage("Ask")).status).toBe("interrupted");
    const loaded = runner.load();
    const answered = runner.resume({ ...(isNamed && { id: asked?.id }), value: "right" });
    expect((await loaded).status).toBe("interrupted");
    const [now] = runner.interrupts;
    expect(now?.id).not.toBe(asked?.id);
    expect(await answered).toMatchObject({
      status: "interrupted",
      error: { code: "INVALID_STATE" },
      interrupts: [now],
    });
    expect(runner.interrupts).toEqual([now]);
    inStep(thread, stub);
    // Another id than any so far is a mistake.
    await expect(runner.resume({ id: "none", value: "right" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await runner.resume({ value: "right" })).toMatchObject({ status: "finished" });
    inStep(thread, stub);
  },
);

test("joins the run that continues, and then sends messages queued meanwhile", async () => {
  const { stub, first, thread, runner } = await after("Hi");
  stub.holdAt = 5;
  const other = open(stub, first).sendMessage("Two");
  await until(() => first.incompleteIds.length > 0);
  const loaded = runner.load();
  const sent = runner.sendMessage("Three");
  await until(() => thread.incompleteIds.length > 0);
  expect([runner.status, thread.pending.map(({ status }) => status)]).toEqual(["streaming", ["pending"]]);
  stub.release();
  expect([await loaded, await sent, await other].map(({ status }) => status)).toEqual(Array(3).fill("finished"));
  expect(texts(thread).slice(2)).toEqual([
    "Two",
    "You said Two, which is message 3.",
    "Three",
    "You said Three, which is message 5.",
  ]);
  inStep(thread, stub);
  expect([thread.pending, stub.requests.length]).toEqual([[], 3]);
});

test("a stop stops the run that it joined", async () => {
  const { stub, first, thread, runner } = await after("Hi");
  stub.holdAt = 5;
  void open(stub, first).sendMessage("Two");
  await until(() => first.incompleteIds.length > 0);
  const loaded = runner.load();
  await until(() => thread.incompleteIds.length > 0);
  await runner.stop();
  expect(await loaded).toMatchObject({ status: "stopped" });
  expect([...stub.runs.values()].at(-1)?.isCancelled).toBe(true);
  stub.release();
});

test("pending updates stay: failed, manual, and waiting ones", async () => {
  const { stub, first } = await after("Hi");
  const thread = new Thread({ threadId: first.threadId });
  stub.faults = { refuse: 500 };
  await open(stub, thread).sendMessage("Refused");
  thread.optimistic({ messages: "By hand" }, { manual: true });
  const runner = open(stub, thread);
  expect(await runner.load()).toMatchObject({ status: "error" });
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed", "pending"]);
  expect(texts(thread).sort()).toEqual(["By hand", "Hi", "Refused", "You said Hi, which is message 1."]);
  inStep(thread, stub);
});

test("a thread that the server does not know, or that has no id, is empty", async () => {
  const stub = server();
  for (const threadId of ["unknown", undefined]) {
    const thread = new Thread({ threadId });
    expect(await open(stub, thread).load()).toMatchObject({ status: "finished" });
    expect(thread.getState()).toEqual(new Thread().getState());
  }
});

test("a server that refuses the state changes nothing, and shows until it answers", async () => {
  const { stub, thread, runner } = await after("Hi");
  const heard: string[] = [];
  runner.subscribe(() => heard.push(runner.status));
  stub.faults = { refuse: 503 };
  const end = await runner.load();
  expect(end).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE", status: 503 } });
  expect([runner.status, runner.error, texts(thread), heard]).toEqual(["error", end.error, [], ["ready", "error"]]);
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expect([runner.status, runner.error]).toEqual(["ready", undefined]);
  inStep(thread, stub);
});

const down = () => Promise.reject<Response>(new TypeError("Failed to fetch"));
const callerOptions = { fetch: down, maxRetries: 0 };

test.each([
  ["the runner", { apiUrl: "http://stub", assistantId: "agent", fetch: down }],
  [
    "a client of the SDK",
    {
      transport: clientTransport(new Client({ apiUrl: "http://stub", apiKey: null, callerOptions }), {
        assistantId: "agent",
      }),
    },
  ],
])("a server that cannot be reached by %s is an error, as for a message", async (_, options) => {
  const runner = new LangGraphRunner(new Thread({ threadId: "t" }), options);
  const error = {
    code: "NO_CONNECTION",
    message: "The server could not be reached.",
    cause: { message: expect.stringContaining("Failed to fetch") as string },
  };
  expect(await runner.load()).toMatchObject({ status: "error", error });
  expect([runner.status, runner.error]).toMatchObject(["error", error]);
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error });
});

test("a page in place of the state is a BAD_RESPONSE", async () => {
  const fetch = async () => new Response("<p>Sign in", { headers: { "content-type": "text/html" } });
  const runner = open({ fetch } as unknown as StubServer, new Thread({ threadId: "t" }));
  expect(await runner.load()).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
});

test("retry loads what could not be loaded; a message that is sent instead ends the error", async () => {
  for (const how of ["retry", "send"] as const) {
    const { stub, thread, runner } = await after("Hi");
    stub.faults = { refuse: 503 };
    await runner.load();
    expect(await (how === "retry" ? runner.retry() : runner.sendMessage("Two"))).toMatchObject({ status: "finished" });
    expect([runner.status, runner.error]).toEqual(["ready", undefined]);
    expect(texts(thread)[0]).toBe("Hi");
    inStep(thread, stub);
  }
});

test("disposed of before the server answers, it folds nothing", async () => {
  const { thread, runner } = await after("Hi");
  const loaded = runner.load();
  runner.dispose();
  expect(await loaded).toMatchObject({ status: "disconnected" });
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(texts(thread)).toEqual([]);
  await expect(runner.load()).rejects.toMatchObject({ code: "DISPOSED" });
});

test("by a client of the SDK", async () => {
  const { stub, first } = await after("Ask");
  const callerOptions = { fetch: stub.fetch, maxRetries: 0 };
  const client = new Client({ apiUrl: "http://stub", apiKey: null, callerOptions });
  const thread = new Thread({ threadId: first.threadId });
  const runner = new LangGraphRunner(thread, { transport: clientTransport(client, { assistantId: "agent" }) });
  expect(await runner.load()).toMatchObject({ status: "interrupted", interrupts: [{ message: "Ask" }] });
  inStep(thread, stub);
  const none = new LangGraphRunner(new Thread({ threadId: "unknown" }), {
    transport: clientTransport(client, { assistantId: "agent" }),
  });
  expect(await none.load()).toMatchObject({ status: "finished" });
});

test.each([
  ["/runs", {}],
  ["/runs", 5],
  ["/runs", [null]],
  ["/state", null],
  ["/state", "x"],
  ["/state", { values: 5 }],
  ["/state", { values: {}, tasks: 5 }],
  ["/state", { values: {}, tasks: [null] }],
])("a server whose %s answers %j gave a bad response", async (path, answer) => {
  const fetch = (input: RequestInfo | URL) =>
    Promise.resolve(
      Response.json(new URL(String(input)).pathname.endsWith(path) ? answer : path === "/runs" ? { values: {} } : []),
    );
  const thread = new Thread({ threadId: "t" });
  const runner = new LangGraphRunner(thread, { apiUrl: "http://server", assistantId: "agent", fetch });
  expect(await runner.load()).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE" } });
  expect(thread.getState()).toEqual({ messages: [] });
});

test("reports that a thread opens, not that one is loaded again", async () => {
  const { runner } = await after("Hi");
  const heard: unknown[] = [];
  runner.subscribe(() => heard.push([runner.isThreadLoading, runner.thread.messageIds.length]));
  expect(runner.isThreadLoading).toBe(false);
  const opened = runner.load();
  expect(runner.isThreadLoading).toBe(true);
  await opened;
  expect(heard).toEqual([
    [true, 0],
    [false, 2],
  ]);
  await runner.load();
  expect(heard).toHaveLength(2);
});

test("reports that no thread opens any more when the server cannot be reached", async () => {
  const { stub, runner } = await after("Hi");
  stub.faults = { refuse: 503 };
  const opened = runner.load();
  expect(runner.isThreadLoading).toBe(true);
  expect(await opened).toMatchObject({ status: "error" });
  expect([runner.isThreadLoading, runner.status]).toEqual([false, "error"]);
});

test("an answer in the middle of a load goes out after it", async () => {
  const { thread, stub, runner } = await after("Ask");
  await runner.load();
  const loaded = runner.load();
  const twice = [runner.resume({ value: "left" }), runner.resume({ value: "left" })];
  expect(await Promise.allSettled(twice)).toMatchObject([
    { value: { status: "finished" } },
    { value: { status: "error", error: { code: "BUSY" } } },
  ]);
  expect(await loaded).toMatchObject({ status: "interrupted" });
  expect(texts(thread).at(-1)).toBe('You chose "left".');
  inStep(thread, stub);
});

test("an answer in the middle of a load that finds the question answered is refused", async () => {
  const { stub, first, runner } = await after("Ask");
  await runner.load();
  await open(stub, first).resume({ value: "right" });
  const loaded = runner.load();
  expect(await runner.resume({ value: "left" })).toMatchObject({ error: { code: "INVALID_STATE" } });
  expect(await loaded).toMatchObject({ status: "finished" });
});

test("an answer in the middle of a load that joins a run is refused before that has ended", async () => {
  const { stub, first, thread, runner } = await after("Ask");
  await runner.load();
  stub.holdAt = 3;
  const other = open(stub, first).resume({ value: "right" });
  await until(() => first.run.lastEventId === "2");
  const loaded = runner.load();
  expect(await runner.resume({ value: "left" })).toMatchObject({ error: { code: "BUSY" } });
  stub.release();
  await Promise.all([loaded, other]);
  inStep(thread, stub);
});

test.each([
  ["regenerate()", (runner: LangGraphRunner) => runner.regenerate(), ["Hi", "You said Hi, which is message 1."]],
  [
    "an edit",
    (runner: LangGraphRunner) => runner.sendMessage("Hello", { messageId: runner.thread.messageIds[0] as string }),
    ["Hello", "You said Hello, which is message 1."],
  ],
])("%s in the middle of a load goes by what that has brought", async (_, again, said) => {
  const { stub, first, thread, runner } = await after("Hi");
  await runner.load();
  await open(stub, first).sendMessage("More");
  const loaded = runner.load();
  expect(await again(runner).catch((error: unknown) => error)).toMatchObject({ status: "finished" });
  expect(await loaded).toMatchObject({ status: "finished" });
  expect(texts(thread)).toEqual(_ === "an edit" ? said : expect.arrayContaining(said));
  inStep(thread, stub);
});

test("a message in the middle of a load is queued, also where a run would refuse it", async () => {
  const { stub, thread } = await after("Hi");
  const options = { apiUrl: "http://stub", assistantId: "agent", fetch: stub.fetch, whileRunning: "refuse" } as const;
  const runner = new LangGraphRunner(thread, options);
  const loaded = runner.load();
  const sent = runner.sendMessage("Two");
  expect(texts(thread)).toEqual(["Two"]);
  expect([await loaded, await sent]).toMatchObject([{ status: "finished" }, { status: "finished" }]);
  expect(texts(thread)).toEqual(["Hi", "You said Hi, which is message 1.", "Two", "You said Two, which is message 3."]);
});
