// The tokens of a message that was streamed without them, and that its node returned with them.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

const usage_metadata = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };

test.each([
  ["whole", []],
  ["streamed", [{}, {}]],
  ["streamed, with the usage in the last chunk", [{}, { usage_metadata }]],
])("a message %s: its usage counts once, in its own turn", async (_, chunks: object[]) => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }, { message }) => {
      const id = `a${messages.length}`;
      for (const chunk of chunks) message({ type: "AIMessageChunk", id, content: "H", ...chunk });
      // A node may return the messages that were there, too.
      return { messages: [...messages, { type: "ai" as const, id, content: "HH", usage_metadata }] };
    })
    .addEdge(START, "answer")
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveAgUi(graph);
  const runner = new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
    url: "http://localhost/",
    fetch: async (url, init) => handler(new Request(url, init)),
  });
  const own = [{ inputTokens: 3, outputTokens: 2, totalTokens: 5 }];
  expect((await runner.sendMessage("One")).usage).toEqual(own);
  expect((await runner.sendMessage("Two")).usage).toEqual(own);
});
