// serveAgUi(graph) and serveLangGraph(graph) of one graph, side by side: a thread has one run at a time, whichever began it.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

/** Both servers of a graph that asks before it pays, and stays in the payment until it is let go. */
function bothServers() {
  let paid = 0;
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("pay", async (_, { interrupt }) => {
      interrupt("Pay?");
      await gate;
      return { messages: [{ type: "ai", content: `Paid ${++paid}.` }] };
    })
    .addEdge(START, "pay")
    .addEdge("pay", END)
    .compile({ checkpointer: new MemorySaver() });
  const [agUi, langGraph] = [serveAgUi(graph), serveLangGraph(graph)];
  const post = (handler: typeof agUi, path: string, body: object) =>
    handler(new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) }));
  const messages = [{ id: "q", role: "user", content: "Pay" }];
  const ask = (more: object) => post(agUi, "/", { threadId: "t", runId: "r", messages, ...more });
  const run = (more: object) => post(langGraph, "/threads/t/runs", { assistant_id: "agent", ...more });
  const questionId = async () => (await graph.getState({ threadId: "t" })).tasks[0]?.interrupts[0]?.id;
  const get = async (path: string) =>
    (await langGraph(new Request(`http://localhost${path}`))).json() as Promise<{ [field: string]: unknown }>;
  return { ask, run, get, letGo, questionId, paid: () => paid };
}

const answered = async ({ questionId }: ReturnType<typeof bothServers>) => ({
  resume: [{ interruptId: await questionId(), status: "resolved", payload: true }],
});

describe("an approval given through both", () => {
  test("AG-UI first: LangGraph's run waits, and nothing is paid twice", async () => {
    const both = bothServers();
    await (await both.ask({})).text();
    const first = await both.ask({ runId: "r2", ...(await answered(both)) });
    expect(await both.get("/threads/t")).toMatchObject({ status: "busy" });
    expect((await both.run({ command: { resume: true }, multitask_strategy: "reject" })).status).toBe(409);
    const { run_id } = (await (await both.run({ command: { resume: true } })).json()) as { run_id: string };
    expect(await both.get(`/threads/t/runs/${run_id}`)).toMatchObject({ status: "pending" });
    both.letGo();
    expect(await first.text()).toContain("RUN_FINISHED");
    await both.get(`/threads/t/runs/${run_id}/join`);
    expect(both.paid()).toBe(1);
    expect(await both.get("/threads/t")).toMatchObject({ status: "idle" });
  });

  test("LangGraph first: AG-UI is refused with 409 until that is over", async () => {
    const both = bothServers();
    await (await both.ask({})).text();
    const answer = await answered(both);
    const { run_id } = (await (await both.run({ command: { resume: true } })).json()) as { run_id: string };
    expect((await both.ask({ runId: "r2", ...answer })).status).toBe(409);
    both.letGo();
    await both.get(`/threads/t/runs/${run_id}/join`);
    expect((await both.ask({ runId: "r3", messages: [] })).status).toBe(200);
    expect(both.paid()).toBe(1);
  });
});
