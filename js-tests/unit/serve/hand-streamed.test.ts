// A model that streams its text manually and returns the whole message: its tool calls are streamed, too.
import type { BaseEvent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { defineSchema, field, Thread, toLangChain, type AgUiState } from "threadfold";
import { agentTransport, AgUiRunner } from "threadfold/ag-ui";
import { GraphAgent } from "threadfold/ag-ui/client";
import { createAgent, tool } from "threadfold/agent";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";
import { graphEvents } from "../../support/graph-events";

const CALL = { id: "c", name: "x", args: { n: 1 } };

const agent = (checkpointer = new MemorySaver()) =>
  createAgent({
    model: (messages, { onToken }) => {
      if (messages.at(-1)?.type === "tool") return "ok";
      onToken?.("Hm.");
      return { content: "Hm.", tool_calls: [CALL] };
    },
    tools: [tool({ name: "x", run: () => "done" })],
    checkpointer,
  });

const INPUT = { threadId: "t", runId: "r", messages: [{ id: "q", role: "user", content: "?" }] };

async function eventsOf(graph: Parameters<typeof graphEvents>[0]): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of graphEvents(graph, INPUT)) {
    EventSchemas.parse(event);
    if (/^(TEXT|TOOL)/.test(event.type)) events.push(event);
  }
  return events;
}

const told = (events: readonly Record<string, unknown>[]) =>
  events.map(({ type, delta, toolCallId }) => [type, delta, toolCallId].filter(Boolean).join(" "));

const WITH_CALL = [
  "TEXT_MESSAGE_START",
  "TEXT_MESSAGE_CONTENT Hm.",
  "TOOL_CALL_START c",
  'TOOL_CALL_ARGS {"n":1} c',
  "TEXT_MESSAGE_END",
  "TOOL_CALL_END c",
];

test("of an agent, before the tool's result", async () => {
  const events = await eventsOf(agent());
  expect(told(events).slice(0, 7)).toEqual([...WITH_CALL, "TOOL_CALL_RESULT c"]);
  expect(events.find(({ type }) => type === "TOOL_CALL_START")).toMatchObject({
    toolCallName: "x",
    parentMessageId: events[0]?.["messageId"],
  });
});

test("of an agent within a graph", async () => {
  const outer = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("inner", agent() as never)
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile();
  expect(told(await eventsOf(outer)).slice(0, 7)).toEqual([...WITH_CALL, "TOOL_CALL_RESULT c"]);
});

test.each(["chunks, and then the message itself", "a last chunk"])("of a node that says %s", async (how) => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("a", (_, { message }) => {
      const whole = { type: "ai", id: "a1", content: "Hm.", tool_calls: [CALL] };
      message({ type: "AIMessageChunk", id: "a1", content: "Hm." });
      if (how === "a last chunk") message({ type: "AIMessageChunk", id: "a1", content: "", chunk_position: "last" });
      else message(whole);
      return { messages: [whole] };
    })
    .addEdge(START, "a")
    .addEdge("a", END)
    .compile();
  const events = told(await eventsOf(graph));
  expect([...events].sort()).toEqual([...WITH_CALL].sort());
});

test("and a page shows the call while the tool runs", async () => {
  const thread = new Thread<AgUiState>();
  const shown: unknown[] = [];
  const runner = new AgUiRunner(thread, {
    transport: agentTransport(new GraphAgent({ graph: agent() })),
    onEvent: ({ type }: BaseEvent) => {
      if (type !== "TOOL_CALL_RESULT") return;
      shown.push(
        ...thread.getState().messages.map(({ role, toolCalls }: Record<string, unknown>) => [role, toolCalls]),
      );
    },
  } as never);
  await runner.sendMessage("?");
  expect(shown).toMatchObject([
    ["user", undefined],
    ["assistant", [{ id: "c", function: { name: "x", arguments: '{"n":1}' } }]],
    ["tool", undefined],
  ]);
});

test("a message's calls are sent once, and come back as they were", async () => {
  const graph = agent();
  const snapshots: Record<string, unknown>[] = [];
  for await (const event of graphEvents(graph, INPUT)) if (event.type === "MESSAGES_SNAPSHOT") snapshots.push(event);
  const [, said] = (snapshots.at(-1)?.["messages"] ?? []) as Record<string, unknown>[];
  expect(said).toMatchObject({ toolCalls: [{ id: "c", function: { arguments: '{"n":1}' } }] });
  expect(JSON.stringify(said)).not.toContain("tool_calls");
  expect(toLangChain(said as never)).toMatchObject({ type: "ai", content: "Hm.", tool_calls: [CALL] });
});

test("a failed run's broken text has no end: the page shows it until the next run, and never sends it", async () => {
  const asked: unknown[] = [];
  let turn = 0;
  const graph = createAgent({
    model: (messages, { onToken }) => {
      asked.push(messages.map(({ content }) => content));
      if (turn++ > 0) return "Fine.";
      onToken?.("The capital is ");
      throw new Error("overloaded");
    },
    checkpointer: new MemorySaver(),
  });
  const types: string[] = [];
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run(input, { signal }) {
        for await (const event of graphEvents(graph, input, { signal })) {
          types.push(event.type);
          yield event;
        }
      },
    },
  });
  expect((await runner.sendMessage("Which?")).status).toBe("error");
  expect(types.filter((type) => type.startsWith("TEXT"))).toEqual(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Which?", "The capital is "]);
  expect((await runner.sendMessage("Never mind")).status).toBe("finished");
  expect(asked).toEqual([["Which?"], ["Which?", "Never mind"]]);
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Which?", "Never mind", "Fine."]);
});

test.each([true, false])(
  "a message that a node says and does not return is gone at the end (resumable: %s)",
  async (resumable) => {
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      // No event of AG-UI has it: a snapshot does.
      .addNode("shows", () => ({ messages: [{ type: "human", id: "h", content: "A picture." }] }))
      .addNode("thinks", (_, { message }) => {
        message({ type: "AIMessageChunk", id: "a1", content: "Hm." });
        return {};
      })
      .addEdge(START, "shows")
      .addEdge("shows", "thinks")
      .addEdge("thinks", END)
      .compile({ checkpointer: new MemorySaver() });
    const handler = serveAgUi(graph, { resumable });
    const thread = new Thread<AgUiState>();
    const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
    await new AgUiRunner(thread, { url: "http://localhost/agent", resumable, fetch }).sendMessage("?");
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["?", "A picture."]);
  },
);
