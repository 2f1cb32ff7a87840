// serveAgUi(graph) and serveLangGraph(graph) of one graph, side by side: a thread has one run at a time, whichever began it.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveAgUi, serveLangGraph } from "threadfold/serve";
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
  const agUiThread = async () => (await agUi(new Request("http://localhost/threads/t"))).json() as Promise<object>;
  return { ask, run, get, agUiThread, letGo, questionId, paid: () => paid };
}

const answered = async ({ questionId }: ReturnType<typeof bothServers>) => ({
  resume: [{ interruptId: await questionId(), status: "resolved", payload: true }],
});

test("AG-UI names no run of LangGraph's to join, and serves the thread meanwhile", async () => {
  const both = bothServers();
  await (await both.ask({})).text();
  const { run_id } = (await (await both.run({ command: { resume: true } })).json()) as { run_id: string };
  expect(await both.agUiThread()).toMatchObject({ messages: [{ content: "Pay" }] });
  expect(await both.agUiThread()).not.toHaveProperty("run");
  both.letGo();
  await both.get(`/threads/t/runs/${run_id}/join`);
  expect(await both.agUiThread()).toMatchObject({ messages: [{ content: "Pay" }, { content: "Paid 1." }] });
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

test.each(["its own", "one"])(
  "a thread deleted through LangGraph leaves no run of AG-UI's; each server has a store: %s",
  async (whose) => {
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("answer", async ({ messages }, { signal }) => {
        if (messages.length > 2)
          await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
        return { messages: [{ type: "ai", content: "Hello" }] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const runs = whose === "one" ? new MemoryRuns() : undefined;
    const [agUi, langGraph] = [serveAgUi(graph, { resumable: true, runs }), serveLangGraph(graph, { runs })];
    const start = (runId: string) => {
      const body = { threadId: "t", runId, messages: [{ id: runId, role: "user", content: "Hi" }] };
      return agUi(new Request("http://localhost/", { method: "POST", body: JSON.stringify(body) }));
    };
    await (await start("r1")).text();
    const under = await start("r2");
    const deleted = await langGraph(new Request("http://localhost/threads/t", { method: "DELETE" }));
    expect(deleted.status).toBe(204);
    expect(await under.text()).toContain('"cancelled"');
    for (const path of ["/threads/t/runs/r1", "/threads/t/runs/r2", "/threads/t", "/threads/t/events"])
      expect((await agUi(new Request(`http://localhost${path}`))).status).toBe(404);
  },
);

test("a run fails if the store cannot say when the run before it is over", async () => {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const store = new MemoryRuns();
  const follow = store.follow.bind(store);
  store.follow = (key, after, signal) => {
    if (after === Infinity) throw new Error("The store is away.");
    return follow(key, after, signal);
  };
  const checkpointer = new MemorySaver();
  const [first, second] = [0, 1].map(() => {
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("wait", () => gate.then(() => ({})))
      .addEdge(START, "wait")
      .addEdge("wait", END)
      .compile({ checkpointer });
    const handler = serveLangGraph(graph, { runs: store });
    return async (path: string) => {
      const body = { assistant_id: "agent", input: { messages: [] } };
      const request = new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) });
      return (await handler(request)).json() as Promise<object>;
    };
  });
  await first?.("/threads/t/runs");
  const told = { __error__: { error: "Error", message: "The store is away." } };
  expect(await second?.("/threads/t/runs/wait")).toEqual(told);
  letGo();
  expect(await first?.("/threads/t/runs/wait")).toEqual({ messages: [] });
});
