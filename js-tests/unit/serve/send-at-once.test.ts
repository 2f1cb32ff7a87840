// Two clients send at the same time: the server runs one at a time, and both messages are answered.
import { Thread, defineSchema, field, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { afterEach, describe, expect, test } from "vitest";

type Runner = AgUiRunner | LangGraphRunner;
const opened: Runner[] = [];
afterEach(() => {
  for (const runner of opened.splice(0)) runner.dispose();
});

const graph = () =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return {
        messages: [{ type: "ai", id: `a${messages.length}`, content: `To ${messages.at(-1)?.content as string}` }],
      };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });

type Options = { readonly whileRunning?: "queue" | "refuse"; readonly fetch: typeof globalThis.fetch };

const PROTOCOLS = {
  "AG-UI": {
    serve: () => serveAgUi(graph(), { resumable: true }),
    make: (options: Options): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
        url: "http://localhost/agent",
        resumable: true,
        rejoinDelays: [5],
        ...options,
      }),
  },
  "LangGraph, multitaskStrategy reject": {
    serve: () => serveLangGraph(graph()),
    make: (options: Options): Runner =>
      new LangGraphRunner(new Thread({ threadId: "t" }), {
        apiUrl: "http://localhost",
        assistantId: "agent",
        multitaskStrategy: "reject",
        rejoinDelays: [5],
        ...options,
      }),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, make }) => {
  /** Three clients of a thread with one answer. */
  async function world(whileRunning?: "queue" | "refuse") {
    const handler = serve();
    const client = () => {
      const runner = make({
        ...(whileRunning && { whileRunning }),
        fetch: async (url, init) => handler(new Request(String(url), init)),
      });
      opened.push(runner);
      return { runner, shown: () => (runner.thread as Thread).getState().messages.map(({ content }) => content) };
    };
    const clients = [client(), client(), client()];
    await clients[0]?.runner.sendMessage("0");
    for (const { runner } of clients) await runner.load();
    return clients;
  }

  test.each([true, false])(
    "each message is shown once and answered, in the same order for all; they follow: %s",
    async (follows) => {
      const clients = await world();
      if (follows) for (const { runner } of clients) runner.follow();
      const results = await Promise.all(clients.map(({ runner }, at) => runner.sendMessage(`m${at}`)));
      expect(results).toMatchObject(clients.map(() => ({ status: "finished", error: undefined })));
      for (const { runner } of clients) await runner.load();
      const all = clients[0]?.shown() ?? [];
      expect(clients.map(({ shown }) => shown())).toEqual([all, all, all]);
      const said = all.filter((_, at) => at % 2 === 0);
      expect(all.filter((_, at) => at % 2 === 1)).toEqual(said.map((text) => `To ${text as string}`));
      expect([...said].sort()).toEqual(["0", "m0", "m1", "m2"]);
      for (const { runner } of clients)
        expect([runner.status, runner.error, runner.thread.pending]).toEqual(["ready", undefined, []]);
    },
  );

  test("with whileRunning: refuse, the slower one is told, and may try again", async () => {
    const [one, other] = await world("refuse");
    if (!one || !other) throw new Error("unreachable");
    const results = await Promise.all([one.runner.sendMessage("A"), other.runner.sendMessage("B")]);
    expect(results).toMatchObject([{ status: "finished" }, { status: "error", error: { status: 409 } }]);
    expect(other.runner.error).toMatchObject({ status: 409 });
    expect((await other.runner.retry()).status).toBe("finished");
    expect(other.shown().slice(-2)).toEqual(["B", "To B"]);
  });
});
