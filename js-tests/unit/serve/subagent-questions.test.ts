// Two sub-agents that ask, answered one by one, and a tab that opens in between.
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
const task = (id: string) => ({ id, name: "task", args: { subagent_type: "booker", description: `Book ${id}.` } });

const agent = () =>
  createDeepAgent({
    model: (messages) =>
      isResult(messages as readonly Said[]) ? "Done." : { content: "", tool_calls: [task("c1"), task("c2")] },
    subagents: [
      {
        name: "booker",
        description: "books",
        model: (messages) =>
          isResult(messages as readonly Said[])
            ? "Booked."
            : { content: "", tool_calls: [{ id: "b", name: "book", args: {} }] },
        tools: [tool({ name: "book", run: () => "ok" })],
        interruptOn: { book: true },
      },
    ],
    checkpointer: new MemorySaver(),
  });

type Runner = Pick<LangGraphRunner, "sendMessage" | "load" | "resume" | "interrupts" | "status" | "dispose">;
interface Served {
  open(thread: Thread): Runner;
  /** Answers one question, as a client does that sends each answer at once. */
  answer(decision: { readonly id: string; readonly value: object }): Promise<unknown>;
}

const requesting = (serve: FetchHandler) => async (url: RequestInfo | URL, init?: RequestInit) =>
  serve(new Request(url, init));
const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });

const PROTOCOLS: Record<string, (graph: ReturnType<typeof agent>) => Served> = {
  "AG-UI": (graph) => {
    const fetch = requesting(serveAgUi(graph, { subagents: true, resumable: true }));
    const url = "http://localhost/agent";
    return {
      open: (thread) => new AgUiRunner(thread as never, { url, fetch, resumable: true }) as Runner,
      answer: async ({ id, value }) => {
        const resume = [{ interruptId: id, status: "resolved", payload: value }];
        return (await fetch(url, post({ threadId: "t", runId: "partial", messages: [], state: {}, resume }))).text();
      },
    };
  },
  LangGraph: (graph) => {
    const fetch = requesting(serveLangGraph(graph));
    const options = { apiUrl: "http://localhost", assistantId: "agent", subgraphs: true, fetch };
    return {
      open: (thread) => new LangGraphRunner(thread, options),
      answer: async ({ id, value }) => {
        const command = { resume: { [id]: value } };
        return (await fetch("http://localhost/threads/t/runs/wait", post({ assistant_id: "agent", command }))).text();
      },
    };
  },
};

const approve = ({ id }: { id: string }) => ({ id, value: { decisions: [{ type: "approve" }] } });
const standing = (thread: Thread) =>
  thread.subagents.map(
    ({ toolCallId, thread: { run } }) => `${toolCallId} ${run.status} ${run.interrupts?.length ?? 0}`,
  );

test.each(Object.entries(PROTOCOLS))("%s: one of two questions is answered elsewhere", async (_, serve) => {
  const { open, answer } = serve(agent());
  const thread = new Thread({ threadId: "t" });
  const runner = open(thread);
  await runner.sendMessage("Go");
  expect(standing(thread)).toEqual(["c1 interrupted 1", "c2 interrupted 1"]);
  const [first, second] = runner.interrupts;
  await answer(approve(first as { id: string }));
  await runner.load();
  expect(runner.interrupts.map(({ id, subagentId }) => [id, subagentId])).toEqual([[second?.id, second?.subagentId]]);
  expect(standing(thread)).toEqual(["c1 ready 0", "c2 interrupted 1"]);
  expect((await runner.resume(runner.interrupts.map(approve) as never)).status).toBe("finished");
  expect(standing(thread)).toEqual(["c1 ready 0", "c2 ready 0"]);
});

test.each(Object.entries(PROTOCOLS))("%s: a kept answer is off the runner's list alone", async (_, serve) => {
  const { open } = serve(agent());
  const thread = new Thread({ threadId: "t" });
  const runner = open(thread);
  await runner.sendMessage("Go");
  const [first, second] = runner.interrupts;
  await runner.resume([approve(first as { id: string })] as never);
  expect(runner.interrupts.map(({ subagentId }) => subagentId)).toEqual([second?.subagentId]);
  expect(standing(thread)).toEqual(["c1 interrupted 1", "c2 interrupted 1"]);
});
