// Runners on the real servers: at the end of each run the thread equals the server's.
import { Client } from "@langchain/langgraph-sdk";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { clientTransport, LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { describe, expect, inject, test, vi } from "vitest";
import { holds } from "../../peers/recorded/ag-ui-state";
import { held } from "../../peers/recorded/witness";
import { byPart } from "../../support/by-part.js";
import { withoutEmpty } from "../../support/without-empty";
import { agUi, langGraph } from "./wire.mjs";

/** A server's answer is lost once, to the request whose address ends so. */
function losing(end: string): typeof fetch {
  let lost = false;
  return async (input, init) => {
    if (!lost && String(input).endsWith(end)) {
      lost = true;
      return new Response("lost", { status: 502 });
    }
    return fetch(input, init);
  };
}

/** Breaks the connection of the first answer with this many bytes or more. */
function cutting(bytes: number): typeof fetch {
  let isCut = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (isCut || !response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response;
    let left = bytes;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        left -= part.length;
        controller.enqueue(part);
        if (left > 0) return;
        isCut = true;
        controller.error(new TypeError("network error"));
      },
    });
    return new Response(response.body.pipeThrough(cut), { headers: response.headers });
  };
}

// Not `expect.poll`, which among concurrent tests does not always know whose it is.
const until = (holds: () => boolean) =>
  vi.waitFor(() => holds() || Promise.reject(new Error("It does not hold.")), { timeout: 20_000, interval: 5 });

const texts = (thread: { getState(): { messages: readonly { content?: unknown }[] } }) =>
  thread.getState().messages.map(({ content }) => content);

type Options = Partial<LangGraphRunnerOptions & AgUiRunnerOptions>;

/** A state, with the messages as a page and a server both have them. */
const alike = (state: object) => {
  const { messages, fields } = held(state);
  return { messages: messages.map(withoutEmpty), fields };
};

const SERVERS = {
  LangGraph: {
    open(graph: string, options: Options = {}, record?: object) {
      const thread = record ? Thread.fromJSON(record) : new Thread();
      const apiUrl = inject("langGraph");
      return { thread, runner: new LangGraphRunner(thread, { apiUrl, assistantId: graph, ...options }) };
    },
    inStep: async (thread: Thread) => {
      const state = await langGraph.state(inject("langGraph"), thread.threadId as string);
      expect("refused" in state ? state : alike(thread.getConfirmedState())).toEqual(
        "refused" in state ? 0 : alike(state.values),
      );
    },
  },
  "AG-UI": {
    open(graph: string, options: Options = {}, record?: object) {
      const thread = (record ? Thread.fromJSON(record) : new Thread<AgUiState>()) as unknown as Thread;
      return {
        thread,
        runner: new AgUiRunner(thread as unknown as Thread<AgUiState>, {
          url: `${inject("agUi")}/${graph}`,
          ...options,
        }),
      };
    },
    inStep: async (thread: Thread, graph: string) => {
      const state = await agUi.state(inject("agUi"), graph, thread.threadId as string);
      expect(held(thread.getConfirmedState())).toEqual("refused" in state ? 0 : holds(state));
    },
  },
};

