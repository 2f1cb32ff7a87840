// Answers to a server that keeps no runs, once a run has failed and asks nothing: only the answer that was given counts.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { beforeEach, describe, expect, test } from "vitest";

let mailed = 0;
let fails = false;
beforeEach(() => {
  mailed = 0;
  fails = true;
});

const mail = () => {
  mailed++;
  if (fails) throw new Error("503");
  return {};
};

const Messages = defineSchema({ messages: field.messages() });
const asking = () =>
  new StateGraph(Messages).addNode("ask", (_, { interrupt }) => {
    interrupt("Mail it?");
    return {};
  });
const theirAsk = (() => {
  theirs.interrupt("Mail it?");
  return {};
}) as never;

const GRAPHS: Record<string, () => unknown> = {
  "threadfold/graph": () =>
    asking()
      .addNode("mail", mail)
      .addEdge(START, "ask")
      .addEdge("ask", "mail")
      .addEdge("mail", END)
      .compile({ checkpointer: new MemorySaver() }),
  "threadfold/graph, inside": () =>
    new StateGraph(Messages)
      .addNode("ask", asking().addEdge(START, "ask").addEdge("ask", END).compile())
      .addNode("mail", mail)
      .addEdge(START, "ask")
      .addEdge("ask", "mail")
      .addEdge("mail", END)
      .compile({ checkpointer: new MemorySaver() }),
  "langgraph.js": () =>
    new theirs.StateGraph(theirs.MessagesAnnotation)
      .addNode("ask", theirAsk)
      .addNode("mail", mail)
      .addEdge(theirs.START, "ask")
      .addEdge("ask", "mail")
      .compile({ checkpointer: new theirs.MemorySaver() }),
  "langgraph.js, inside": () =>
    new theirs.StateGraph(theirs.MessagesAnnotation)
      .addNode(
        "ask",
        new theirs.StateGraph(theirs.MessagesAnnotation)
          .addNode("ask", theirAsk)
          .addEdge(theirs.START, "ask")
          .compile() as never,
      )
      .addNode("mail", mail)
      .addEdge(theirs.START, "ask")
      .addEdge("ask", "mail")
      .compile({ checkpointer: new theirs.MemorySaver() }),
};

const named = (payload: unknown, interruptId: string, status = "resolved") => ({
  resume: [{ interruptId, status, payload }],
});
const unnamed = (resume: unknown) => ({ forwardedProps: { command: { resume } } });

async function served(make: () => unknown) {
  const graph = make();
  const handler = serveAgUi(graph as never);
  let runs = 0;
  /** Returns the event that ends the run. */
  const run = async (more: object) => {
    const body = JSON.stringify({ threadId: "t", runId: `r${++runs}`, messages: [], ...more });
    const response = await handler(new Request("http://localhost/", { method: "POST", body }));
    return JSON.parse((await response.text()).trim().split("data: ").at(-1) ?? "") as object;
  };
  await run({ messages: [{ id: "m", role: "user", content: "Mail Ada" }] });
  const state = (await (graph as { getState(config: object): Promise<unknown> }).getState({
    configurable: { thread_id: "t" },
  })) as { tasks: { interrupts: { id: string }[] }[] };
  return { run, id: state.tasks[0]?.interrupts[0]?.id ?? "" };
}

const REFUSED = { type: "RUN_ERROR", code: "NO_QUESTION" };

describe.each(Object.entries(GRAPHS))("%s", (_, make) => {
  test.each(["named", "unnamed"])(
    "a run that failed after its answer takes that again, and no other: %s",
    async (how) => {
      const { run, id } = await served(make);
      const answer = (payload: unknown) => (how === "named" ? named(payload, id) : unnamed(payload));
      expect(await run(answer({ yes: true }))).toMatchObject({ type: "RUN_ERROR", message: "503" });
      fails = false;
      for (const late of [
        answer({ yes: false }),
        named({ yes: true }, "0".repeat(32)),
        named(null, id, "cancelled"),
        unnamed({ yes: false }),
      ])
        expect(await run(late)).toMatchObject(REFUSED);
      expect(mailed).toBe(1);
      expect(await run(answer({ yes: true }))).toMatchObject({ type: "RUN_FINISHED" });
      expect(mailed).toBe(2);
    },
  );

  test("a cancellation may come again, too", async () => {
    const { run, id } = await served(make);
    const cancelled = named(null, id, "cancelled");
    expect(await run(cancelled)).toMatchObject({ message: "503" });
    expect(await run(named(true, id))).toMatchObject(REFUSED);
    fails = false;
    expect(await run(cancelled)).toMatchObject({ type: "RUN_FINISHED" });
  });

  test("a later input's failed run takes no answer, and continues without one", async () => {
    const { run, id } = await served(make);
    fails = false;
    await run(named(true, id));
    await run({ messages: [{ id: "n", role: "user", content: "Mail Bob" }] });
    fails = true;
    const twin = await run(unnamed(true));
    expect(twin).toMatchObject({ message: "503" });
    await run({ messages: [{ id: "o", role: "user", content: "Mail Cid" }] });
    expect(mailed).toBe(2);
    // The next question is open: an earlier answer is not for it.
    expect(await run(named(true, id))).toMatchObject(REFUSED);
    expect(mailed).toBe(2);
  });
});

test("a run that failed before any question takes no answer", async () => {
  const graph = new StateGraph(Messages)
    .addNode("mail", mail)
    .addEdge(START, "mail")
    .addEdge("mail", END)
    .compile({ checkpointer: new MemorySaver() });
  const { run } = await served(() => graph);
  fails = false;
  for (const answer of [unnamed(true), named(true, "0".repeat(32)), named(null, "mine", "cancelled")])
    expect(await run(answer)).toMatchObject(REFUSED);
  expect(mailed).toBe(1);
  expect(await run({})).toMatchObject({ type: "RUN_FINISHED" });
  expect(mailed).toBe(2);
});
