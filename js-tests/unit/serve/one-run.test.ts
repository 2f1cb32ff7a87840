// Requests that come together for one thread: one gets it, whichever server of the graph it came to.
import { defineSchema, field } from "threadfold";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, type FetchHandler } from "threadfold/serve";
import { expect, test } from "vitest";

const post = async (handler: FetchHandler, body: object) => {
  const input = { threadId: "t", runId: crypto.randomUUID(), ...body };
  const response = await handler(
    new Request("http://localhost/", { method: "POST", body: JSON.stringify(input), headers: { accept: "*/*" } }),
  );
  await response.text();
  return response.status;
};

/** A graph whose runs go on until they are let go, and how many of them are at work. */
function heldGraph() {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const atWork: string[] = [];
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("work", async ({ messages }) => {
      atWork.push(messages.at(-1)?.id as string);
      await gate;
    })
    .addEdge(START, "work")
    .compile({ checkpointer: new MemorySaver() });
  return { graph, atWork, letGo };
}

const message = (id: string) => ({ messages: [{ id, role: "user", content: id }] });

test.each([1, 2])(
  "of requests in one tick to %d servers, one is answered 200 and keeps its message",
  async (servers) => {
    const { graph, atWork, letGo } = heldGraph();
    const handlers = Array.from({ length: servers }, () => serveAgUi(graph, { resumable: true }));
    const ids = ["a", "b", "c", "d"];
    const asked = ids.map((id, at) => post(handlers[at % servers] as FetchHandler, message(id)));
    const refused = await Promise.race([Promise.all(asked.slice(1)), Promise.all(asked.slice(0, 3))]);
    expect(refused).toEqual([409, 409, 409]);
    letGo();
    expect(await Promise.all(asked)).toEqual([200, 409, 409, 409]);
    expect(atWork).toEqual(["a"]);
    const { values } = await graph.getState({ threadId: "t" });
    expect((values as { messages: { id?: string }[] }).messages.map(({ id }) => id)).toEqual(["a"]);
  },
);

test("a request that comes twice in one tick starts one run, which both follow", async () => {
  const { graph, atWork, letGo } = heldGraph();
  const handler = serveAgUi(graph, { resumable: true });
  const asked = [1, 2].map(() => post(handler, { runId: "r", ...message("a") }));
  await expect.poll(() => atWork).toEqual(["a"]);
  letGo();
  expect(await Promise.all(asked)).toEqual([200, 200]);
  expect(atWork).toEqual(["a"]);
});

test("two answers in one tick to one question run its tool once", async () => {
  const sent: unknown[] = [];
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? "Done."
        : { content: "", tool_calls: [{ id: "c", name: "send", args: { to: "Ada" } }] },
    tools: [
      tool({
        name: "send",
        run: ({ to }) => {
          sent.push(to);
          return "ok";
        },
      }),
    ],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  const handlers = [serveAgUi(agent), serveAgUi(agent)];
  await post(handlers[0] as FetchHandler, message("q"));
  const [task] = (await agent.getState({ threadId: "t" })).tasks;
  const answer = {
    messages: [],
    resume: [
      { interruptId: task?.interrupts[0]?.id, status: "resolved", payload: { decisions: [{ type: "approve" }] } },
    ],
  };
  const statuses = await Promise.all(handlers.map((handler) => post(handler, answer)));
  expect(statuses).toContain(200);
  expect(sent).toEqual(["Ada"]);
});
