// Two tabs show a failed run, and both try again: it is answered once, and what came after it stays.
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

/** How many of the next runs fail, and what they wait for. */
interface Fails {
  left: number;
  held: Promise<void>;
}

/** A graph that numbers its answers. So many of its next runs fail after half of one. */
function graphOf(fails: Fails) {
  let count = 0;
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }, { message }) => {
      await fails.held;
      if (fails.left-- > 0) {
        message({ type: "AIMessageChunk", id: "half", content: "Hal" } as never);
        throw new Error("It failed.");
      }
      return {
        messages: [{ type: "ai", id: `a${++count}`, content: `${count}: ${messages.at(-1)?.content as string}` }],
      };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

const PROTOCOLS = {
  "AG-UI": {
    serve: (graph: ReturnType<typeof graphOf>) => serveAgUi(graph, { resumable: true }),
    make: (fetch: typeof globalThis.fetch): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
        url: "http://localhost/agent",
        resumable: true,
        fetch,
      }),
  },
  LangGraph: {
    serve: (graph: ReturnType<typeof graphOf>) => serveLangGraph(graph),
    make: (fetch: typeof globalThis.fetch): Runner =>
      new LangGraphRunner(new Thread({ threadId: "t" }), { apiUrl: "http://localhost", assistantId: "agent", fetch }),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, make }) => {
  /** Two tabs that have seen the second run fail. Neither follows. */
  async function world() {
    const fails: Fails = { left: 0, held: Promise.resolve() };
    const handler = serve(graphOf(fails));
    const tab = () => {
      const runner = make(async (url, init) => handler(new Request(String(url), init)));
      opened.push(runner);
      return { runner, shown: () => (runner.thread as Thread).getState().messages.map(({ content }) => content) };
    };
    const [one, other] = [tab(), tab()];
    await one.runner.sendMessage("A");
    const end = other.runner.follow();
    fails.left = 1;
    expect((await one.runner.sendMessage("B")).status).toBe("error");
    await expect.poll(() => other.runner.status).toBe("error");
    end();
    return { one, other, tab, fails };
  }

  const ANSWERED = ["A", "1: A", "B", "2: B"];

  test("one after the other: the second shows the answer", async () => {
    const { one, other } = await world();
    expect((await one.runner.retry()).status).toBe("finished");
    expect((await other.runner.retry()).status).toBe("finished");
    expect([one.shown(), other.shown()]).toEqual([ANSWERED, ANSWERED]);
    // Both go on from there.
    await other.runner.sendMessage("C");
    expect(other.shown()).toEqual([...ANSWERED, "C", "3: C"]);
  });

  test("a later message of the first stays", async () => {
    const { one, other, tab } = await world();
    await one.runner.retry();
    await one.runner.sendMessage("C");
    expect(await other.runner.retry()).toMatchObject({ status: "finished", error: undefined });
    const model = tab();
    await model.runner.load();
    const all = [...ANSWERED, "C", "3: C"];
    expect([one.shown(), model.shown()]).toEqual([all, all]);
    await other.runner.load();
    expect(other.shown()).toEqual(all);
  });

  test("both at once: one run answers, and both show it", async () => {
    const { one, other, fails } = await world();
    let go = () => {};
    fails.held = new Promise((resolve) => (go = resolve));
    const both = Promise.all([one.runner.retry(), other.runner.retry()]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    go();
    const results = await both;
    expect(results.map(({ status }) => status)).toEqual(["finished", "finished"]);
    for (const { runner } of [one, other]) await runner.load();
    expect([one.shown(), other.shown()]).toEqual([ANSWERED, ANSWERED]);
  });

  test("while the first is answered, the second joins it", async () => {
    const { one, other, fails } = await world();
    let go = () => {};
    fails.held = new Promise((resolve) => (go = resolve));
    const first = one.runner.retry();
    await expect.poll(() => one.runner.status).toBe("streaming");
    const second = other.runner.retry();
    await new Promise((resolve) => setTimeout(resolve, 20));
    go();
    expect([(await first).status, (await second).status]).toEqual(["finished", "finished"]);
    await other.runner.load();
    expect([one.shown(), other.shown()]).toEqual([ANSWERED, ANSWERED]);
  });

  test("a run that nobody has made again is made, however often it fails", async () => {
    const { other, fails } = await world();
    fails.left = 1;
    expect((await other.runner.retry()).status).toBe("error");
    expect((await other.runner.retry()).status).toBe("finished");
    expect(other.shown()).toEqual(ANSWERED);
  });

  test("a regeneration answers again, of this message or an earlier one", async () => {
    const { one, other } = await world();
    await one.runner.retry();
    await other.runner.retry();
    expect((await other.runner.regenerate()).status).toBe("finished");
    expect(other.shown()).toEqual(["A", "1: A", "B", "3: B"]);
    const { other: third } = await world();
    const [first] = (third.runner.thread as Thread).messageIds;
    expect((await third.runner.regenerate({ messageId: first })).status).toBe("finished");
    expect(third.shown()).toEqual(["A", "2: A"]);
  });
});