for (const [name, { open, inStep }] of Object.entries(SERVERS)) {
  test.concurrent(`${name}: sends, streams, calls tools`, async () => {
    const { thread, runner } = open("todos");
    expect(await runner.sendMessage("What is 6 times 7?")).toMatchObject({ status: "finished" });
    expect(thread.getState().todos?.length).toBeGreaterThan(0);
    expect(thread.pending).toEqual([]);
    await inStep(thread, "todos");
  });

  test.concurrent(`${name}: a message sent during an answer waits`, async () => {
    const { thread, runner } = open("chat");
    const first = runner.sendMessage("Count slowly to 10");
    await until(() => runner.status === "streaming");
    const second = runner.sendMessage("Hello");
    expect((await first).status + (await second).status).toBe("finishedfinished");
    expect(texts(thread)).toEqual([
      "Count slowly to 10",
      "1 2 3 4 5 6 7 8 9 10",
      "Hello",
      "You said “Hello” 👋\n\nThat is message 3 of ours.",
    ]);
    await inStep(thread, "chat");
  });

  test.concurrent(`${name}: asks, and continues with the answer`, async () => {
    for (const value of [true, false]) {
      const { thread, runner } = open("approval");
      const end = await runner.sendMessage("Mail Ada");
      expect(end).toMatchObject({
        status: "interrupted",
        interrupts: [{ value: { question: "Send the mail?", to: "ada@example.org" } }],
      });
      expect(await runner.resume({ value })).toMatchObject({ status: "finished" });
      expect(texts(thread).at(-1)).toBe(value ? "Sent." : "Then not.");
      await inStep(thread, "approval");
    }
  });

  test.concurrent(`${name}: an answer that is lost can be given again, also after a reload`, async () => {
    const { thread, runner } = open("approval");
    await runner.sendMessage("Mail Ada");
    const lost = open("approval", { fetch: async () => new Response("no", { status: 503 }) }, asJson(thread));
    expect(await lost.runner.resume({ value: true })).toMatchObject({ status: "error", error: { status: 503 } });
    const again = open("approval", {}, asJson(lost.thread));
    expect(again.runner.interrupts).toHaveLength(1);
    expect(await again.runner.resume({ value: true })).toMatchObject({ status: "finished" });
    await inStep(again.thread, "approval");
  });

  test.concurrent(`${name}: a run that fails after the answer continues with it when retried`, async () => {
    const { thread, runner } = open("relapse");
    expect(await runner.sendMessage("Go")).toMatchObject({ interrupts: [{ value: { question: "First?" } }] });
    expect(await runner.resume({ value: "one" })).toMatchObject({ status: "error" });
    expect(runner.interrupts).toEqual([]);
    let end = await runner.retry();
    // ag-ui-langgraph hands the graph the answer without the interrupt's id: it is taken for the next one's, too.
    if (name === "LangGraph") {
      expect(end).toMatchObject({ interrupts: [{ value: { question: "Second?" } }] });
      end = await runner.resume({ value: "two" });
    }
    expect(end).toMatchObject({ status: "finished" });
    const second = name === "LangGraph" ? "two" : "one";
    expect((thread.getConfirmedState() as { answers?: unknown }).answers).toEqual(["one", second]);
  });

  test.concurrent(`${name}: stops, and the conversation continues`, async () => {
    const { thread, runner } = open("chat");
    const sent = runner.sendMessage("Count slowly to 400");
    await until(() => String(texts(thread)[1]).length > 20);
    await runner.stop();
    expect(await sent).toMatchObject({ status: "stopped" });
    expect(texts(thread)[1]).toMatch(/^1 2 3/);
    expect(await runner.sendMessage("Hello")).toMatchObject({ status: "finished" });
    await inStep(thread, "chat");
  });

  test.concurrent(`${name}: a run that fails, and the next message`, async () => {
    const { thread, runner } = open("fail");
    expect(await runner.sendMessage("Break off")).toMatchObject({
      status: "error",
      error: { message: expect.stringMatching(/hung up|internal error/) as string },
    });
    expect(await runner.sendMessage("Once more")).toMatchObject({ status: "finished" });
    await inStep(thread, "fail");
  });

  test.concurrent(`${name}: a request that is refused, and its retry`, async () => {
    const { thread, runner } = open("chat", { fetch: losing(name === "AG-UI" ? "/chat" : "/runs/stream") });
    expect(await runner.sendMessage("Hello")).toMatchObject({ status: "error", error: { status: 502 } });
    expect(thread.pending.map(({ status }) => status)).toEqual(["failed"]);
    expect(await runner.retry()).toMatchObject({ status: "finished" });
    expect(texts(thread)).toHaveLength(2);
    await inStep(thread, "chat");
  });
}

const asJson = (thread: Thread) => JSON.parse(JSON.stringify(thread)) as object;

