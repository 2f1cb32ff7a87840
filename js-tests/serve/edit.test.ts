// A graph behind `serve` and `serveLangGraph`, and in the page: its thread goes on from a message of the user's, edited or not.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui/events";
import { GraphAgent } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph/events";
import { serve, serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

/** Answers with what it was told, and how long the conversation is. */
function graph() {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => {
      const { content } = messages.at(-1) as { content: string };
      return { messages: [{ type: "ai", content: `${content} (${messages.length})` }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

type Graph = ReturnType<typeof graph>;
const asked = (handler: (request: Request) => Promise<Response>) => (url: string | URL | Request, init?: RequestInit) =>
  handler(new Request(url, init));

const RUNNERS = {
  serve: (own: Graph) =>
    new AgUiRunner(new Thread<AgUiState>(), { url: "http://page/agent", fetch: asked(serve(own)) }),
  "serve, new messages only": (own: Graph) =>
    new AgUiRunner(new Thread<AgUiState>(), { url: "http://page/agent", messages: "new", fetch: asked(serve(own)) }),
  GraphAgent: (own: Graph) => new AgUiRunner(new Thread<AgUiState>(), { agent: new GraphAgent({ graph: own }) }),
  serveLangGraph: (own: Graph) =>
    new LangGraphRunner(new Thread(), {
      apiUrl: "http://page",
      assistantId: "agent",
      fetch: asked(serveLangGraph(own)) as typeof fetch,
    }),
};

describe.each(Object.entries(RUNNERS))("%s", (_, open) => {
  async function chat() {
    const own = graph();
    const runner = open(own);
    const { thread } = runner as unknown as { thread: Thread };
    for (const text of ["one", "two", "three"]) expect((await runner.sendMessage(text)).status).toBe("finished");
    const texts = () => thread.getState().messages.map(({ content }) => content);
    const inStep = async () => {
      const { values } = await own.getState({ threadId: thread.threadId ?? "" });
      const { messages } = values as { messages: { content: unknown; id?: string }[] };
      expect(thread.pending).toEqual([]);
      expect(thread.getState().messages.map(({ id, content }) => [id, content])).toEqual(
        messages.map(({ id, content }) => [id, content]),
      );
    };
    return { runner, thread, texts, inStep, id: (at: number) => thread.getState().messages[at]?.id };
  }

  test("answers again", async () => {
    const { runner, texts, inStep, id } = await chat();
    const first = id(5);
    expect((await runner.regenerate()).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "two", "two (3)", "three", "three (5)"]);
    expect(id(5)).not.toBe(first);
    await inStep();
    expect((await runner.regenerate({ messageId: id(3) })).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "two", "two (3)"]);
    await inStep();
  });

  test("answers what was edited", async () => {
    const { runner, texts, inStep, id } = await chat();
    const messageId = id(2);
    expect((await runner.sendMessage("deux", {}, { messageId })).status).toBe("finished");
    expect(texts()).toEqual(["one", "one (1)", "deux", "deux (3)"]);
    expect(id(2)).toBe(messageId);
    await inStep();
    expect((await runner.sendMessage("four")).status).toBe("finished");
    expect(texts().slice(4)).toEqual(["four", "four (5)"]);
    await inStep();
  });
});
