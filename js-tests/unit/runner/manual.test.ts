// Updates that a call of the page's own carries: no runner sends them, none runs for them.
import { Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer, turn, until } from "./stub-server.js";
import { langGraphWire } from "./stub-wires.js";

const open = (thread: Thread, { fetch }: StubServer) =>
  new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch });
const reloaded = (thread: Thread) => Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object);

test.each([true, false])("a reload in mid-run: manual %s", async (manual) => {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  const runner = open(thread, server);
  server.holdAt = 4;
  void runner.sendMessage("Hi");
  await until(() => runner.status === "streaming");
  thread.optimistic({ messages: "Another" }, { manual });
  const again = reloaded(thread);
  runner.dispose();
  server.release();
  const other = open(again, server);
  expect(await other.load()).toMatchObject({ status: "finished" });
  for (let turns = 0; turns < 50; turns++) await turn();
  await until(() => other.status === "ready");
  expect([server.requests.length, again.pending.length]).toEqual(manual ? [1, 1] : [2, 0]);
});

test("it is manual still when an interrupt was answered", async () => {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  await open(thread, server).sendMessage("Ask");
  const op = thread.optimistic({ messages: "By hand" }, { manual: true });
  const runner = open(thread, server);
  await runner.resume({ value: 1 });
  await runner.sendMessage("Hi");
  expect([op.status, server.requests.length]).toEqual(["pending", 3]);
});

test("a message that waits for an answer's run goes out after a reload in the middle of that", async () => {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  const runner = open(thread, server);
  await runner.sendMessage("Ask");
  void runner.sendMessage("Meanwhile");
  server.holdAt = 4;
  void runner.resume({ value: 1 });
  await until(() => runner.status === "streaming");
  const again = reloaded(thread);
  runner.dispose();
  server.release();
  const other = open(again, server);
  await other.load();
  await until(() => other.status === "ready" && again.pending.length === 0);
  expect(server.requests.at(-1)).toMatchObject({ input: { messages: [{ content: "Meanwhile" }] } });
});

test("a retry sends what a run carried, and no manual update", async () => {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  const runner = open(thread, server);
  const op = thread.optimistic({ messages: "By hand" }, { manual: true });
  op.fail(new Error("no"));
  expect(await runner.retry()).toMatchObject({ error: { code: "INVALID_STATE" } });
  await expect(runner.retry(op.id)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  expect([op.status, server.requests.length]).toEqual(["failed", 0]);
});

test("an edit and an answer anew pass over what a call of the page's own carries", async () => {
  const server = new StubServer(langGraphWire);
  const thread = new Thread();
  const runner = open(thread, server);
  await runner.sendMessage({ type: "human", id: "q", content: "Hi" });
  const op = thread.optimistic({ messages: [{ type: "human", id: "own", content: "By hand" }] }, { manual: true });
  expect(await runner.regenerate()).toMatchObject({ status: "finished" });
  expect(thread.getConfirmedState().messages.map(({ type }) => type)).toEqual(["human", "ai"]);
  expect(await runner.sendMessage("Hello", { messageId: "q" })).toMatchObject({ status: "finished" });
  expect(thread.getConfirmedState().messages.map(({ type }) => type)).toEqual(["human", "ai"]);
  expect([op.status, thread.getState().messages.at(-1)?.content]).toEqual(["pending", "By hand"]);
  await expect(runner.sendMessage("No", { messageId: "own" })).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});
