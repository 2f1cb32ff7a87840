// Requests to serveAgUi that waited, came twice or came late: no run runs twice, no changed answer counts.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveAgUi, type FetchHandler, type ServeAgUiOptions } from "threadfold/serve";
import { expect, test } from "vitest";
import { failingAgent } from "./failing-agent.js";
import { gate } from "./gate.js";

const post = (handler: FetchHandler, body: object, headers: Record<string, string> = {}) =>
  handler(
    new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify({ threadId: "t", ...body }) }),
  );

const said = (content: string) => [{ id: content, role: "user", content }];

/** A graph that counts its runs; a run of "wait" ends when `release` is called. */
function counted() {
  let runs = 0;
  let release = () => {};
  const saver = new MemorySaver();
  const released = new Promise<void>((resolve) => (release = resolve));
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }) => {
      runs++;
      if (messages.at(-1)?.content === "wait") await released;
      return { messages: [{ type: "ai" as const, content: "Done." }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
  return { graph, saver, runs: () => runs, release };
}

/** An agent whose tool needs an approval and fails at its first try. */
async function failing(options: ServeAgUiOptions = {}) {
  const { agent, tries } = failingAgent();
  const handler = serveAgUi(agent, { resumable: true, ...options });
  await (await post(handler, { runId: "r1", messages: said("Go") })).text();
  const asked = async () => (await agent.getState({ threadId: "t" })).tasks.flatMap(({ interrupts }) => interrupts);
  const [question] = await asked();
  const payload = (type: string) => ({ decisions: [{ type }] });
  const run = (runId: string, more: object) => post(handler, { runId, messages: [], ...more });
  const answer = (given: unknown) => ({
    resume: [{ interruptId: question?.id, status: "resolved", payload: given }],
  });
  const commanded = (given: unknown) => ({ forwardedProps: { command: { resume: given } } });
  return { run, asked, payload, answer, commanded, tries };
}

test("a request that comes again while the first one waits runs once, and both get the run", async () => {
  const { graph, runs } = counted();
  const { config, open, isReached } = gate();
  const handler = serveAgUi(graph, { resumable: true, config });
  const body = { runId: "r1", messages: said("Hi") };
  const first = post(handler, body);
  await isReached;
  expect(await (await post(handler, body)).text()).toContain("RUN_FINISHED");
  open();
  expect(await (await first).text()).toContain("RUN_FINISHED");
  expect(runs()).toBe(1);
});

test("a rejection that waited while the approval ran, and failed, is refused", async () => {
  const { config, open, isReached } = gate();
  let isGated = false;
  const { run, payload, answer, tries } = await failing({ config: () => (isGated ? config() : {}) });
  isGated = true;
  const late = run("r3", answer(payload("reject")));
  await isReached;
  await (await run("r2", answer(payload("approve")))).text();
  open();
  expect([(await late).status, tries()]).toEqual([400, 1]);
});

test("the answer that was given last may come again, not one before it", async () => {
  const { run, asked, payload, answer, tries } = await failing();
  await (await run("r2", answer({}))).text(); // The middleware refuses it: the question stays.
  expect(await asked()).toHaveLength(1);
  await (await run("r3", answer(payload("approve")))).text();
  expect([tries(), await asked()]).toEqual([1, []]);
  expect((await run("r4", answer({}))).status).toBe(400);
  expect(await (await run("r5", answer(payload("approve")))).text()).toContain("RUN_FINISHED");
  expect(tries()).toBe(2);
});

test.each(["named, then not", "not, then named", "neither named"])(
  "a changed answer is refused, whether it names its question: %s",
  async (how) => {
    const { run, payload, answer, commanded, tries } = await failing();
    const [first, then] = how === "neither named" ? [commanded, commanded] : [answer, commanded];
    const [before, after] = how === "not, then named" ? [then, first] : [first, then];
    await (await run("r2", before(payload("approve")))).text();
    const late = await run("r3", after(payload("reject")));
    expect([late.status, tries()]).toEqual([400, 1]);
    expect(await late.text()).toContain("any more: it was answered.");
    expect(await (await run("r4", after(payload("approve")))).text()).toContain("RUN_FINISHED");
    expect(tries()).toBe(2);
  },
);

test("a run that begins ignores Last-Event-ID: its client has nothing of it", async () => {
  const { graph } = counted();
  const handler = serveAgUi(graph, { resumable: true });
  const body = { runId: "r1", messages: said("Hi") };
  const begun = await (await post(handler, body, { "last-event-id": "7" })).text();
  expect(begun).toMatch(/^: .*\n\nid: 1\n.*RUN_STARTED/);
  const joined = await (await post(handler, body, { "last-event-id": "1" })).text();
  expect(joined).not.toContain("RUN_STARTED");
  expect(joined).toContain("RUN_FINISHED");
});

test("a run that ends, and is forgotten, while another request looks for its owner is a 404", async () => {
  const { graph, saver, release } = counted();
  const handler = serveAgUi(graph, { resumable: true, keep: 0, authenticate: () => ({ identity: "Ann" }) });
  const body = { runId: "r1", messages: said("wait") };
  const first = await post(handler, body);
  let isLooked = false;
  const list = saver.list.bind(saver);
  saver.list = async function* (...args) {
    if (!isLooked) {
      isLooked = true;
      release();
      await first.text();
    }
    yield* list(...args);
  };
  const again = await post(handler, body);
  expect([again.status, isLooked]).toEqual([404, true]);
});

test("a thread that another user has made since keeps its one owner", async () => {
  const { graph } = counted();
  const { config, open, isReached } = gate();
  const handler = serveAgUi(graph, {
    resumable: true,
    config,
    authenticate: ({ headers }) => ({ identity: headers.get("x-user") ?? "" }),
    mayUse: ({ owner, identity }) => owner === identity || identity === "admin",
  });
  const admin = post(handler, { runId: "r1", messages: said("Hi") }, { "x-user": "admin" });
  await isReached;
  await (await post(handler, { runId: "r2", messages: said("Hello") }, { "x-user": "ann" })).text();
  open();
  await (await admin).text();
  const look = new Request("http://localhost/threads/t", { headers: { "x-user": "ann" } });
  expect((await handler(look)).status).toBe(200);
});

test("a refused run waits for no other, and a store that fails then stops nobody", async () => {
  const { graph, release } = counted();
  let followers = 0;
  /** A store whose runs are another instance's: waiting for their end fails. */
  class Elsewhere extends MemoryRuns {
    override async *follow(...[key, after, signal]: Parameters<MemoryRuns["follow"]>) {
      if (after !== Infinity) return yield* super.follow(key, after, signal);
      followers++;
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      followers--;
      throw new Error("The database is busy.");
    }
  }
  const store = new Elsewhere();
  const there = { server: "ag-ui", about: {}, isAlone: true, threadId: "t", id: "r1", owner: undefined };
  await store.begin(
    there,
    () => {},
    () => {},
  );
  const handler = serveAgUi(graph, { runs: store });
  expect((await post(handler, { runId: "r2", messages: said("Hi") })).status).toBe(409);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(followers).toBe(0);
  release();
});