test.concurrent("LangGraph: a connection that breaks is joined by itself", async () => {
  const { open, inStep } = SERVERS.LangGraph;
  const { thread, runner } = open("chat", { fetch: cutting(3_000), rejoinDelays: [10, 10, 100] });
  expect(await runner.sendMessage("Count slowly to 40")).toMatchObject({ status: "finished" });
  expect(texts(thread)[1]).toBe(Array.from({ length: 40 }, (_, at) => at + 1).join(" "));
  await inStep(thread);
});

test.concurrent.each([true, false])(
  "LangGraph: a reload in mid-run goes on; a dispose before it: %s",
  async (dispose) => {
    const { open, inStep } = SERVERS.LangGraph;
    const { thread, runner } = open("chat");
    void runner.sendMessage("Count slowly to 40");
    await until(() => String(texts(thread)[1]).length > 20);
    const record = asJson(thread);
    if (dispose) runner.dispose();
    const again = open("chat", {}, record);
    expect(again.runner.status).toBe("disconnected");
    expect(await again.runner.load()).toMatchObject({ status: "finished" });
    expect(texts(again.thread)[1]).toBe(Array.from({ length: 40 }, (_, at) => at + 1).join(" "));
    await inStep(again.thread);
  },
);

test.concurrent("LangGraph: a reload after the run has ended joins what is over", async () => {
  const { open, inStep } = SERVERS.LangGraph;
  const { thread, runner } = open("chat");
  const sent = runner.sendMessage("Count slowly to 20");
  await until(() => String(texts(thread)[1]).length > 10);
  const record = asJson(thread);
  await sent;
  const again = open("chat", {}, record);
  expect(await again.runner.load()).toMatchObject({ status: "finished" });
  await inStep(again.thread);
});

test.concurrent("LangGraph: the text of a subgraph before it asked stays through a reload and the answer", async () => {
  const { open, inStep } = SERVERS.LangGraph;
  const { thread, runner } = open("consent", { subgraphs: true });
  await runner.sendMessage("Tidy up");
  const said = "I would delete three files.";
  expect(texts(thread)).toEqual(["Tidy up", said]);
  const again = open("consent", { subgraphs: true }, asJson(thread));
  const lacking: unknown[] = [];
  byPart(again.thread).subscribe(() => {
    if (!texts(again.thread).includes(said)) lacking.push(texts(again.thread));
  });
  expect(await again.runner.resume({ value: true })).toMatchObject({ status: "finished" });
  expect(lacking).toEqual([]);
  await inStep(again.thread);
});

/** Another page, which only knows the thread's id. */
const elsewhere = (thread: Thread, graph: string, options: Options = {}) => {
  const other = SERVERS.LangGraph.open(graph, options);
  other.thread.threadId = thread.threadId;
  return other;
};

const byUrl = (_graph: string) => ({});
const byClient = (assistantId: string) => ({
  apiUrl: undefined,
  transport: clientTransport(new Client({ apiUrl: inject("langGraph") }), { assistantId }),
});

test.concurrent.each([
  ["fetch", byUrl],
  ["the SDK", byClient],
])("LangGraph: a thread whose id the page made up is made with the first run, by %s", async (_, by) => {
  const { open, inStep } = SERVERS.LangGraph;
  const { thread, runner } = open("chat", by("chat"));
  const threadId = (thread.threadId = crypto.randomUUID());
  expect(await runner.sendMessage("Hello")).toMatchObject({ status: "finished" });
  expect(thread.threadId).toBe(threadId);
  await inStep(thread);
});

