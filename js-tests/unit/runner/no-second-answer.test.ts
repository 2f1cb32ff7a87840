// A retry makes no second answer, whether the run lost its response or failed after a snapshot.
import { defineSchema, field, textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner, type RunAgentInput } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

const reloaded = <T extends object>(thread: T) =>
  Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object) as unknown as T;

describe("over LangGraph, a run whose response is lost", () => {
  /** A server of a graph that answers each run, and requests to it that lose responses. */
  function lossy(milliseconds: number) {
    let answers = 0;
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("answer", async () => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return { messages: [{ type: "ai", content: `Answer ${++answers}` }] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const handle = serveLangGraph(graph);
    const asked: string[] = [];
    const faults = { lose: "", refuse: "", cut: false };
    const fetch = async (url: RequestInfo | URL, init: RequestInit = {}) => {
      const path = `${init.method ?? "GET"} ${new URL(String(url)).pathname.replace(/[0-9a-f-]{36}/g, "id")}`;
      asked.push(path);
      const { lose, refuse } = faults;
      if (refuse && path.includes(refuse)) throw new TypeError("Failed to fetch");
      const { signal: _, ...rest } = init;
      const response = await handle(new Request(String(url), lose && path.includes(lose) ? rest : init));
      if (faults.cut && path.endsWith("/runs/id")) throw new TypeError("Failed to fetch");
      if (faults.cut && path.endsWith("/stream")) {
        await response.text();
        return new Response("event: metada", response);
      }
      if (!lose || !path.includes(lose)) return response;
      faults.lose = "";
      throw new TypeError("Failed to fetch");
    };
    const open = (thread: Thread) =>
      new LangGraphRunner(thread, { apiUrl: "http://server", assistantId: "graph", fetch, rejoinDelays: [0] });
    return { open, asked, faults };
  }

  const texts = (thread: Thread) => thread.getState().messages.map(textOf);
  const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  test.each([
    ["that is over", 0, 20],
    ["that is under way", 40, 0],
  ])("%s is found by retry()", async (_, takes, waits) => {
    for (const isReloaded of [false, true]) {
      const { open, asked, faults } = lossy(takes);
      let thread = new Thread();
      let runner = open(thread);
      await runner.sendMessage("First");
      faults.lose = "/runs/stream";
      expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
      await later(waits);
      if (isReloaded) runner = open((thread = reloaded(thread)));
      const sent = asked.filter((path) => path.endsWith("/runs/stream")).length;
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect(texts(thread)).toEqual(["First", "Answer 1", "Hi", "Answer 2"]);
      expect([thread.pending, runner.status]).toEqual([[], "ready"]);
      expect(asked.filter((path) => path.startsWith("POST") && path.endsWith("/runs/stream")).length).toBe(sent);
      expect(await runner.sendMessage("Bye")).toMatchObject({ status: "finished" });
      expect(texts(thread).slice(4)).toEqual(["Bye", "Answer 3"]);
    }
  });

  test("is sent again if the server never had it, once the server can be asked", async () => {
    const { open, faults } = lossy(0);
    const thread = new Thread();
    const runner = open(thread);
    await runner.sendMessage("First");
    faults.refuse = "/runs";
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error" });
    expect(await runner.retry()).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
    expect([runner.status, thread.pending.map(({ status }) => status)]).toEqual(["error", ["failed"]]);
    faults.refuse = "";
    const [first, second] = [runner.retry(), runner.retry()];
    expect(runner.status).toBe("submitted");
    expect([(await first).status, (await second).status]).toEqual(["finished", "finished"]);
    expect(texts(thread)).toEqual(["First", "Answer 1", "Hi", "Answer 2"]);
  });

  test("nor has a run failed whose stream and whose joins were cut", async () => {
    const { open, faults } = lossy(0);
    const thread = new Thread();
    const runner = open(thread);
    await runner.sendMessage("First");
    faults.cut = true;
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error" });
    faults.cut = false;
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["First", "Answer 1", "Hi", "Answer 2"]);
  });

  test("is found after a page was left before the answer", async () => {
    const { open } = lossy(20);
    const thread = new Thread();
    await open(thread).sendMessage("First");
    const runner = open(thread);
    const sent = runner.sendMessage("Hi");
    await later(1);
    const after = reloaded(thread);
    runner.dispose();
    expect(await sent).toMatchObject({ status: "disconnected" });
    expect(thread.run.status).toBe("disconnected");
    expect(await open(after).retry()).toMatchObject({ status: "finished" });
    expect(texts(after)).toEqual(["First", "Answer 1", "Hi", "Answer 2"]);
  });

  test("with an edit is found, too", async () => {
    const { open, faults } = lossy(0);
    const thread = new Thread();
    const runner = open(thread);
    await runner.sendMessage("First");
    const [question] = thread.getState().messages;
    faults.lose = "/runs/stream";
    expect(await runner.sendMessage("Hi", { messageId: question?.id ?? "" })).toMatchObject({
      status: "error",
    });
    await later(20);
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["Hi", "Answer 2"]);
  });
});

