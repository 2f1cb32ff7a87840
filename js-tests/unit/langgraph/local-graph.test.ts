// A graph of langgraph.js in the same program: its own stream differs from a server's.
import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, END, START, StateGraph } from "@langchain/langgraph";
import { Thread, type Source } from "threadfold";
import { foldGraph, foldLangGraph } from "threadfold/langgraph";
import { expect, test } from "vitest";

const graph = new StateGraph(MessagesAnnotation)
  .addNode("answer", () => ({ messages: [new AIMessage({ id: "a", content: "Hello" })] }))
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile();
const INPUT = { messages: [{ type: "human", id: "q", content: "Hi" }] } as never;

function watched() {
  const thread = new Thread();
  const errors: { code: string; message: string }[] = [];
  thread.on("error", ({ code, message }) => errors.push({ code, message }));
  return { thread, errors };
}

test.each([
  ["bare states", "values"],
  ["tuples", ["values", "updates"]],
] as const)("its %s are no parts, and the error says what folds them", async (_, streamMode) => {
  const { thread, errors } = watched();
  await foldLangGraph(
    thread,
    (await graph.stream(INPUT, { streamMode: streamMode as never })) as unknown as Source<object>,
  );
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors)
    expect(error).toEqual({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("foldGraph(thread, graph.stream(…))") as string,
    });
  expect(thread.getState().messages).toEqual([]);
});

test("wrapped in parts, they are folded", async () => {
  const { thread, errors } = watched();
  async function* parts(): AsyncGenerator<object> {
    for await (const [mode, chunk] of await graph.stream(INPUT, { streamMode: ["values", "updates"] }))
      yield { event: mode, data: chunk as unknown };
  }
  await foldLangGraph(thread, parts());
  expect(errors).toEqual([]);
  expect(thread.getState().messages.map(({ id, content }) => [id, content])).toEqual([
    ["q", "Hi"],
    ["a", "Hello"],
  ]);
});

test("a part of server-sent events without a name is ignored, without an error", async () => {
  const { thread, errors } = watched();
  const body = 'data: {"beat":1}\n\nevent: values\ndata: {"messages":[{"type":"human","id":"q","content":"Hi"}]}\n\n';
  await foldLangGraph(thread, new Response(body, { headers: { "content-type": "text/event-stream" } }));
  expect(errors).toEqual([]);
  expect(thread.getState().messages.length).toBe(1);
});

test.each([undefined, null, "values", 5, {}, Promise.resolve({})])(
  "a stream that is %o is refused, and changes nothing",
  async (given) => {
    const thread = new Thread();
    const { run } = thread;
    await expect(foldGraph(thread, given as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("foldGraph: the second argument is not an async iterable."),
    });
    expect(thread.run).toBe(run);
  },
);
