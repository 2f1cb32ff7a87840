// A page that opens a thread of serve's, as in docs/threads.md: in a new tab, in mid-run, and after a server died.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { httpTransport, AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

interface State extends AgUiState {
  customer?: string;
  notes?: string[];
}

interface Told {
  messages: State["messages"];
  state: object;
  interrupts: object[];
  next: string[];
  run?: { id: string };
}

/** A resumable server whose node waits for the gate, and pages of its one thread. */
function served(gate: () => Promise<void> = async () => {}) {
  const graph = new StateGraph(
    defineSchema({ messages: field.messages(), customer: field.replace<string>(), notes: field.append<string>() }),
  )
    .addNode("answer", async () => {
      await gate();
      return { messages: [{ type: "ai", content: "ok" }], notes: ["note"] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveAgUi(graph, { resumable: true });
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  const get = async () => (await (await fetch("http://x/threads/t")).json()) as Told;
  const page = (more: Partial<AgUiRunnerOptions> = {}) =>
    new AgUiRunner<State>(new Thread<State>({ threadId: "t" }), {
      transport: {
        ...httpTransport({ url: "http://x/", fetch }),
        join: httpTransport({ url: "http://x/", fetch, resumable: true }).join,
      },
      ...more,
    });
  return { get, page, graph };
}

const contents = ({ thread }: AgUiRunner<State>) => thread.getState().messages.map(({ content }) => content);

test("received values are the server's: they overwrite nothing and double no list", async () => {
  const { get, page } = served();
  const first = page();
  await first.sendMessage("1", { input: { customer: "Old" } });
  const { messages, state, interrupts } = await get();
  const second = page();
  second.thread.receive({ type: "values", values: { ...state, messages } });
  second.thread.receive({ type: "run-finished", interrupts });
  await first.sendMessage("2", { input: { customer: "New" } });
  await second.sendMessage("3");
  expect((await get()).state).toMatchObject({ customer: "New", notes: ["note", "note", "note"] });
});

test("a new tab joins the run under way by the id that it gets", async () => {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const { get, page } = served(() => gate);
  const first = page();
  const sent = first.sendMessage("Hi");
  await new Promise<void>((resolve) => first.thread.subscribe(() => first.thread.run.id && resolve()));
  const { messages, state, run } = await get();
  expect(run).toEqual({ id: first.thread.run.id });
  const second = page();
  second.thread.receive({ type: "values", values: { ...state, messages } });
  second.thread.receive({ type: "run-started", runId: run?.id });
  second.thread.receive({ type: "disconnected" });
  const joined = second.load();
  letGo();
  expect([(await joined).status, (await sent).status]).toEqual(["finished", "finished"]);
  expect(contents(second)).toEqual(["Hi", "ok"]);
  expect(await get()).not.toHaveProperty("run");
});

test("a run that did not end shows in next, and continues without a message", async () => {
  let runs = 0;
  const { get, page } = served(async () => {
    if (!runs++) throw new Error("The power failed.");
  });
  expect((await page().sendMessage("Hi")).status).toBe("error");
  const { messages, state, interrupts, next } = await get();
  expect([interrupts, next]).toEqual([[], ["answer"]]);
  const second = page();
  second.thread.receive({ type: "values", values: { ...state, messages } });
  second.thread.receive({ type: "run-finished", interrupts });
  expect((await second.sendMessage()).status).toBe("finished");
  expect(contents(second)).toEqual(["Hi", "ok"]);
  expect((await get()).next).toEqual([]);
});

test("a runner that can join runs, but not cancel them, does not say that the run has stopped there", async () => {
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const { page } = served(() => gate);
  const runner = page();
  const sent = runner.sendMessage("Hi");
  await new Promise<void>((resolve) => runner.thread.subscribe(() => runner.thread.run.id && resolve()));
  const { status, error } = await runner.stop();
  expect([status, error?.message]).toEqual(["stopped", expect.stringContaining("may go on")]);
  await sent;
  letGo();
});
