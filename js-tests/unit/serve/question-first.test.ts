// A tab that follows or loads a thread shows the message that a run answers before the answer, however slow the saver is.
import { Thread, defineSchema, field, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { afterEach, describe, expect, test } from "vitest";

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !holds(); await wait(1))
    if (performance.now() > end) throw new Error("It never came to that.");
}

/** A saver that holds back what it is to write until it is let go. */
class SlowSaver extends MemorySaver {
  held: Promise<void> = Promise.resolve();
  override async put(...given: Parameters<MemorySaver["put"]>) {
    await this.held;
    return super.put(...given);
  }
  override async putWrites(...given: Parameters<MemorySaver["putWrites"]>) {
    await this.held;
    return super.putWrites(...given);
  }
}

interface Said {
  readonly id?: string;
  readonly content?: unknown;
}

/** A graph that streams half an answer and waits; then it answers, asks or fails, as the question says. */
function graphOf(saver: MemorySaver, gate: Promise<void>) {
  return new StateGraph(defineSchema({ messages: field.messages(), count: field.replace<number>() }))
    .addNode("answer", async ({ messages }, { interrupt, message, signal }) => {
      const { content } = messages.at(-1) as Said;
      const id = `a${messages.length}`;
      message({ type: "AIMessageChunk", id, content: "Hal" } as never);
      if (content !== "Hi")
        await Promise.race([gate, new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      if (content === "Fail") throw new Error("It failed.");
      if (content === "Ask") interrupt({ message: "Sure?" });
      return { messages: [{ type: "ai" as const, id, content: "Half and whole" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
}

type Runner = AgUiRunner | LangGraphRunner;
const opened: Runner[] = [];
afterEach(() => {
  for (const runner of opened.splice(0)) runner.dispose();
});

const overLangGraph =
  (wire: "quiet" | "values") =>
  (fetch: typeof globalThis.fetch): Runner =>
    new LangGraphRunner(new Thread({ threadId: "t" }), {
      apiUrl: "http://localhost",
      assistantId: "agent",
      rejoinDelays: [5],
      wire,
      fetch,
    });

const PROTOCOLS = {
  "AG-UI": {
    serve: (graph: ReturnType<typeof graphOf>) => serveAgUi(graph, { resumable: true, interrupts: "outcome" }),
    make: (fetch: typeof globalThis.fetch): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
        url: "http://localhost/agent",
        resumable: true,
        rejoinDelays: [5],
        fetch,
      }),
  },
  "LangGraph, quiet": {
    serve: (graph: ReturnType<typeof graphOf>) => serveLangGraph(graph),
    make: overLangGraph("quiet"),
  },
  "LangGraph, values": {
    serve: (graph: ReturnType<typeof graphOf>) => serveLangGraph(graph),
    make: overLangGraph("values"),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, make }) => {
  function world() {
    const saver = new SlowSaver();
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const handler: FetchHandler = serve(graphOf(saver, gate));
    const client = () => {
      const runner = make(async (url, init) => handler(new Request(String(url), init)));
      opened.push(runner);
      const thread = runner.thread as Thread;
      const shown = () => thread.getState().messages.map(({ content }) => content);
      /** All that it has shown, each once. */
      const seen: string[] = [];
      thread.subscribe(() => {
        const now = shown().join(", ");
        if (now !== seen.at(-1)) seen.push(now);
      });
      return { runner, thread, shown, seen };
    };
    /** The saver writes nothing until the function is called. */
    const hold = () => {
      let go = () => {};
      saver.held = new Promise((resolve) => (go = resolve));
      return go;
    };
    return { client, hold, open };
  }

  const ASKED = {
    answers: ["Hi", "Half and whole", "More"],
    fails: ["Hi", "Half and whole", "Fail"],
    asks: ["Hi", "Half and whole", "Ask"],
  };

  test.each(Object.entries(ASKED))(
    "a run that %s: the question is shown first to a follower and to a tab that loads",
    async (_, asked) => {
      const { client, hold, open } = world();
      const [one, follower] = [client(), client()];
      await one.runner.sendMessage("Hi");
      follower.runner.follow();
      await until(() => follower.shown().length === 2 && follower.runner.status === "ready");
      for (const { seen } of [one, follower]) seen.length = 0;
      const go = hold();
      const sent = one.runner.sendMessage(asked[2]);
      await until(() => one.shown().length === 4 && follower.runner.status === "streaming");
      const late = client();
      const loaded = late.runner.load();
      await until(() => [follower, late].every(({ shown }) => shown().length === 4));
      const half = [...asked, "Hal"];
      expect([one.shown(), follower.shown(), late.shown()]).toEqual([half, half, half]);
      for (const { seen } of [one, follower])
        expect(seen.filter((now) => !now.startsWith("Hi, Half and whole"))).toEqual([]);
      go();
      open();
      await Promise.all([sent, loaded]);
      await until(() => [one, follower, late].every(({ runner }) => runner.status === one.runner.status));
      expect(follower.shown()).toEqual(one.shown());
      expect(late.shown()).toEqual(one.shown());
      expect(one.shown().slice(0, 3)).toEqual(asked);
      // No message came, went and came again, or stood elsewhere.
      for (const { seen } of [one, follower, late])
        expect(seen.filter((now) => now.includes("Hal,") || now.includes(`Hal, ${asked[2]}`))).toEqual([]);
    },
  );

  test("the first run of a thread, which no saver has yet", async () => {
    const { client, hold, open } = world();
    const [one, follower] = [client(), client()];
    const go = hold();
    follower.runner.follow();
    const sent = one.runner.sendMessage("More");
    await until(() => [one, follower].every(({ shown }) => shown().length === 2));
    const late = client();
    const loaded = late.runner.load();
    await until(() => late.shown().length === 2);
    for (const { shown } of [one, follower, late]) expect(shown()).toEqual(["More", "Hal"]);
    go();
    open();
    await Promise.all([sent, loaded]);
    await until(() => follower.runner.status === "ready");
    for (const { shown } of [one, follower, late]) expect(shown()).toEqual(["More", "Half and whole"]);
  });

  test("a run that is stopped: follower and loader keep the question and the half answer, as the sender does", async () => {
    const { client, hold } = world();
    const [one, follower] = [client(), client()];
    await one.runner.sendMessage("Hi");
    follower.runner.follow();
    await until(() => follower.shown().length === 2 && follower.runner.status === "ready");
    const go = hold();
    const sent = one.runner.sendMessage("More");
    await until(() => one.shown().length === 4 && follower.runner.status === "streaming");
    const late = client();
    const loaded = late.runner.load();
    await until(() => [follower, late].every(({ shown }) => shown().length === 4));
    const stopped = one.runner.stop();
    go();
    await Promise.all([stopped, sent, loaded]);
    await until(() => [one, follower, late].every(({ runner }) => runner.status === "ready"));
    const all = ["Hi", "Half and whole", "More", "Hal"];
    expect([one.shown(), follower.shown(), late.shown()]).toEqual([all, all, all]);
  });
});
