// A graph served by `serve` and `serveLangGraph`, and in the page: its thread continues from a user message, edited or
// not.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { agentTransport, AgUiRunner } from "threadfold/ag-ui";
import { GraphAgent } from "threadfold/ag-ui/client";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

/** Answers with its last message, and the length of the conversation. */
function graph() {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => {
      const { content } = messages.at(-1) as { content: string };
      return { messages: [{ type: "ai", content: `${content} (${messages.length})` }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

type Graph = ReturnType<typeof graph>;
const asked = (handler: (request: Request) => Promise<Response>) => (url: string | URL | Request, init?: RequestInit) =>
  handler(new Request(url, init));

const RUNNERS = {
  serve: (own: Graph) =>
    new AgUiRunner(new Thread<AgUiState>(), { url: "http://page/agent", fetch: asked(serveAgUi(own)) }),
  "serve, new messages only": (own: Graph) =>
    new AgUiRunner(new Thread<AgUiState>(), {
      url: "http://page/agent",
      messages: "new",
      fetch: asked(serveAgUi(own)),
    }),
  GraphAgent: (own: Graph) =>
    new AgUiRunner(new Thread<AgUiState>(), { transport: agentTransport(new GraphAgent({ graph: own })) }),
  serveLangGraph: (own: Graph) =>
    new LangGraphRunner(new Thread(), {
      apiUrl: "http://page",
      assistantId: "agent",
      fetch: asked(serveLangGraph(own)) as typeof fetch,
    }),
};

describe.each(Object.entries(RUNNERS))("%s", (_, open) => {
  async function chat() {
    const own = graph();
    const runner = open(own);
    const { thread } = runner as unknown as { thread: Thread };
    for (const text of ["one", "two", "three"]) expect((await runner.sendMessage(text)).status).toBe("finished");
    const texts = () => thread.getState().messages.map(({ content }) => content);
    const inStep = async () => {
      const { values } = await own.getState({ threadId: thread.threadId ?? "" });
      const { messages } = values as { messages: { content: unknown; id?: string }[] };
      expect(thread.pending).toEqual([]);
      expect(thread.getState().messages.map(({ id, content }) => [id, content])).toEqual(
        messages.map(({ id, content }) => [id, content]),
      );
    };
    return { runner, thread, texts, inStep, id: (at: number) => thread.getState().messages[at]?.id };
  }

  test("answers again", async () => {
    const { runner, texts, inStep, id } = await chat();
    const first = id(5);
    expect((await runner.regenerate()).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "two", "two (3)", "three", "three (5)"]);
    expect(id(5)).not.toBe(first);
    await inStep();
    expect((await runner.regenerate({ messageId: id(3) })).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "two", "two (3)"]);
    await inStep();
  });

  test("answers what was edited", async () => {
    const { runner, texts, inStep, id } = await chat();
    const messageId = id(2);
    expect((await runner.sendMessage("deux", { messageId })).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "deux", "deux (3)"]);
    expect(id(2)).toBe(messageId);
    await inStep();
    expect((await runner.sendMessage("four")).status).toBe("finished");
    expect(texts().slice(4)).toEqual(["four", "four (5)"]);
    await inStep();
  });
});

test.each(["serve", "serve, new messages only", "GraphAgent"] as const)(
  "%s takes an edit that was stopped before it was heard with the next message",
  async (name) => {
    const own = graph();
    const runner = RUNNERS[name](own);
    const thread = runner.thread as unknown as Thread;
    for (const text of ["one", "two"]) await runner.sendMessage(text);
    const edit = runner.sendMessage("uno", { messageId: thread.getState().messages[0]?.id as string });
    await runner.stop();
    expect((await edit).status).toBe("stopped");
    expect((await runner.sendMessage("and more")).status).toBe("finished");
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["uno", "and more", "and more (2)"]);
    const { values } = await own.getState({ threadId: thread.threadId ?? "" });
    expect(values.messages.map(({ content }) => content)).toEqual(["uno", "and more", "and more (2)"]);
  },
);

