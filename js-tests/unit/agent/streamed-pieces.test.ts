// Pieces that a model function and a node of one's own stream.
import { createAgent, tool } from "threadfold/agent";
import { graphTransport } from "threadfold/ag-ui";
import { defineSchema, field } from "threadfold";
import { START, StateGraph } from "threadfold/graph";
import { concatChunk } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { graphEvents } from "../../support/graph-events";

type Part = { type: string; id?: string; content: unknown };
const input = { threadId: "t", runId: "r", messages: [{ id: "1", role: "user", content: "Go" }] };

/** The deltas of a run's events. */
async function deltasOf(graph: Parameters<typeof graphTransport>[0]): Promise<string[]> {
  const deltas: string[] = [];
  for await (const { type, delta } of graphEvents(graph, input)) if (delta) deltas.push(`${type} ${delta as string}`);
  return deltas;
}

const agent = () =>
  createAgent({
    model: (messages, { onToken, onToolCall }) => {
      if (messages.at(-1)?.type === "tool") return "Done.";
      onToken("Let me ");
      onToolCall({ index: 0, id: "c1", name: "look" });
      onToolCall({ index: 1, id: "c2", name: "look" });
      for (const args of ['{"at":', "1}"]) onToolCall({ index: 0, args });
      onToolCall({ index: 1, args: '{"at":2}' });
      const calls = [1, 2].map((at) => ({ id: `c${at}`, name: "look", args: { at } }));
      return { content: "Let me ", tool_calls: calls };
    },
    tools: [tool({ name: "look", run: () => "seen" })],
  });

test("a model function streams the arguments of its calls, in the forms of LangGraph and AG-UI", async () => {
  let whole: object | undefined;
  for await (const [message] of agent().stream({ messages: "Go" }, { streamMode: "messages" }))
    if ((message as Part).type === "AIMessageChunk") whole = concatChunk(whole as never, message as never);
  expect(whole).toMatchObject({
    content: "Let me ",
    tool_calls: [
      { id: "c1", name: "look", args: { at: 1 } },
      { id: "c2", name: "look", args: { at: 2 } },
    ],
  });
  const deltas = await deltasOf(agent());
  expect(deltas.filter((one) => one.startsWith("TOOL"))).toEqual([
    'TOOL_CALL_ARGS {"at":',
    "TOOL_CALL_ARGS 1}",
    'TOOL_CALL_ARGS {"at":2}',
  ]);
});

test("a node that sends a token as a message of one id streams each of them", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("speak", (_, ctx) => {
      for (const content of ["He", "llo", "!"]) ctx.message({ type: "ai", id: "m", content });
      return { messages: [{ type: "ai", id: "m", content: "Hello!" }] };
    })
    .addEdge(START, "speak")
    .compile();
  const pieces: Part[] = [];
  for await (const [message] of graph.stream({ messages: [] }, { streamMode: "messages" }))
    pieces.push(message as Part);
  expect(pieces.map(({ type, content }) => [type, content])).toEqual(
    ["He", "llo", "!"].map((content) => ["AIMessageChunk", content]),
  );
  expect(await deltasOf(graph)).toEqual(["He", "llo", "!"].map((delta) => `TEXT_MESSAGE_CONTENT ${delta}`));
});

test("a whole message that a node sends keeps its calls", async () => {
  const tool_calls = [{ id: "c1", name: "look", args: { at: 1 } }];
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("speak", (_, ctx) => {
      ctx.message({ type: "ai", id: "m", content: "", tool_calls });
      return { messages: [{ type: "ai", id: "m", content: "", tool_calls }] };
    })
    .addEdge(START, "speak")
    .compile();
  expect(await deltasOf(graph)).toEqual(['TOOL_CALL_ARGS {"at":1}']);
});
