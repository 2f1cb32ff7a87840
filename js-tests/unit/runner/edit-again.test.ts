// Edits that failed, and actions meanwhile: each question keeps one answer. Found by random use.
import { defineSchema, field, textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner, type RunAgentInput } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

/** A runner for a stateless agent. It answers the last question, and fails while `told.fails` is set. */
function opened(thread = new Thread<AgUiState>()) {
  const told = { fails: false, hangs: false, asks: false, answers: 0 };
  async function* send({ threadId, runId, messages, resume }: RunAgentInput) {
    yield { type: "RUN_STARTED", threadId, runId };
    if (told.hangs) await new Promise<never>(() => {});
    if (told.fails) throw new Error("down");
    const question = (messages as AgUiMessage[]).findLast(({ role }) => role === "user") as AgUiMessage;
    const content = `${textOf(question)}: ${++told.answers}`;
    yield {
      type: "MESSAGES_SNAPSHOT",
      messages: [...messages, { id: `a${told.answers}`, role: "assistant", content }],
    };
    const outcome =
      told.asks && !resume ? { type: "interrupt" as const, interrupts: [{ id: "i", reason: "x" }] } : undefined;
    yield { type: "RUN_FINISHED", threadId, runId, ...(outcome && { outcome }) };
  }
  const open = () => new AgUiRunner(thread, { transport: { run: send } });
  return { thread, told, open, runner: open(), texts: () => thread.getState().messages.map(textOf) };
}

const user = (id: string) => ({ id, role: "user" as const, content: id });

test("an edit that failed is made anew, though the conversation has gone on", async () => {
  const { thread, told, runner, texts } = opened();
  await runner.sendMessage(user("one"));
  told.fails = true;
  await runner.sendMessage("uno", { messageId: "one" });
  told.fails = false;
  await runner.sendMessage(user("two"));
  const [edit] = thread.pending;
  expect([edit?.status, texts().at(-1)]).toEqual(["failed", "two: 2"]);
  expect(await runner.retry(edit)).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["uno", "uno: 3"], []]);
});

test("so is an edit of a message without an answer", async () => {
  const { thread, told, runner, texts } = opened(
    new Thread<AgUiState>({ values: { messages: [{ id: "one", role: "user", content: "one" }] } }),
  );
  told.fails = true;
  await runner.sendMessage("uno", { messageId: "one" });
  told.fails = false;
  await runner.sendMessage(user("two"));
  expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["uno", "uno: 2"], []]);
});

test("so is a regenerated answer, and one that a retry rolled back", async () => {
  const { thread, told, runner, texts } = opened();
  await runner.sendMessage(user("one"));
  told.fails = true;
  await runner.regenerate();
  told.fails = false;
  await runner.sendMessage(user("two"));
  expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["one", "one: 3"], []]);

  // A run fails after the snapshot of its answer, and so does its retry, which removes the answer.
  thread.receive({ type: "run-started", runId: "behind" });
  thread.receive({ type: "run-error", error: "late" });
  told.fails = true;
  await open(thread).retry();
  expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
  told.fails = false;
  await runner.sendMessage(user("three"));
  expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["one", "one: 5"], []]);

  function open(of: typeof thread) {
    return new AgUiRunner(of, { transport: { run: () => Promise.reject(new Error("down")) } });
  }
});

test("an edit of a message whose run has failed after its answer removes that answer too", async () => {
  const thread = new Thread<AgUiState>();
  let runs = 0;
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId }) {
        const messageId = `a${++runs}`;
        yield { type: "RUN_STARTED", threadId, runId };
        yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: messageId };
        yield { type: "TEXT_MESSAGE_END", messageId };
        if (runs === 1) throw new TypeError("terminated");
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  const texts = () => thread.getState().messages.map(textOf);
  await runner.sendMessage(user("one"));
  expect(texts()).toEqual(["one", "a1"]);
  expect(await runner.sendMessage("uno", { messageId: "one" })).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["uno", "a2"], []]);
});

test("an edit after other messages that failed is sent, also if it removes half an answer", async () => {
  const sent: string[][] = [];
  let end = "";
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId, messages }) {
        sent.push(messages.map((message) => textOf(message as AgUiMessage)));
        yield { type: "RUN_STARTED", threadId, runId };
        if (end === "at once") yield { type: "RUN_ERROR", message: "down" };
        const messageId = `a${sent.length}`;
        yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Hel" };
        if (end === "half") yield { type: "RUN_ERROR", message: "down" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "lo" };
        yield { type: "TEXT_MESSAGE_END", messageId };
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  await runner.sendMessage(user("one"));
  end = "at once";
  await runner.sendMessage(user("two"));
  end = "half";
  await runner.sendMessage(user("three"));
  end = "";
  expect(await runner.sendMessage("drei", { messageId: "three" })).toMatchObject({ status: "finished" });
  expect(sent.at(-1)).toEqual(["one", "Hello", "drei"]);
  expect(thread.getState().messages.map(textOf)).toEqual(["one", "Hello", "two", "drei", "Hello"]);
});

test("an edit that failed waits for no run: it is BUSY, as an edit is", async () => {
  const { thread, told, runner, texts } = opened();
  await runner.sendMessage(user("one"));
  told.fails = true;
  await runner.sendMessage("uno", { messageId: "one" });
  [told.fails, told.asks] = [false, true];
  const sent = runner.sendMessage(user("two"));
  expect(await runner.retry(thread.pending[0])).toMatchObject({ error: { code: "BUSY" } });
  expect(await sent).toMatchObject({ status: "interrupted" });
  expect(await runner.retry()).toMatchObject({ error: { code: "BUSY" } });
  expect(await runner.resume({ value: true })).toMatchObject({ status: "finished" });
  told.asks = false;
  expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
  expect(texts().map((text) => text.split(":")[0])).toEqual(["uno", "uno"]);
});

test("an edit of an edit whose run was left, and cannot be joined", async () => {
  const { thread, told, runner, open, texts } = opened();
  await runner.sendMessage(user("one"));
  await runner.sendMessage(user("two"));
  told.hangs = true;
  void runner.sendMessage("uno", { messageId: "one" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  runner.dispose();
  told.hangs = false;
  expect(thread.run.status).toBe("disconnected");
  expect(await open().sendMessage("eins", { messageId: "one" })).toMatchObject({ status: "finished" });
  expect([texts(), thread.pending]).toEqual([["eins", "eins: 3"], []]);
});

test("over LangGraph, an edit of a message whose response was lost replaces what the server has", async () => {
  let answers = 0;
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => ({
      messages: [{ type: "ai", content: `${textOf(messages.at(-1) as never)}: ${++answers}` }],
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const handle = serveLangGraph(graph);
  let loses = true;
  const fetch = async (url: RequestInfo | URL, init: RequestInit = {}) => {
    const isRun = String(url).endsWith("/runs/stream") && loses;
    const response = await handle(new Request(String(url), init));
    if (!isRun) return response;
    loses = false;
    await response.text();
    throw new TypeError("Failed to fetch");
  };
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, { apiUrl: "http://server", assistantId: "graph", fetch });
  expect(await runner.sendMessage({ type: "human", id: "q", content: "one" })).toMatchObject({ status: "error" });
  expect(await runner.sendMessage("uno", { messageId: "q" })).toMatchObject({ status: "finished" });
  expect(thread.getState().messages.map(textOf)).toEqual(["uno", "uno: 2"]);
});
