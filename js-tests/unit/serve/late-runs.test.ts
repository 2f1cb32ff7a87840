// Runs of serveLangGraph that overlap, are stopped while they wait, or whose thread changes hands before they begin.
import * as langgraph from "@langchain/langgraph";
import { AIMessage } from "@langchain/core/messages";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { defineSchema, field } from "threadfold";
import { MemoryRuns, serveLangGraph, type FetchHandler, type RunStore } from "threadfold/serve";
import { expect, test, vi } from "vitest";
import { gate } from "./gate.js";
import { LeasedRuns, SharedRuns } from "./leased-runs.js";

type Node = (content: string) => unknown;

/** A graph that answers; `node` is called with the last message before. */
const answering = (node: Node = () => {}, checkpointer = new MemorySaver()) =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }) => {
      await node(messages.at(-1)?.content as string);
      return { messages: [{ type: "ai" as const, content: "Hello" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });

const said = (content: string) => ({
  assistant_id: "agent",
  input: { messages: [{ type: "human", content }] },
});

interface ToldRun {
  readonly run_id: string;
  readonly status: string;
}

function client(handler: FetchHandler, user = "") {
  const ask = (method: string, path: string, body?: object) =>
    handler(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "x-user": user },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  const begin = async (body: object) => (await (await ask("POST", "/threads/t/runs", body)).json()) as ToldRun;
  const wait = (body: object) => ask("POST", "/threads/t/runs/wait", body);
  const statuses = async () =>
    ((await (await ask("GET", "/threads/t/runs")).json()) as ToldRun[]).map(({ status }) => status);
  return { ask, begin, wait, statuses };
}

const byUser = ({ headers }: Request) => ({ identity: headers.get("x-user") ?? "" });

/** Longer than any of these tests takes: some would wait for ever. */
const SOON = { timeout: 20_000 };

test("two runs of a thread that the store has in the other order both end", SOON, async () => {
  const { open, opened } = gate();
  let begun = 0;
  /** Its first run begins over a slow connection. */
  class Pool extends MemoryRuns {
    override async begin(...args: Parameters<MemoryRuns["begin"]>) {
      if (begun++ === 0) await opened;
      return super.begin(...args);
    }
  }
  const { wait, begin, statuses } = client(serveLangGraph(answering(), { runs: new Pool() }));
  const first = wait(said("one"));
  await begin(said("two"));
  open();
  await (await first).text();
  await (await wait(said("three"))).text();
  expect(await statuses()).toEqual(["success", "success", "success"]);
});

test("a cancel that the store fails at ends the run that interrupts, and locks no thread", SOON, async () => {
  let fails = 1;
  class Flaky extends MemoryRuns {
    override async cancel(...args: Parameters<MemoryRuns["cancel"]>) {
      if (fails-- > 0) throw new Error("Socket closed.");
      return super.cancel(...args);
    }
  }
  const { open, opened } = gate();
  // Two graphs are as two instances: only the store knows the run of the other.
  const graphs = { slow: answering(() => opened), quick: answering() };
  const { begin, wait } = client(serveLangGraph(graphs, { runs: new Flaky() }));
  await begin({ ...said("one"), assistant_id: "slow" });
  const quick = { ...said("two"), assistant_id: "quick" };
  const failed = await wait({ ...quick, multitask_strategy: "interrupt" });
  expect(await failed.json()).toEqual({ __error__: { error: "Error", message: "Socket closed." } });
  open();
  expect(await (await wait(quick)).json()).toMatchObject({ messages: [{ content: "two" }, {}] });
});

test(
  "a cancelled run is not run by the instance that takes it over, and one that waits ends at once",
  SOON,
  async () => {
    const [saver, shared] = [new MemorySaver(), new SharedRuns()];
    const [store, other] = [new LeasedRuns(shared), new LeasedRuns(shared)];
    const ran: string[] = [];
    const { reach, isReached } = gate();
    const graphOf = (instance: string) =>
      answering((content) => {
        ran.push(`${instance}: ${content}`);
        reach();
        if (instance === "one") return new Promise(() => {});
      }, saver);
    const one = client(serveLangGraph(graphOf("one"), { runs: store }));
    const two = client(serveLangGraph(graphOf("two"), { runs: other }));
    await one.begin(said("long"));
    await isReached;
    const queued = await one.begin(said("queued"));
    const cancel = ({ run_id }: ToldRun, query = "") => one.ask("POST", `/threads/t/runs/${run_id}/cancel${query}`);
    expect((await cancel(queued, "?wait=1")).status).toBe(200);
    const waiting = await one.begin(said("waiting"));
    // Its instance dies before it has ended the run.
    store.mute();
    expect((await cancel(waiting)).status).toBe(200);
    store.die();
    await two.statuses();
    await other.takeOver();
    await vi.waitFor(async () => expect(await two.statuses()).toEqual(["interrupted", "interrupted", "success"]));
    expect(ran).toEqual(["one: long", "two: long"]);
  },
);

test.each([true, false])(
  "a thread that is deleted before a run begins is made again, or is its new user's: %s",
  async (isTaken) => {
    const { config, open, isReached } = gate();
    let isGated = false;
    const handler = serveLangGraph(answering(), { authenticate: byUser, config: () => (isGated ? config() : {}) });
    const [ada, bob] = [client(handler, "ada"), client(handler, "bob")];
    await (await ada.wait(said("first"))).text();
    isGated = true;
    const late = ada.wait(said("late"));
    await isReached;
    expect((await ada.ask("DELETE", "/threads/t")).status).toBe(204);
    if (isTaken) await (await bob.wait(said("secret"))).text();
    open();
    expect((await late).status).toBe(isTaken ? 404 : 200);
    await (await late).text();
    const [owner, stranger] = isTaken ? [bob, ada] : [ada, bob];
    expect((await stranger.ask("GET", "/threads/t/state")).status).toBe(404);
    const state = await (await owner.ask("GET", "/threads/t/state")).json();
    expect(state).toMatchObject({ values: { messages: [{ content: isTaken ? "secret" : "late" }, {}] } });
    expect((await owner.ask("DELETE", "/threads/t")).status).toBe(204);
  },
);

test("a run that needs its thread is refused once that is deleted", async () => {
  const { config, open, isReached } = gate();
  const handler = serveLangGraph(answering(), { authenticate: byUser, config });
  const { ask, wait } = client(handler, "ada");
  await ask("POST", "/threads", { thread_id: "t" });
  const late = wait({ ...said("late"), if_not_exists: "reject" });
  await isReached;
  await ask("DELETE", "/threads/t");
  open();
  expect((await late).status).toBe(404);
});

test("a thread that another user has made since keeps its one owner", async () => {
  const { config, open, isReached } = gate();
  const handler = serveLangGraph(answering(), {
    config,
    authenticate: byUser,
    mayUse: ({ owner, identity }) => owner === identity || identity === "admin",
  });
  const [ada, admin] = [client(handler, "ada"), client(handler, "admin")];
  const late = admin.wait(said("of the admin"));
  await isReached;
  await (await ada.wait(said("of Ada"))).text();
  open();
  await (await late).text();
  expect((await ada.ask("GET", "/threads/t/state")).status).toBe(200);
});

test("a look at a thread while it is made leaves its metadata", async () => {
  const { opened, open, reach, isReached } = gate();
  let looks = 0;
  class Slow extends MemoryRuns {
    override async runs(...args: Parameters<MemoryRuns["runs"]>) {
      if (looks++ === 0) {
        reach();
        await opened;
      }
      return super.runs(...args);
    }
  }
  const { ask } = client(serveLangGraph(answering(), { runs: new Slow(), authenticate: byUser }), "ada");
  const look = ask("GET", "/threads/t");
  await isReached;
  await ask("POST", "/threads", { thread_id: "t", metadata: { title: "Trip" } });
  open();
  expect((await look).status).toBe(404);
  expect(await (await ask("GET", "/threads/t")).json()).toMatchObject({ metadata: { title: "Trip" } });
});

/** A graph of langgraph.js whose state has a value beside its messages. */
function withRows(rows: unknown) {
  const State = langgraph.Annotation.Root({ ...langgraph.MessagesAnnotation.spec, rows: langgraph.Annotation() });
  return new langgraph.StateGraph(State)
    .addNode("answer", () => ({ rows, messages: [new AIMessage("Hi")] }))
    .addEdge(langgraph.START, "answer")
    .addEdge("answer", langgraph.END)
    .compile({ checkpointer: new langgraph.MemorySaver() });
}

test("a state that JSON cannot hold ends its run in a shared store", SOON, async () => {
  const { wait, statuses } = client(serveLangGraph(withRows(12n), { runs: new LeasedRuns(new SharedRuns()) }));
  const failed = { __error__: { error: "TypeError", message: expect.stringContaining("BigInt") as string } };
  for (const content of ["one", "two"]) expect(await (await wait(said(content))).json()).toMatchObject(failed);
  expect(await statuses()).toHaveLength(2);
});

test("another instance joins a run with messages in the form of the API", async () => {
  const shared = new SharedRuns();
  const serve = () => client(serveLangGraph(withRows(12), { runs: new LeasedRuns(shared) }));
  const [one, two] = [serve(), serve()];
  const { run_id } = await one.begin(said("Hi"));
  const here = await (await one.ask("GET", `/threads/t/runs/${run_id}/join`)).json();
  expect(here).toMatchObject({ rows: 12, messages: [{ type: "human" }, { type: "ai", content: "Hi" }] });
  expect(await (await two.ask("GET", `/threads/t/runs/${run_id}/join`)).json()).toEqual(here);
});

/** A store that, like Redis, does not have the parts of a run that was removed. */
class Forgetting extends MemoryRuns {
  over = gate();

  override async end(...args: Parameters<MemoryRuns["end"]>) {
    await super.end(...args);
    this.over.open();
  }

  override async *follow(...[key, after, signal]: Parameters<RunStore["follow"]>) {
    for await (const part of super.follow(key, after, signal)) {
      if ((await this.runs({ threadId: key.threadId, id: key.id })).length === 0) throw new Error("The run is gone.");
      yield part;
    }
  }
}

const threadIn = (response: Response) =>
  /^\/threads\/([^/]+)/.exec(response.headers.get("content-location") ?? "")?.[1] ?? "";

test.each(["reads", "leaves"])("a run without a thread is there until its caller has read it: it %s", async (how) => {
  const store = new Forgetting();
  const { ask } = client(serveLangGraph(answering(), { runs: store, heartbeat: 0 }));
  const response = await ask("POST", "/runs/stream", { ...said("Hi"), stream_mode: ["updates", "values", "debug"] });
  await store.over.opened;
  if (how === "leaves") await response.body?.cancel();
  else expect(await response.text()).toMatch(/"Hello".*\n\n$/);
  await vi.waitFor(async () => expect(await store.runs({ threadId: threadIn(response) })).toEqual([]));
});

test("a store whose leases last longer than a timer takes is not looked at again and again", async () => {
  class Patient extends MemoryRuns {
    readonly ttl = 10 ** 11;
    claims = 0;
    override async claim() {
      this.claims++;
      return undefined;
    }
  }
  const store = new Patient();
  const { wait } = client(serveLangGraph(answering(), { runs: store }));
  await (await wait(said("Hi"))).text();
  await new Promise((resolve) => setTimeout(resolve, 20));
  // A run, and a switch of a thread.
  expect(store.claims).toBe(2);
});

test("a run without a thread keeps the one that it was given, if it is asked to", async () => {
  const { ask } = client(serveLangGraph(answering()));
  const run = async (more: object) => threadIn(await ask("POST", "/runs/wait", { ...said("Hi"), ...more }));
  const [gone, kept] = [await run({ on_completion: "delete" }), await run({ on_completion: "keep" })];
  await vi.waitFor(async () => expect((await ask("GET", `/threads/${gone}/state`)).status).toBe(404));
  const state = await (await ask("GET", `/threads/${kept}/state`)).json();
  expect(state).toMatchObject({ values: { messages: [{}, {}] } });
});