describe("over LangGraph, an edit removes the server's messages after it", () => {
  /** A server that answers word by word, "half" with half an answer and an error; requests can be refused, and are counted. */
  function server() {
    const own = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("answer", async ({ messages }, ctx) => {
        const { id: question, content } = messages.at(-1) as { id: string; content: string };
        const id = `${content}-${++said}`;
        for (const word of content === "slow" ? "One two three four five six".split(" ") : ["Yes,"]) {
          ctx.message({ type: "AIMessageChunk", id, content: `${word} ` });
          if (content === "slow") await new Promise((resolve) => setTimeout(resolve, 30));
          ctx.signal.throwIfAborted();
        }
        if (content === "half" && !failed.has(question)) {
          failed.add(question);
          throw new Error("The model hung up.");
        }
        return { messages: [{ type: "ai", id, content: `${content}!` }] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const failed = new Set<string>();
    let said = 0;
    const handler = serveLangGraph(own);
    const paths: string[] = [];
    const faults: { state?: number; hangs?: boolean } = {};
    const fetch = (async (url: string | URL | Request, init?: RequestInit) => {
      const request = new Request(url, init);
      const path = new URL(request.url).pathname.replace(/[0-9a-f-]{36}/g, "ID");
      paths.push(`${request.method} ${path}`);
      if (path.endsWith("/state") && faults.hangs)
        return new Promise<Response>((_, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
        });
      if (path.endsWith("/state") && faults.state) return new Response("Not now.", { status: faults.state });
      return handler(request);
    }) as typeof globalThis.fetch;
    const page = (threadId?: string) => {
      const thread = new Thread(threadId === undefined ? {} : { threadId });
      const runner = new LangGraphRunner(thread, { apiUrl: "http://page", assistantId: "agent", fetch });
      const texts = () => thread.getState().messages.map(({ content }) => content);
      const id = (at: number) => thread.getState().messages.at(at)?.id ?? "";
      return { thread, runner, texts, id };
    };
    const kept = async ({ threadId = "" }: Thread) => {
      const { values } = await own.getState({ threadId });
      return (values as { messages: { content: unknown }[] }).messages.map(({ content }) => content);
    };
    return { paths, faults, page, kept };
  }

  const ACTS = {
    regenerate: ({ runner }: ReturnType<ReturnType<typeof server>["page"]>) => runner.regenerate(),
    edit: ({ runner, thread }: ReturnType<ReturnType<typeof server>["page"]>) => {
      const { id } = thread.getState().messages.findLast(({ type }) => type === "human") ?? {};
      return runner.sendMessage("better", { messageId: id ?? "" });
    },
  };

  test.each(Object.entries(ACTS))("after a stop in mid-answer: %s", async (name, act) => {
    const { page, kept } = server();
    const tab = page();
    await tab.runner.sendMessage("hi");
    const sent = tab.runner.sendMessage("slow");
    await expect.poll(() => String(tab.texts().at(-1))).toMatch(/two/);
    await tab.runner.stop();
    expect((await sent).status).toBe("stopped");
    expect((await act(tab)).status).toBe("finished");
    const last = name === "edit" ? "better" : "slow";
    expect(tab.texts()).toEqual(["hi", "hi!", last, `${last}!`]);
    expect(await kept(tab.thread)).toEqual(tab.texts());
    expect(tab.thread.pending).toEqual([]);
  });

  test.each(Object.entries(ACTS))("after a run that failed with half an answer: %s", async (name, act) => {
    const { page, kept } = server();
    const tab = page();
    await tab.runner.sendMessage("hi");
    expect((await tab.runner.sendMessage("half")).status).toBe("error");
    expect(tab.texts().at(-1)).toBe("Yes, ");
    expect((await act(tab)).status).toBe("finished");
    const last = name === "edit" ? "better" : "half";
    expect(tab.texts()).toEqual(["hi", "hi!", last, `${last}!`]);
    expect(await kept(tab.thread)).toEqual(tab.texts());
  });

  test.each(Object.entries(ACTS))("in a tab that has not seen what another did: %s", async (name, act) => {
    const { page, kept } = server();
    const tab = page();
    for (const text of ["one", "two"]) await tab.runner.sendMessage(text);
    const other = page(tab.thread.threadId);
    await other.runner.load();
    await other.runner.regenerate();
    await other.runner.sendMessage("three");
    expect((await act(tab)).status).toBe("finished");
    const last = name === "edit" ? "better" : "two";
    expect(tab.texts()).toEqual(["one", "one!", last, `${last}!`]);
    expect(await kept(tab.thread)).toEqual(tab.texts());
  });

  test("an edit asks the server once; if it does not say, the edit has failed, and can be tried again", async () => {
    const { paths, faults, page, kept } = server();
    const tab = page();
    await tab.runner.sendMessage("one");
    paths.length = 0;
    faults.state = 503;
    const failed = await tab.runner.sendMessage("better", { messageId: tab.id(0) });
    expect(failed).toMatchObject({ status: "error", error: { code: "BAD_RESPONSE", status: 503 } });
    expect(paths).toEqual(["GET /threads/ID/state"]);
    expect([tab.texts(), tab.thread.pending.map(({ status }) => status)]).toEqual([["better"], ["failed"]]);
    expect(await kept(tab.thread)).toEqual(["one", "one!"]);
    // Meanwhile another tab continues.
    delete faults.state;
    const other = page(tab.thread.threadId);
    await other.runner.load();
    await other.runner.sendMessage("two");
    expect((await tab.runner.retry()).status).toBe("finished");
    expect(tab.texts()).toEqual(["better", "better!"]);
    expect(await kept(tab.thread)).toEqual(tab.texts());
  });

  test("while it asks, the edit is shown, the runner is busy, and stop() ends it", async () => {
    const { paths, faults, page, kept } = server();
    const tab = page();
    for (const text of ["one", "two"]) await tab.runner.sendMessage(text);
    faults.hangs = true;
    paths.length = 0;
    const sent = tab.runner.sendMessage("better", { messageId: tab.id(0) });
    expect([tab.texts(), tab.runner.status]).toEqual([["better"], "submitted"]);
    expect(await tab.runner.regenerate()).toMatchObject({ status: "error", error: { code: "BUSY" } });
    await tab.runner.stop();
    expect((await sent).status).toBe("stopped");
    expect(paths).toEqual(["GET /threads/ID/state"]);
    expect(tab.thread.pending.map(({ status }) => status)).toEqual(["pending"]);
    delete faults.hangs;
    expect((await tab.runner.sendMessage()).status).toBe("finished");
    expect(tab.texts()).toEqual(["better", "better!"]);
    expect(await kept(tab.thread)).toEqual(tab.texts());
  });

  test("a removal of your own takes only what the server has, and nothing more", async () => {
    const { page, kept } = server();
    const tab = page();
    for (const text of ["one", "two"]) await tab.runner.sendMessage(text);
    const stale = page(tab.thread.threadId);
    await stale.runner.load();
    await tab.runner.sendMessage("three");
    await tab.runner.regenerate();
    const remove = (at: number) => ({ type: "remove" as const, id: stale.id(at) });
    stale.thread.optimistic({ messages: [remove(0), remove(3)] });
    await tab.runner.regenerate({ messageId: tab.id(2) });
    expect((await stale.runner.sendMessage("four")).status).toBe("finished");
    expect(await kept(tab.thread)).toEqual(["one!", "two", "two!", "four", "four!"]);
    expect(stale.texts()).toEqual(await kept(tab.thread));
  });

  test("a run that another tab stops is stopped here, too", async () => {
    const { page } = server();
    const tab = page();
    await tab.runner.sendMessage("hi");
    const sent = tab.runner.sendMessage("slow");
    await expect.poll(() => String(tab.texts().at(-1))).toMatch(/two/);
    const other = page(tab.thread.threadId);
    const loaded = other.runner.load();
    await expect.poll(() => other.runner.status).toBe("streaming");
    expect((await other.runner.stop()).status).toBe("stopped");
    await loaded;
    expect(await sent).toMatchObject({ status: "stopped" });
    expect([tab.runner.status, tab.runner.error]).toEqual(["ready", undefined]);
  });

  test("so is one that is stopped among its tools", async () => {
    const own = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("model", ({ messages }) => ({
        messages: [{ type: "ai", content: "", tool_calls: [{ id: `c${messages.length}`, name: "look", args: {} }] }],
      }))
      .addNode("tools", async ({ messages }, { signal }) => {
        if (messages.length > 2) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return {};
      })
      .addEdge(START, "model")
      .addEdge("model", "tools")
      .addEdge("tools", END)
      .compile({ checkpointer: new MemorySaver() });
    const fetch = asked(serveLangGraph(own)) as typeof globalThis.fetch;
    const open = (threadId?: string) =>
      new LangGraphRunner(new Thread(threadId === undefined ? {} : { threadId }), {
        apiUrl: "http://page",
        assistantId: "agent",
        fetch,
      });
    const tab = open();
    // A call that nobody answers ends a run, too.
    expect(await tab.sendMessage("one")).toMatchObject({ status: "finished" });
    const sent = tab.sendMessage("two");
    await expect.poll(() => tab.thread.getState().messages.length).toBe(4);
    const other = open(tab.thread.threadId);
    const loaded = other.load();
    await expect.poll(() => other.status).toBe("streaming");
    await other.stop();
    await loaded;
    expect(await sent).toMatchObject({ status: "stopped" });
  });

  test("a client of the SDK is asked the same, and a stop does not wait for its answer", async () => {
    const { page, kept } = server();
    const tab = page();
    for (const text of ["one", "two"]) await tab.runner.sendMessage(text);
    const { threadId = "" } = tab.thread;
    let hangs = true;
    const answers: unknown[] = [];
    const client = {
      threads: {
        create: () => Promise.reject(new Error("There is one.")),
        getState: (): Promise<{ values: unknown }> =>
          hangs
            ? new Promise(() => {})
            : Promise.reject(Object.assign(new Error("It cannot be folded."), { status: 400 })),
        getHistory: async () => [{ values: { messages: [{ type: "human", id: tab.id(0), content: "one" }] } }],
      },
      runs: {
        async *stream(_: string, __: string, { input }: { input: unknown }) {
          answers.push(input);
          yield { event: "metadata", data: { run_id: "r1" } };
          yield { event: "values", data: { messages: [{ type: "human", id: tab.id(0), content: "better" }] } };
        },
        joinStream: () => [] as never,
        cancel: async () => {},
        list: async () => [],
      },
    };
    const thread = Thread.fromJSON(JSON.parse(JSON.stringify(tab.thread)));
    const runner = new LangGraphRunner(thread, {
      transport: clientTransport(client as never, { assistantId: "agent" }),
    });
    const sent = runner.sendMessage("better", { messageId: tab.id(0) });
    const began = performance.now();
    await runner.stop();
    expect([(await sent).status, performance.now() - began < 1_000]).toEqual(["stopped", true]);
    hangs = false;
    expect((await runner.sendMessage()).status).toBe("finished");
    // The state before the event that cannot be folded has nothing after the message.
    expect(answers).toEqual([{ messages: [{ type: "human", id: tab.id(0), content: "better" }] }]);
    expect([threadId, await kept(tab.thread)]).toEqual([thread.threadId, ["one", "one!", "two", "two!"]]);
  });
});