describe.each([
  ["fetch", byUrl],
  ["the SDK", byClient],
])("LangGraph, by %s: opens a thread", (_, options) => {
  const { open, inStep } = SERVERS.LangGraph;

  test.concurrent("its messages and its fields", async () => {
    const { thread, runner } = open("todos");
    await runner.sendMessage("What is 6 times 7?");
    const other = elsewhere(thread, "todos", options("todos"));
    expect(await other.runner.load()).toMatchObject({ status: "finished" });
    expect(alike(other.thread.getConfirmedState())).toEqual(alike(thread.getConfirmedState()));
    expect(other.thread.getState().todos?.length).toBeGreaterThan(0);
    expect(await other.runner.sendMessage("And 7 times 8?")).toMatchObject({ status: "finished" });
    await inStep(other.thread);
  });

  test.concurrent.each([
    ["approval", "Mail Ada", "Send the mail?"],
    ["consent", "Tidy up", "May I?"],
  ])("what %s asks", async (graph, said, message) => {
    const { thread, runner } = open(graph);
    await runner.sendMessage(said);
    const other = elsewhere(thread, graph, options(graph));
    expect(await other.runner.load()).toMatchObject({ status: "interrupted", interrupts: [{ message }] });
    expect(await other.runner.resume({ value: true })).toMatchObject({ status: "finished" });
    await inStep(other.thread);
    expect(await runner.load()).toMatchObject({ status: "finished" });
    await inStep(thread);
  });

  test.concurrent("the run that continues", async () => {
    const { thread, runner } = open("chat");
    const sent = runner.sendMessage("Count slowly to 40");
    await until(() => String(texts(thread)[1]).length > 10);
    const other = elsewhere(thread, "chat", options("chat"));
    const loaded = other.runner.load();
    await until(() => other.runner.status === "streaming");
    expect((await sent).status + (await loaded).status).toBe("finishedfinished");
    expect(texts(other.thread)[1]).toBe(Array.from({ length: 40 }, (_, at) => at + 1).join(" "));
    await inStep(other.thread);
  });

  test.concurrent("a run that cannot be replayed", async () => {
    const url = inject("langGraph");
    const client = new Client({ apiUrl: url });
    const { thread_id } = await client.threads.create();
    await client.runs.create(thread_id, "chat", {
      input: { messages: [{ type: "human", content: "Count slowly to 40" }] },
    });
    const other = open("chat", options("chat"));
    other.thread.threadId = thread_id;
    expect(await other.runner.load()).toMatchObject({ status: "finished" });
    expect(texts(other.thread)[1]).toBe(Array.from({ length: 40 }, (_, at) => at + 1).join(" "));
    await inStep(other.thread);
  });

  test.concurrent("one that the server does not know, or that has no run yet", async () => {
    const made = await new Client({ apiUrl: inject("langGraph") }).threads.create();
    for (const threadId of [crypto.randomUUID(), made.thread_id]) {
      const { thread, runner } = open("chat", options("chat"));
      thread.threadId = threadId;
      expect(await runner.load()).toMatchObject({ status: "finished" });
      expect(thread.getState().messages).toEqual([]);
      expect(await runner.sendMessage("Hello")).toMatchObject({ status: "finished" });
      await inStep(thread);
    }
  });
});

test.concurrent("LangGraph: put aside, a question is forgotten with the next message", async () => {
  const { open, inStep } = SERVERS.LangGraph;
  const { thread, runner } = open("consent");
  expect((await runner.sendMessage("Tidy up")).status).toBe("interrupted");
  await runner.stop();
  expect(runner.status).toBe("ready");
  expect((await runner.sendMessage("Tidy up, I said")).status).toBe("interrupted");
  expect(await runner.resume({ value: true })).toMatchObject({ status: "finished" });
  await inStep(thread);
});

test.concurrent("AG-UI: after a reload in mid-run the message can be sent again", async () => {
  const { open, inStep } = SERVERS["AG-UI"];
  const { thread, runner } = open("chat");
  void runner.sendMessage("Count slowly to 100");
  await until(() => String(texts(thread)[1]).length > 20);
  const record = asJson(thread);
  runner.dispose();
  const again = open("chat", {}, record);
  expect(await again.runner.load()).toMatchObject({ status: "error" });
  expect(await again.runner.retry()).toMatchObject({ status: "finished" });
  expect(texts(again.thread)).toHaveLength(2);
  await inStep(again.thread, "chat");
});
