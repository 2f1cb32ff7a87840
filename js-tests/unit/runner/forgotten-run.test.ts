// LangGraph runs that the server has forgotten, as by a restart: the thread's state has their outcome, or nothing has.
import { Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { langGraphWire, messagesOn } from "./stub-wires.js";

/** A page that was left in mid run, and the server's thread once the run has ended and is forgotten. */
async function forgotten() {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  const options = { apiUrl: "http://stub/", assistantId: "agent", fetch: server.fetch, rejoinDelays: [] };
  const runner = new LangGraphRunner(thread, options);
  server.faults = { cut: 3 };
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "disconnected" });
  await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
  server.faults = { joins: [404] };
  const held = server.threads.get(thread.threadId ?? "");
  if (!held) throw new Error("The server has no thread.");
  return { server, thread, runner, held };
}

const expectInStep = (thread: Thread, server: StubServer) =>
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(server, langGraphWire, thread.threadId));

test("one that the thread's state shows at its end has finished", async () => {
  const { server, thread, runner } = await forgotten();
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expectInStep(thread, server);
  expect([server.requests.length, thread.pending, runner.status, runner.error]).toEqual([1, [], "ready", undefined]);
});

test("load() opens such a thread as it is, once and again", async () => {
  const { server, thread, runner } = await forgotten();
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expectInStep(thread, server);
});

test("one that the thread's state does not know fails, until it is retried", async () => {
  const { server, thread, runner, held } = await forgotten();
  held.messages = [];
  expect(await runner.load()).toMatchObject({ status: "error", error: { status: 404 } });
  expect(thread.run.status).toBe("error");
  server.faults = {};
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expectInStep(thread, server);
});

test("load() ends the failure of a run that has finished after all", async () => {
  const { server, thread, runner } = await forgotten();
  thread.receive({ type: "run-error", error: new Error("down") });
  expect(runner.status).toBe("error");
  expect(await runner.load()).toMatchObject({ status: "finished" });
  expectInStep(thread, server);
  expect([thread.pending, runner.status, runner.error]).toEqual([[], "ready", undefined]);
});

test("load() leaves the failure of a run whose message the server does not have", async () => {
  const { thread, runner, held } = await forgotten();
  held.messages = [];
  thread.receive({ type: "run-error", error: new Error("down") });
  await runner.load();
  expect([runner.status, runner.error?.message]).toEqual(["error", "down"]);
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
});