describe("over AG-UI, a message that failed after its answer, retried when the conversation has continued", () => {
  const texts = (thread: Thread<AgUiState>) => thread.getState().messages.map(textOf);

  test("takes its answer with it to the end", async () => {
    let runs = 0;
    const sent: string[][] = [];
    const thread = new Thread<AgUiState>();
    const runner = new AgUiRunner(thread, {
      transport: {
        async *run({ threadId, runId, messages }) {
          sent.push(messages.map((message) => textOf(message as AgUiMessage)));
          const messageId = `a${++runs}`;
          yield { type: "RUN_STARTED", threadId, runId };
          yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
          yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: `Answer ${runs}` };
          yield { type: "TEXT_MESSAGE_END", messageId };
          if (runs === 1) throw new TypeError("terminated");
          yield { type: "RUN_FINISHED", threadId, runId };
        },
      },
    });
    await runner.sendMessage("Hi");
    await runner.sendMessage("And?");
    expect(texts(thread)).toEqual(["Hi", "Answer 1", "And?", "Answer 2"]);
    expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["And?", "Answer 2", "Hi", "Answer 3"]);
    expect(sent.at(-1)).toEqual(["And?", "Answer 2", "Hi"]);
  });

  test("leaves a tool's result of the page's, and its answer, where they are", async () => {
    let isDown = true;
    const thread = new Thread<AgUiState>();
    const call = { id: "c", type: "function" as const, function: { name: "time", arguments: "{}" } };
    thread.receive({
      type: "values",
      values: {
        messages: [
          { id: "q", role: "user", content: "What time is it?" },
          { id: "a", role: "assistant", content: "", toolCalls: [call] },
        ],
      },
    });
    let runs = 0;
    const runner = new AgUiRunner(thread, {
      transport: {
        async *run({ threadId, runId }) {
          if (isDown) throw new TypeError("Failed to fetch");
          const messageId = `a${++runs}`;
          yield { type: "RUN_STARTED", threadId, runId };
          yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
          yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: `Answer ${runs}` };
          yield { type: "TEXT_MESSAGE_END", messageId };
          yield { type: "RUN_FINISHED", threadId, runId };
        },
      },
    });
    await runner.sendMessage("Hi");
    isDown = false;
    await runner.sendMessage({ id: "t", role: "tool", toolCallId: "c", content: "Noon" });
    expect(await runner.retry(thread.pending[0])).toMatchObject({ status: "finished" });
    expect(texts(thread)).toEqual(["What time is it?", "", "Noon", "Answer 1", "Hi", "Answer 2"]);
  });
});

describe("over AG-UI, a run that failed after a snapshot of its answer", () => {
  /** A server that answers twice, and ends the first answer so. */
  function opened(end: "RUN_ERROR" | "cut", messages: "whole" | "new", said: (answer: AgUiMessage) => AgUiMessage[]) {
    const sent: string[][] = [];
    async function* send({ threadId, runId, messages: own }: RunAgentInput) {
      sent.push(own.map((message) => textOf(message as AgUiMessage)));
      yield { type: "RUN_STARTED", threadId, runId };
      const answer: AgUiMessage = { id: `a${sent.length}`, role: "assistant", content: `Answer ${sent.length}` };
      yield { type: "MESSAGES_SNAPSHOT", messages: [...own, ...said(answer)] };
      if (sent.length !== 2) yield { type: "RUN_FINISHED", threadId, runId };
      else if (end === "RUN_ERROR") yield { type: "RUN_ERROR", message: "Overloaded." };
    }
    const open = (thread: Thread<AgUiState>) => new AgUiRunner(thread, { transport: { run: send }, messages });
    return { open, sent };
  }

  const texts = (thread: Thread<AgUiState>) => thread.getState().messages.map(textOf);

  describe.each(["RUN_ERROR", "cut"] as const)("by %s", (end) => {
    test.each([false, true])("sends the question alone, after a reload: %s", async (isReloaded) => {
      const { open, sent } = opened(end, "whole", (answer) => [answer]);
      let thread = new Thread<AgUiState>();
      let runner = open(thread);
      await runner.sendMessage("First");
      expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error" });
      expect([texts(thread), thread.pending]).toEqual([["First", "Answer 1", "Hi", "Answer 2"], []]);
      if (isReloaded) runner = open((thread = reloaded(thread)));
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect(sent.at(-1)).toEqual(["First", "Answer 1", "Hi"]);
      expect(texts(thread)).toEqual(["First", "Answer 1", "Hi", "Answer 3"]);
    });

    test("a run without a message rolls back its own text", async () => {
      const { open, sent } = opened(end, "whole", (answer) => [answer]);
      const thread = new Thread<AgUiState>();
      const runner = open(thread);
      await runner.sendMessage("First");
      expect(await runner.sendMessage()).toMatchObject({ status: "error" });
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect(sent.at(-1)).toEqual(["First", "Answer 1"]);
      expect(texts(thread)).toEqual(["First", "Answer 1", "Answer 3"]);
    });

    test("a tool's result of the page's stays", async () => {
      const call = { id: "c", type: "function" as const, function: { name: "time", arguments: "{}" } };
      const { open, sent } = opened(end, "whole", (answer) => [
        answer.id === "a1" ? ({ ...answer, toolCalls: [call] } as AgUiMessage) : answer,
      ]);
      const thread = new Thread<AgUiState>();
      const runner = open(thread);
      await runner.sendMessage("First");
      const result = { id: "result", role: "tool" as const, toolCallId: "c", content: "Noon" };
      expect(await runner.sendMessage(result)).toMatchObject({ status: "error" });
      expect(await runner.retry()).toMatchObject({ status: "finished" });
      expect(sent.at(-1)).toEqual(["First", "Answer 1", "Noon"]);
      expect(texts(thread)).toEqual(["First", "Answer 1", "Noon", "Answer 3"]);
    });
  });
});
