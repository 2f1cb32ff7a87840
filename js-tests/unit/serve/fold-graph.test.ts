// foldGraph(thread, graph.stream(…)): a graph in the same program, folded into a thread without a server.
import { Command } from "@langchain/langgraph";
import { Thread, ThreadfoldError } from "threadfold";
import { foldGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { OURS } from "./libraries";

const asking = (content: string) => ({ messages: [{ type: "human" as const, id: `q-${content}`, content }] });
const MODES = { streamMode: ["values", "messages", "custom"] as ("values" | "messages" | "custom")[], subgraphs: true };
const contents = (thread: Thread) => thread.getState().messages.map(({ content }) => content);

function watched(threadId = "t") {
  const thread = new Thread({ threadId });
  const errors: string[] = [];
  thread.on("error", ({ message }) => errors.push(message));
  return { thread, errors, config: { ...MODES, configurable: { thread_id: threadId } } };
}

describe.each(OURS)("$library", ({ chatGraph, nestedGraph }) => {
  test("shows text as it comes, and ends with the graph's state", async () => {
    const { thread, errors, config } = watched();
    const shown = new Set<unknown>();
    thread.subscribe(({ messages }) => shown.add(messages.at(-1)?.content));
    const custom: unknown[] = [];
    const question = asking("How is the weather?");
    const op = thread.optimistic(question);
    expect(contents(thread)).toEqual(["How is the weather?"]);
    const graph = chatGraph({ pause: 2 });
    const end = await foldGraph(thread, graph.stream(question as never, config), {
      runId: "r1",
      onEvent: ({ event, data }) => event === "custom" && custom.push(data),
    });
    expect([end.runId, end.interrupts, errors]).toEqual(["r1", [], []]);
    expect(contents(thread)).toEqual([
      "How is the weather?",
      "Let me look.",
      "sunny in Rome",
      "sunny in Lima",
      "It is sunny in Lima there.",
    ]);
    expect(shown).toContain("It is");
    expect([thread.run.status, op.status, thread.pending]).toEqual(["ready", "done", []]);
    expect(custom).toHaveLength(2);
  });

  test("the root's state shows a subgraph's messages", async () => {
    const { thread, config } = watched();
    await foldGraph(thread, nestedGraph().stream(asking("Hi") as never, config));
    expect(contents(thread)).toEqual(["Hi", "You said: Hi", "within", "The tool is done."]);
  });

  test("is asked, and follows the run that is resumed", async () => {
    const { thread, config } = watched();
    const graph = chatGraph();
    const { interrupts } = await foldGraph(thread, graph.stream(asking("Mail Ada") as never, config));
    expect([thread.run.status, interrupts]).toMatchObject(["interrupted", [{ value: { question: "Send the mail?" } }]]);
    await foldGraph(thread, graph.stream(new Command({ resume: true }), config));
    expect(contents(thread)).toEqual(["Mail Ada", "Sent."]);
    expect(thread.run.status).toBe("ready");
  });

  test("a node's error is the run's: its updates wait for a retry", async () => {
    const { thread, config } = watched();
    const op = thread.optimistic(asking("fail"));
    // Nothing of it is in the state: the graph fails before its first one.
    const { error } = await foldGraph(thread, {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new RangeError("The model is out.")) }),
    });
    expect(error).toMatchObject({ code: "RUN_FAILED", message: "The model is out.", cause: { name: "RangeError" } });
    expect([thread.run.status, op.status]).toEqual(["error", "failed"]);
    const failed = await foldGraph(thread, chatGraph().stream(asking("fail") as never, config));
    expect(failed.error).toMatchObject({ message: "The model is out." });
  });

  test("a node's ThreadfoldError is the run's, too: its code stays", async () => {
    const { thread } = watched();
    const { status, error } = await foldGraph(thread, {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new ThreadfoldError("INVALID_ARGUMENT", "The node gave nothing.")),
      }),
    });
    expect([status, thread.run.status, error?.code]).toEqual(["error", "error", "INVALID_ARGUMENT"]);
  });

  test("its signal stops it, and closes the stream", async () => {
    const { thread, config } = watched();
    const stop = new AbortController();
    thread.subscribe(({ messages }) => messages.length > 1 && stop.abort());
    const graph = chatGraph({ pause: 10 });
    const stream = graph.stream(asking("one two three four five six") as never, { ...config, signal: stop.signal });
    await expect(foldGraph(thread, stream, { signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(thread.run.status).toBe("ready");
    expect(contents(thread).at(-1)).not.toContain("six");
  });

  test.each([
    [
      "a single mode",
      chatGraph().stream(asking("Hi") as never, { streamMode: "values", configurable: { thread_id: "t" } }),
    ],
    [
      "what is no stream of a graph",
      (async function* () {
        yield 1;
      })(),
    ],
  ])("%s is refused in a sentence", async (_, stream) => {
    const { thread } = watched();
    await expect(foldGraph(thread, stream as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("list of modes") as string,
    });
  });
});
