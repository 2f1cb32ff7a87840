// Changes by the user of an AgUiRunner count on the server, whatever the thread has; a stop reaches a run that has not answered.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

const schema = defineSchema({
  messages: field.messages(),
  sum: field.reducer((total: number, more: number) => total + more, { default: () => 0 }),
  log: field.append<string>(),
});
type State = AgUiState & { sum?: number; log?: string[] };

const graphOf = (wait = 0) =>
  new StateGraph(schema)
    .addNode("work", async (_, { signal }) => {
      if (wait > 0)
        await new Promise((resolve, reject) => {
          setTimeout(resolve, wait);
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        });
      return { messages: { type: "ai", content: "worked" } };
    })
    .addEdge(START, "work")
    .compile({ checkpointer: new MemorySaver() });

const runnerOf = (graph: ReturnType<typeof graphOf>, delay = 0, methods: string[] = []) => {
  const handler = serveAgUi(graph, { resumable: true });
  const fetch: typeof globalThis.fetch = async (url, init) => {
    methods.push(init?.method ?? "GET");
    const response = handler(new Request(url as string, init));
    await new Promise((resolve) => setTimeout(resolve, delay));
    return response;
  };
  return new AgUiRunner(new Thread<State>({ schema: schema as never }), {
    url: "http://x/agent",
    resumable: true,
    fetch,
  });
};

test.each([
  ["over HTTP", (graph: ReturnType<typeof graphOf>) => runnerOf(graph)],
  [
    "in the page",
    (graph: ReturnType<typeof graphOf>) =>
      new AgUiRunner(new Thread<State>({ schema: schema as never }), { transport: graphTransport(graph) }),
  ],
])("an update that equals the field's value is another one, %s", async (_, begin) => {
  const graph = graphOf();
  const runner = begin(graph);
  for (const times of [1, 2, 3]) {
    expect(await runner.sendMessage("more", { input: { sum: 5, log: ["mine"] } as never })).toMatchObject({
      status: "finished",
    });
    const { values } = await graph.getState({ threadId: runner.thread.threadId } as never);
    const expected = { sum: 5 * times, log: Array.from({ length: times }, () => "mine") };
    expect(values).toMatchObject(expected);
    expect(runner.thread.getState()).toMatchObject(expected);
  }
});

test("a run is stopped that the server has not answered yet, and the next message goes out", async () => {
  const methods: string[] = [];
  const graph = graphOf(5_000);
  const runner = runnerOf(graph, 30, methods);
  const sending = runner.sendMessage("hello");
  await new Promise((resolve) => setTimeout(resolve, 10));
  const stopped = await runner.stop();
  expect([stopped.status, stopped.error]).toEqual(["stopped", undefined]);
  expect(await sending).toMatchObject({ status: "stopped" });
  expect(methods).toContain("DELETE");
  const next = runner.sendMessage("next");
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(runner.error).toBeUndefined();
  await runner.stop();
  expect(await next).toMatchObject({ status: "stopped", error: undefined });
});
