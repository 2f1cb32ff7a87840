// How a sub-agent stands whose question was answered elsewhere, or came before a reload.
import { createDeepAgent, tool } from "threadfold/agent";
import { Thread } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { MemorySaver } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { expect, test } from "vitest";

interface Said {
  readonly type: string;
}
const isResult = (messages: readonly Said[]) => messages.at(-1)?.type === "tool";

/** A sub-agent that speaks, then waits for leave to use its tool. */
const agent = (spoken: Promise<void>) =>
  createDeepAgent({
    model: (messages) =>
      isResult(messages as readonly Said[])
        ? "Done."
        : {
            content: "",
            tool_calls: [{ id: "c1", name: "task", args: { subagent_type: "booker", description: "Book." } }],
          },
    subagents: [
      {
        name: "booker",
        description: "books",
        model: async (messages, { onToken }) => {
          if (isResult(messages as readonly Said[])) return "Booked.";
          onToken("I book");
          await spoken;
          return { content: "I book", tool_calls: [{ id: "c2", name: "book", args: {} }] };
        },
        tools: [tool({ name: "book", run: () => "ok" })],
        interruptOn: { book: true },
      },
    ],
    checkpointer: new MemorySaver(),
  });

type Runner = Pick<LangGraphRunner, "sendMessage" | "load" | "resume" | "interrupts" | "status" | "dispose">;

const PROTOCOLS: Record<string, (graph: ReturnType<typeof agent>) => (thread: Thread) => Runner> = {
  "AG-UI": (graph) => {
    const serve: FetchHandler = serveAgUi(graph, { subagents: true, resumable: true });
    const fetch = async (url: RequestInfo | URL, init?: RequestInit) => serve(new Request(url, init));
    return (thread) =>
      new AgUiRunner(thread as never, { url: "http://localhost/agent", fetch, resumable: true }) as Runner;
  },
  LangGraph: (graph) => {
    const serve: FetchHandler = serveLangGraph(graph);
    const fetch = async (url: RequestInfo | URL, init?: RequestInit) => serve(new Request(url, init));
    const options = { apiUrl: "http://localhost", assistantId: "agent", subgraphs: true, fetch };
    return (thread) => new LangGraphRunner(thread, options);
  },
};

const approve = ({ id }: { id: string }) => ({ id, value: { decisions: [{ type: "approve" }] } });
const standing = (thread: Thread) =>
  thread.subagents.map(({ name, thread: { run } }) => `${name} ${run.status} ${run.interrupts?.length ?? 0}`);

test.each(Object.entries(PROTOCOLS))(
  "%s: answered in another tab, it is over once that is loaded",
  async (_, serve) => {
    const open = serve(agent(Promise.resolve()));
    const thread = new Thread({ threadId: "t" });
    const runner = open(thread);
    await runner.sendMessage("Go");
    expect(standing(thread)).toEqual(["booker interrupted 1"]);
    const other = open(new Thread({ threadId: "t" }));
    await other.load();
    expect((await other.resume(other.interrupts.map(approve) as never)).status).toBe("finished");
    await runner.load();
    expect([runner.status, standing(thread)]).toEqual(["ready", ["booker ready 0"]]);
  },
);

test.each(Object.entries(PROTOCOLS))("%s: reloaded before it asked, it asks", async (_, serve) => {
  let speak = () => {};
  const open = serve(agent(new Promise((resolve) => (speak = resolve))));
  const first = new Thread({ threadId: "t" });
  const left = open(first);
  const run = left.sendMessage("Go");
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (first.subagents[0]?.thread.messageIds.length) resolve(clearInterval(timer));
    }, 1);
  });
  const saved = JSON.parse(JSON.stringify(first)) as object;
  left.dispose();
  await run;
  const thread = Thread.fromJSON(saved) as Thread;
  const runner = open(thread);
  const loaded = runner.load();
  speak();
  expect((await loaded).status).toBe("interrupted");
  expect(standing(thread)).toEqual(["booker interrupted 1"]);
  expect(runner.interrupts[0]?.subagentId).toBe(thread.subagents[0]?.id);
  await runner.load();
  expect(runner.interrupts[0]?.subagentId).toBe(thread.subagents[0]?.id);
  expect((await runner.resume(runner.interrupts.map(approve) as never)).status).toBe("finished");
  expect(standing(thread)).toEqual(["booker ready 0"]);
});
