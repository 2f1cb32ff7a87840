// Answers to serveLangGraph that come late, and those of a run that another instance takes over.
import * as langgraph from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler, type RunStore } from "threadfold/serve";
import { expect, test, vi } from "vitest";
import { failingAgent } from "./failing-agent.js";
import { gate } from "./gate.js";
import { LeasedRuns, SharedRuns } from "./leased-runs.js";

type Ask = (question: string) => unknown;

/** Two graphs of one node that asks. */
const GRAPHS = {
  threadfold: (node: (ask: Ask) => unknown, checkpointer = new MemorySaver()) =>
    new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("pay", async (_, { interrupt }) => {
        await node(interrupt);
        return {};
      })
      .addEdge(START, "pay")
      .addEdge("pay", END)
      .compile({ checkpointer }),
  "langgraph.js": (node: (ask: Ask) => unknown, checkpointer = new MemorySaver()) =>
    new langgraph.StateGraph(langgraph.MessagesAnnotation)
      .addNode("pay", async () => {
        await node(langgraph.interrupt);
        return {};
      })
      .addEdge(langgraph.START, "pay")
      .addEdge("pay", langgraph.END)
      .compile({ checkpointer: checkpointer as never }),
};
type Name = keyof typeof GRAPHS;
const NAMES = Object.keys(GRAPHS) as Name[];

interface Question {
  readonly id: string;
  readonly value: unknown;
}

function client(handler: FetchHandler) {
  const ask = async (method: string, path: string, body?: object) =>
    handler(new Request(`http://localhost${path}`, { method, ...(body && { body: JSON.stringify(body) }) }));
  const wait = async (body: object, path = "/threads/t/runs/wait") =>
    (await (await ask("POST", path, { assistant_id: "agent", ...body })).json()) as { __error__?: { message: string } };
  const asked = async () =>
    ((await (await ask("GET", "/threads/t/state")).json()) as { interrupts: Question[] }).interrupts;
  return { ask, wait, asked, start: () => wait({ input: { messages: [] } }) };
}

const LATE = { __error__: { message: expect.stringContaining("any more: it was answered.") as string } };

test.each(NAMES)(
  "%s: of two answers to one question, the second one is not given to the next question",
  async (name) => {
    const done: unknown[] = [];
    const graph = GRAPHS[name]((ask) => done.push([ask("Delete A?"), ask("Delete B?")]));
    const { wait, asked, start } = client(serveLangGraph(graph));
    await start();
    const [question] = await asked();
    const answer = () => wait({ command: { resume: { [question?.id ?? ""]: true } } });
    const [first, second] = await Promise.all([answer(), answer()]);
    expect(first.__error__).toBeUndefined();
    expect(second).toMatchObject(LATE);
    expect([done, await asked()]).toMatchObject([[], [{ value: "Delete B?" }]]);
    const [next] = await asked();
    await wait({ command: { resume: { [next?.id ?? ""]: false } } });
    expect(done).toEqual([[true, false]]);
  },
);

test("an answer without an id that waited for another one is not given to the next question", async () => {
  const done: unknown[] = [];
  const graph = GRAPHS.threadfold((ask) => done.push([ask("Delete A?"), ask("Delete B?")]));
  const { wait, asked, start } = client(serveLangGraph(graph));
  await start();
  const answer = () => wait({ command: { resume: true } });
  expect(await Promise.all([answer(), answer()])).toMatchObject([{}, LATE]);
  expect([done, await asked()]).toMatchObject([[], [{ value: "Delete B?" }]]);
  await answer();
  expect(done).toEqual([[true, true]]);
});

test("a rejection after an approval whose tool fails runs nothing, however often it comes", async () => {
  const { open, opened, reach, isReached } = gate();
  const { agent, tries } = failingAgent(() => {
    reach();
    return opened;
  });
  const { wait, asked } = client(serveLangGraph(agent));
  await wait({ input: { messages: [{ type: "human", content: "Go" }] } });
  const [question] = await asked();
  const answer = (type: string) => wait({ command: { resume: { [question?.id ?? ""]: { decisions: [{ type }] } } } });
  const approved = answer("approve");
  await isReached;
  // The one that is refused was not given: the next one is another answer than the last, too.
  const late = [answer("reject"), answer("reject")];
  open();
  expect(await approved).toMatchObject({ __error__: { message: "The post is closed." } });
  expect(await Promise.all(late)).toMatchObject([LATE, LATE]);
  expect(await answer("reject")).toEqual({ detail: LATE.__error__.message });
  expect(tries()).toBe(1);
  expect((await answer("approve")).__error__).toBeUndefined();
  expect(tries()).toBe(2);
});

const PROTOCOLS = ["langgraph", "ag-ui"] as const;

const TIMES = ["before", "after"] as const;

test.each(
  PROTOCOLS.flatMap((protocol) => NAMES.flatMap((name) => TIMES.map((time) => [protocol, name, time] as const))),
)(
  "%s, %s: an instance that takes a run over, which died %s its next question, does not answer that",
  async (protocol, name, time) => {
    const [saver, shared] = [new MemorySaver(), new SharedRuns()];
    const done: unknown[] = [];
    let hasAsked = () => {};
    const reached = new Promise<void>((resolve) => (hasAsked = resolve));
    const [one, two] = [new LeasedRuns(shared), new LeasedRuns(shared)];
    const graphs = [true, false].map((dies) =>
      GRAPHS[name](async (ask) => {
        const first = ask("Delete A?");
        hasAsked();
        if (dies && time === "before") return new Promise(() => {});
        if (dies) one.die();
        return done.push([first, ask("Delete B?")]);
      }, saver),
    );
    const serve = (runs: RunStore, graph = graphs[0]) =>
      protocol === "langgraph"
        ? serveLangGraph(graph as never, { runs, heartbeat: 0 })
        : serveAgUi(graph as never, { runs, resumable: true, heartbeat: 0 });
    const { ask } = client(serve(one));
    const send = (id?: string) =>
      protocol === "langgraph"
        ? ask("POST", `/threads/t/runs${id === undefined ? "/wait" : ""}`, {
            assistant_id: "agent",
            ...(id === undefined ? { input: { messages: [] } } : { command: { resume: { [id]: true } } }),
          })
        : ask("POST", "/", {
            threadId: "t",
            runId: id === undefined ? "r1" : "r2",
            messages: [],
            ...(id !== undefined && { resume: [{ interruptId: id, status: "resolved", payload: true }] }),
          });
    await (await send()).text();
    const questions = async () => {
      const state = await graphs[1]?.getState({ configurable: { thread_id: "t" } } as never);
      return ((state?.tasks ?? []) as { interrupts: Question[] }[]).flatMap(({ interrupts }) => interrupts);
    };
    const [question] = await questions();
    await send(question?.id);
    await reached;
    const other = client(serve(two, graphs[1]));
    await other.ask("GET", "/threads/t");
    if (time === "before") one.die();
    else await vi.waitFor(async () => expect(await questions()).toMatchObject([{ value: "Delete B?" }]));
    await two.takeOver();
    await vi.waitFor(async () => expect((await shared.runs.runs({ threadId: "t" }))[0]?.hasEnded).toBe(true));
    expect([done, await questions()]).toMatchObject([[], [{ value: "Delete B?" }]]);
  },
);
