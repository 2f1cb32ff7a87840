// Calls that come while a run is stopped, a thread is loaded or an interrupt is open. Each has its turn, and reports
// its result.
import { Thread, type AgUiState } from "threadfold";
import { clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { langGraphWire } from "./stub-wires.js";
import { settled, stateOf, told } from "./told-agent.js";

const user = (id: string) => ({ id, role: "user" as const, content: id });
const restored = (thread: object) =>
  Thread.fromJSON(JSON.parse(JSON.stringify(thread))) as unknown as Thread<AgUiState>;
const statuses = (thread: { pending: readonly { status: string }[] }) => thread.pending.map(({ status }) => status);

test("a run without a message, asked for while a question is open, is made once that is answered", async () => {
  const { runner, calls } = told();
  const asked = runner.sendMessage("Pay");
  await settled();
  calls[0]?.begin().ask("i");
  await asked;
  expect(await runner.sendMessage()).toMatchObject({ status: "interrupted" });
  const answered = runner.resume({ value: true });
  await settled();
  calls[1]?.begin().finish();
  expect(await answered).toMatchObject({ status: "finished" });
  await settled();
  expect(calls.length).toBe(3);
});

test("the calls that a joined run leaves are in the result of the message that joined it", async () => {
  const thread = new Thread<AgUiState>();
  thread.receive({ type: "run-started", runId: "before" });
  thread.receive({ type: "disconnected" });
  const { runner, calls, joined } = told({ joins: true, tools: [{ name: "confirm" }] as never }, thread);
  const sent = runner.sendMessage(user("a"));
  await settled();
  joined[0]
    ?.begin()
    .send({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "confirm" })
    .send({ type: "TOOL_CALL_END", toolCallId: "c" })
    .finish();
  await settled();
  calls[0]?.begin().finish();
  expect(await sent).toMatchObject({ status: "finished", pendingToolCallIds: ["c"] });
});

test("an edit that is refused leaves a broken run as it was", async () => {
  const { thread, runner, calls } = told();
  const sent = runner.sendMessage(user("one"));
  await settled();
  calls[0]?.begin();
  await settled();
  runner.dispose();
  await sent;
  const again = told({}, restored(thread));
  expect(again.thread.run.status).toBe("disconnected");
  const three = [user("x"), user("y"), user("z")];
  await expect(again.runner.sendMessage(three, { messageId: "one" })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  expect([again.thread.run.status, statuses(again.thread)]).toEqual(["disconnected", ["sent"]]);
});

test("each new part of a stream without ids gives the joins new patience", async () => {
  const { runner, calls, joined } = told({ joins: true, rejoinDelays: [0] });
  const sent = runner.sendMessage("Hi");
  await settled();
  calls[0]?.begin().cut();
  for (let at = 0; at < 4; at++) {
    await settled();
    const join = joined[at]?.begin();
    for (let part = 0; part <= at; part++) join?.say(`a${part}`);
    if (at < 3) join?.cut();
    else join?.finish();
  }
  expect(await sent).toMatchObject({ status: "finished" });
  expect(joined.length).toBe(4);
});

test("a stop after a reload, before the server has sent anything, keeps the message for the next run", async () => {
  const { thread, runner, calls } = told({ joins: true });
  const sent = runner.sendMessage("Hi");
  await settled();
  calls[0]?.begin();
  await settled();
  runner.dispose();
  await sent;
  const again = told({ joins: true }, restored(thread));
  expect(await again.runner.stop()).toMatchObject({ status: "stopped" });
  expect(statuses(again.thread)).toEqual(["pending"]);
});

test("a second stop rolls back an answer that waits for the first", async () => {
  let stopped = (): void => {};
  const { runner, calls } = told({ cancel: () => new Promise<void>((resolve) => (stopped = resolve)) });
  const asked = runner.sendMessage("Pay");
  await settled();
  calls[0]?.begin().ask("i");
  await asked;
  const first = runner.resume({ value: true });
  await settled();
  calls[1]?.begin();
  await settled();
  const stops = [runner.stop()];
  expect(await first).toMatchObject({ status: "stopped" });
  const second = runner.resume({ value: true }).catch(({ code }: { code: string }) => code);
  stops.push(runner.stop());
  stopped();
  expect((await Promise.all(stops)).map(({ status }) => status)).toEqual(["stopped", "stopped"]);
  expect([await second, calls.length]).toMatchObject([{ status: "stopped" }, 2]);
});

test("stop() and regenerate() in one tick: the answer is made anew once the server has stopped", async () => {
  const { thread, runner, calls } = told();
  const sent = runner.sendMessage(user("one"));
  await settled();
  calls[0]?.begin().say("half");
  await settled();
  const stopped = runner.stop();
  const again = runner.regenerate();
  expect([await stopped, await sent]).toMatchObject([{ status: "stopped" }, { status: "stopped" }]);
  await settled();
  calls[1]?.begin().say("whole").finish();
  expect(await again).toMatchObject({ status: "finished" });
  expect(thread.getState().messages.map(({ id }) => id)).toEqual(["one", "whole"]);
});

test("a server that does not answer a stop in time is an error of it", async () => {
  const { runner, calls } = told({ cancel: () => new Promise<never>(() => {}), cancelTimeout: 1 });
  void runner.sendMessage("Hi");
  await settled();
  calls[0]?.begin();
  await settled();
  expect(await runner.stop()).toMatchObject({ status: "stopped", error: { code: "NO_CONNECTION" } });
});

test("a stop waits for its answer also for longer than a timer takes", async () => {
  let answer: () => void = () => {};
  const cancel = () => new Promise<void>((resolve) => (answer = resolve));
  const { runner, calls } = told({ cancel, cancelTimeout: Infinity });
  void runner.sendMessage("Hi");
  await settled();
  calls[0]?.begin();
  await settled();
  const stopped = runner.stop();
  setTimeout(() => answer(), 20);
  expect((await stopped).error).toBe(undefined);
});

test("a second retry() settles with the first, and sends nothing more", async () => {
  const { runner, calls } = told();
  for (const text of ["one", "two"]) {
    const sent = runner.sendMessage(text);
    await settled();
    calls.at(-1)?.begin().fail(text);
    expect(await sent).toMatchObject({ status: "error" });
  }
  const again = [runner.retry(), runner.retry()];
  await settled();
  calls[2]?.begin().finish();
  expect(await Promise.all(again)).toMatchObject([{ status: "finished" }, { status: "finished" }]);
  expect(calls.length).toBe(3);
  await expect(runner.retry({ type: "click" } as never)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

/** A LangGraph chat with this message, and another page that knows its id. */
async function chat(said: string) {
  const stub = new StubServer(langGraphWire);
  const open = (thread: Thread) =>
    new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch: stub.fetch, cancelTimeout: 250 });
  const thread = new Thread();
  const runner = open(thread);
  await runner.sendMessage(said);
  return { stub, open, thread, runner };
}

test("load() in the wait for a stop does not join the run that is being stopped", async () => {
  const { stub, thread, runner } = await chat("Hi");
  Object.assign(stub, { holdAt: 5, hangCancels: true });
  const sent = runner.sendMessage("Two");
  await until(() => thread.incompleteIds.length > 0);
  const stopped = runner.stop();
  const loaded = runner.load();
  expect([await sent, runner.status, stub.joins.length]).toMatchObject([{ status: "stopped" }, "ready", 0]);
  stub.cancel([...stub.runs.keys()].at(-1) as string);
  stub.release();
  await until(() => [...stub.runs.values()].every(({ isOver }) => isOver));
  expect(await stopped).toMatchObject({ status: "stopped" });
  expect([await loaded, stub.joins.length]).toMatchObject([{ status: "finished" }, 0]);
});

test("stop() ends a load, and calls that wait for it", async () => {
  const { thread, open } = await chat("Hi");
  const runner = open(new Thread({ threadId: thread.threadId }));
  const loaded = runner.load();
  const answer = runner.resume({ value: 1 });
  expect(await runner.stop()).toMatchObject({ status: "stopped" });
  expect([await loaded, await answer, runner.isThreadLoading]).toMatchObject([
    { status: "stopped" },
    { status: "stopped" },
    false,
  ]);
});

test("an edit in a load goes out before the message that came after it", async () => {
  const { stub, thread, runner } = await chat("Hi");
  const requests = stub.requests.length;
  const loaded = runner.load();
  const edited = runner.sendMessage("Hello", { messageId: thread.messageIds[0] as string });
  const sent = runner.sendMessage("More");
  expect((await Promise.all([loaded, edited, sent])).map(({ status }) => status)).toEqual(Array(3).fill("finished"));
  expect(stub.requests.length).toBeGreaterThan(requests);
  expect(thread.getState().messages[0]?.content).toBe("Hello");
});

test("answers that wait are kept over a load that finds the same questions", async () => {
  const { runner } = await chat("Ask twice");
  await runner.resume({ id: runner.interrupts[0]?.id, value: 1 });
  expect(await runner.load()).toMatchObject({ status: "interrupted" });
  expect(runner.interrupts.length).toBe(1);
  expect(await runner.resume({ value: 2 })).toMatchObject({ status: "finished" });
});

test("retry() of a load is BUSY while other code folds a run", async () => {
  const { stub, thread, runner } = await chat("Hi");
  stub.faults = { refuse: 503 };
  expect(await runner.load()).toMatchObject({ status: "error" });
  thread.receive({ type: "run-started", runId: "other" });
  expect(await runner.retry()).toMatchObject({ error: { code: "BUSY" } });
});

test("dispose() ends calls whose client does not heed its signal", async () => {
  const never = () => new Promise<never>(() => {});
  const client = { threads: { create: never, getState: never }, runs: { list: never } };
  const runner = new LangGraphRunner(new Thread({ threadId: "t" }), {
    transport: clientTransport(client as never, { assistantId: "a" }),
  });
  const calls = [runner.load(), runner.resume({ value: 1 })];
  runner.dispose();
  expect(await Promise.all(calls.map(stateOf))).toMatchObject([{ status: "disconnected" }, { status: "disconnected" }]);
});
