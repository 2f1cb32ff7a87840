// A user who abandons an approval rejects the calls.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport, type RunnableGraph } from "threadfold/ag-ui";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";
import { graphEvents } from "../../support/graph-events";

const runnerOf = (graph: RunnableGraph) =>
  new AgUiRunner(new Thread<AgUiState>(), {
    transport: graphTransport(graph),
  });

const agent = (interruptMode: "per_turn" | "per_call", allowed: string[] | true = true) => {
  const sent: string[] = [];
  const graph = createAgent({
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? "Well then."
        : { content: "", tool_calls: ["Ada", "Bob"].map((to) => ({ id: to, name: "send", args: { to } })) },
    tools: [tool({ name: "send", run: ({ to }: { to: string }) => void sent.push(to) })],
    middleware: [
      humanInTheLoopMiddleware({
        interruptOn: { send: allowed === true ? true : { allowedDecisions: allowed as never } },
        ...(interruptMode === "per_call" && { interruptMode }),
      }),
    ],
    checkpointer: new MemorySaver(),
  });
  return { sent, runner: runnerOf(graph) };
};

test.each(["per_turn", "per_call"] as const)("%s: the model is notified that they were rejected", async (mode) => {
  const { sent, runner } = agent(mode);
  const asked = await runner.sendMessage("Write to Ada and Bob.");
  expect(asked.interrupts).toHaveLength(mode === "per_call" ? 2 : 1);
  const cancelled = runner.interrupts.map(({ id }) => ({ id, cancelled: true }));
  expect(await runner.resume(cancelled)).toMatchObject({ status: "finished" });
  const results = runner.thread.getState().messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
  expect(results).toEqual([expect.stringContaining("rejected"), expect.stringContaining("rejected")]);
  expect([sent, runner.thread.getState().messages.at(-1)?.content]).toEqual([[], "Well then."]);
});

test("one call is rejected, the other approved", async () => {
  const { sent, runner } = agent("per_call");
  await runner.sendMessage("Write to Ada and Bob.");
  const [ada, bob] = runner.interrupts;
  const decisions = [
    { id: ada?.id, cancelled: true },
    { id: bob?.id, value: { type: "approve" } },
  ];
  expect(await runner.resume(decisions)).toMatchObject({ status: "finished" });
  expect(sent).toEqual(["Bob"]);
});

test("where it may not be rejected, the run fails and still asks", async () => {
  const { sent, runner } = agent("per_turn", ["approve"]);
  await runner.sendMessage("Write to Ada and Bob.");
  expect((await runner.resume({ cancelled: true })).status).toBe("error");
  expect(runner.interrupts).toHaveLength(1);
  const decisions = [{ type: "approve" }, { type: "approve" }];
  expect(await runner.resume({ value: { decisions } })).toMatchObject({ status: "finished" });
  expect(sent).toEqual(["Ada", "Bob"]);
});

test("langchain.js's approval, which spells its request otherwise, is rejected too; a question of a graph gets the mark", async () => {
  const asked: unknown[] = [];
  const note = (answer: unknown) => {
    asked.push(answer);
    return {};
  };
  const question = { actionRequests: [{ name: "send", args: {} }], reviewConfigs: [] };
  const graphs = [
    new theirs.StateGraph(theirs.MessagesAnnotation)
      .addNode("ask", () => note(theirs.interrupt(question)))
      .addEdge(theirs.START, "ask")
      .compile({ checkpointer: new theirs.MemorySaver() }),
    new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("ask", (_, { interrupt }) => note(interrupt("Why?")))
      .addEdge(START, "ask")
      .compile({ checkpointer: new MemorySaver() }),
  ];
  for (const graph of graphs) {
    const runner = runnerOf(graph);
    await runner.sendMessage("Hi");
    expect(await runner.resume({ cancelled: true })).toMatchObject({ status: "finished" });
  }
  expect(asked).toEqual([
    { decisions: [{ type: "reject" }] },
    { __agui_cancelled__: true, interrupt_id: expect.any(String) as string },
  ]);
});

test("a question that the graph has lost is asked again", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("ask", (_, { interrupt }) => ({
      messages: [{ type: "ai", content: `Said ${String(interrupt("Why?"))}.` }],
    }))
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const runner = runnerOf(graph);
  await runner.sendMessage("Hi");
  const { threadId = "" } = runner.thread;
  const resume = [{ interruptId: "0".repeat(32), status: "cancelled" }];
  const types: unknown[] = [];
  for await (const { type, metadata } of graphEvents(graph, { threadId, runId: "r", messages: [], resume }))
    types.push(metadata ?? type);
  expect(types.at(-1)).toEqual({
    threadfold: { interrupts: [expect.objectContaining({ id: runner.interrupts[0]?.id })] },
  });
  expect(await runner.resume({ value: "so" })).toMatchObject({ status: "finished" });
});
