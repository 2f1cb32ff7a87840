// The messages that a page sends to a server that keeps its threads: with `messages: "new"`, those that the server
// lacks.
import { defineSchema, field, removeMessage, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, runInput, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

interface Sent {
  readonly messages: readonly { readonly id: string; readonly content: string }[];
}

/** A server whose answers count, pages of it, and their requests. */
function served() {
  let fails = 0;
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => {
      if (fails-- > 0) throw new Error("overloaded");
      return { messages: [{ type: "ai", content: `answer ${messages.length}` }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveAgUi(graph);
  const sent: string[][] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    if (typeof init?.body === "string")
      sent.push((JSON.parse(init.body) as Sent).messages.map(({ content }) => content));
    return handler(new Request(url, init));
  };
  const page = (messages: AgUiRunnerOptions["messages"], thread = new Thread<AgUiState>({ threadId: "t" })) =>
    new AgUiRunner(thread, { url: "http://page/agent", messages, fetch });
  const kept = async () => {
    const { messages } = (await graph.getState({ threadId: "t" })).values as unknown as Sent;
    return messages.map(({ content }) => content);
  };
  const remove = async (content: string) => {
    const { messages } = (await graph.getState({ threadId: "t" })).values as unknown as Sent;
    const { id = "" } = messages.find((message) => message.content === content) ?? {};
    await graph.updateState({ threadId: "t" }, { messages: [removeMessage(id)] });
  };
  const received = async () => {
    const answer = await fetch("http://page/agent/threads/t");
    const { messages, state } = (await answer.json()) as { messages: []; state: object };
    const thread = new Thread<AgUiState>({ threadId: "t" });
    thread.receive({ type: "values", values: { ...state, messages } });
    thread.receive({ type: "run-finished" });
    return thread;
  };
  return { sent, page, kept, remove, received, failOnce: () => (fails = 1) };
}

const reloaded = (thread: Thread<AgUiState>) =>
  Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)) as object);

test("messages that the server removed come back from a page that sends all, and not from one that sends new ones", async () => {
  for (const way of ["stays open", "is loaded", "is received"]) {
    const { sent, page, kept, remove, received } = served();
    const first = page("new");
    await first.sendMessage("secret");
    await first.sendMessage("two");
    expect(sent).toEqual([["secret"], ["two"]]);
    const { thread } = first;
    const stale = way === "stays open" ? first : page("new", way === "is loaded" ? reloaded(thread) : await received());
    await remove("secret");
    expect(await stale.sendMessage("hi")).toMatchObject({ status: "finished" });
    expect(sent.at(-1)).toEqual(["hi"]);
    expect(await kept()).toEqual(["answer 1", "two", "answer 3", "hi", "answer 4"]);
    expect(stale.thread.getState().messages.map(({ content }) => content)).toEqual(await kept());
  }
  const { page, kept, remove } = served();
  const whole = page(undefined);
  await whole.sendMessage("secret");
  await remove("secret");
  await whole.sendMessage("hi");
  expect(await kept()).toContain("secret");
});

test("changes of a run that failed or was stopped go along with the next, over a reload, too", async () => {
  const { sent, page, kept, failOnce } = served();
  const before = page("new");
  await before.sendMessage("one");
  failOnce();
  expect((await before.sendMessage("two")).status).toBe("error");
  const runner = page("new", reloaded(before.thread));
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  expect(await kept()).toEqual(["one", "answer 1", "two", "answer 3"]);
  // The server confirmed the question before it failed.
  expect(sent.slice(1)).toEqual([["two"], []]);

  const stopped = new Thread<AgUiState>({ threadId: "u" });
  stopped.receive({ type: "values", values: { messages: [{ id: "a", role: "assistant", content: "A" }] } });
  stopped.optimistic({ messages: [{ id: "q", role: "user", content: "Q" }] });
  stopped.receive({ type: "run-started", runId: "r" });
  stopped.receive({ type: "message", message: { id: "b", role: "assistant", content: "B" } as never });
  const ids = (thread: Thread<AgUiState>) =>
    runInput(thread, { messages: "new" }).messages.map((message) => (message as { id: string }).id);
  stopped.receive({ type: "run-finished", stopped: true });
  expect([ids(stopped), ids(reloaded(stopped))]).toEqual([
    ["q", "b"],
    ["q", "b"],
  ]);
  stopped.receive({ type: "run-started", runId: "s" });
  stopped.receive({ type: "run-finished" });
  expect([ids(stopped), ids(reloaded(stopped))]).toEqual([[], []]);
});

test("the page's own messages, and those changed here, are new", () => {
  const thread = new Thread<AgUiState>({
    threadId: "t",
    values: { messages: [{ id: "own", role: "user", content: "Q" }] },
  });
  const ids = () => runInput(thread, { messages: "new" }).messages.map((message) => (message as { id: string }).id);
  expect(ids()).toEqual(["own"]);
  thread.receive({ type: "run-started", runId: "r" });
  thread.update({ messages: [{ id: "meanwhile", role: "user", content: "M" }] });
  thread.receive({ type: "run-finished" });
  expect(ids()).toEqual(["own", "meanwhile"]);
  thread.receive({ type: "run-started", runId: "s" });
  thread.receive({ type: "run-finished" });
  expect(ids()).toEqual([]);
  thread.optimistic({ messages: [{ id: "own", role: "user", content: "edited" }] });
  expect(ids()).toEqual(["own"]);
  expect(runInput(thread).messages).toHaveLength(2);
  expect(() => runInput(thread, { messages: "some" as never })).toThrow("messages should be 'whole' or 'new'.");
});
