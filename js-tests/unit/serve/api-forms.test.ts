// Forms of the runs and threads API that clients rely on: a nested graph's state, selections, orders, whole messages.
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { beforeEach, describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

const Log = defineSchema({ log: field.append<string>(), other: field.replace<number>() });

function graph() {
  const inner = new StateGraph(Log)
    .addNode("ask", (_, { interrupt }) => ({ log: [`inner ${String(interrupt("Well?"))}`] }))
    .addEdge(START, "ask")
    .compile();
  return new StateGraph(Log)
    .addNode("first", () => ({ log: ["first"], other: 1 }))
    .addNode("inner", inner as never)
    .addEdge(START, "first")
    .addEdge("first", "inner")
    .compile({ checkpointer: new MemorySaver() });
}

let handler: ReturnType<typeof serveLangGraph>;
let client: Client;
let thread_id: string;

function serve(graphs: object): void {
  handler = serveLangGraph(graphs as never);
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch, maxRetries: 0 } as never });
}

beforeEach(async () => {
  serve(graph());
  ({ thread_id } = await client.threads.create());
});

const run = (body: object = {}) =>
  client.runs.wait(thread_id, "agent", { input: { log: ["in"] }, metadata: { of: "test" }, ...body } as never);

test("a nested graph's state is read by its namespace alone", async () => {
  await run();
  const { tasks } = await client.threads.getState(thread_id);
  const checkpoint_ns = tasks[0]?.checkpoint?.checkpoint_ns as string;
  expect(checkpoint_ns).toMatch(/^inner:/);
  const nested = await client.threads.getState(thread_id, { thread_id, checkpoint_ns } as never);
  expect(nested).toMatchObject({ next: ["ask"], checkpoint: { checkpoint_ns } });
  const history = await client.threads.getHistory(thread_id, { checkpoint: { thread_id, checkpoint_ns } as never });
  expect(history.map(({ checkpoint }) => checkpoint?.checkpoint_ns)).toContain(checkpoint_ns);
});

test("a state names its checkpoints, and a run its request", async () => {
  await run();
  const state = (await client.threads.getState(thread_id)) as object as Record<string, unknown>;
  const { checkpoint, parent_checkpoint } = state as { [name: string]: { checkpoint_id: string } };
  expect(state["checkpoint_id"]).toBe(checkpoint?.checkpoint_id);
  expect(state["parent_checkpoint_id"]).toBe(parent_checkpoint?.checkpoint_id);
  const [made] = await client.runs.list(thread_id);
  expect(made).toMatchObject({ kwargs: { input: { log: ["in"] } } });
});

test("select returns the selected fields alone", async () => {
  await run();
  const select = ["values.log", "next"] as never;
  const selected = { values: { log: ["in", "first"] }, next: ["inner"] };
  expect(await client.threads.getState(thread_id, undefined, { select } as never)).toEqual(selected);
  const [last] = await client.threads.getHistory(thread_id, { limit: 1, select } as never);
  expect(last).toEqual(selected);
  const [made] = await client.runs.list(thread_id, { select: ["run_id", "status"] });
  expect(made).toEqual({ run_id: expect.any(String) as string, status: "interrupted" });
});

test("a thread at a breakpoint is interrupted, one that failed has its error", async () => {
  await run({ interruptBefore: ["inner"] });
  expect(await client.threads.get(thread_id)).toMatchObject({ status: "interrupted", error: null });
  const fails = new StateGraph(Log)
    .addNode("fails", () => {
      throw new RangeError("Out.");
    })
    .addEdge(START, "fails");
  serve(fails.compile({ checkpointer: new MemorySaver() }));
  await client.threads.create({ threadId: thread_id });
  await run({ raiseError: false });
  const error = { error: "RangeError", message: "Out." };
  expect(await client.threads.get(thread_id)).toMatchObject({ status: "error", error });
});

test("searches filter and sort", async () => {
  serve({ beta: graph(), alpha: graph() });
  const names = async (query: object) => {
    const found = await client.assistants.search({ ...query, includePagination: false } as object);
    return found.map(({ name }) => name);
  };
  expect(await names({ sortBy: "name", sortOrder: "asc" })).toEqual(["alpha", "beta"]);
  expect(await names({ graphId: "beta" })).toEqual(["beta"]);
  expect(await names({ name: "ALP" })).toEqual(["alpha"]);
  expect(await names({ limit: 1, offset: 1 })).toEqual(["alpha"]);
  for (const threadId of ["b", "c", "a"]) await client.threads.create({ threadId });
  const ids = async (query: object) => (await client.threads.search(query as never)).map((one) => one.thread_id);
  expect(await ids({ sortBy: "thread_id", sortOrder: "asc" })).toEqual(["a", "b", "c"]);
  expect(await ids({ sortBy: "thread_id", sortOrder: "desc", limit: 2 })).toEqual(["c", "b"]);
  await expect(ids({ sortBy: "colour" })).rejects.toThrow("colour");
});

test("what is not served is refused by name", async () => {
  await expect(client.threads.create({ ttl: 5 } as never)).rejects.toThrow("ttl");
  const post = (body: object) =>
    handler(
      new Request(`http://localhost/threads/${thread_id}/runs/wait`, { method: "POST", body: JSON.stringify(body) }),
    );
  expect(await (await post({ assistant_id: "agent", strict_resume: true })).text()).toContain("strict_resume");
});

test("Python's SDK joins a run without a mode", async () => {
  await run();
  const [made] = await client.runs.list(thread_id);
  const response = await handler(
    new Request(`http://localhost/threads/${thread_id}/runs/${made?.run_id}/stream?stream_mode=`),
  );
  expect(response.status).toBe(200);
});

describe.each(LIBRARIES)("$library", ({ chatGraph }) => {
  test("an update at a checkpoint that is not there is refused, and changes nothing", async () => {
    serve(chatGraph());
    await client.runs.wait(thread_id, "agent", {
      input: { messages: [{ type: "human", content: "Hi" }] },
      ifNotExists: "create",
    });
    const before = await client.threads.getState(thread_id);
    const checkpointId = "1ef00000-0000-6000-8000-000000000000";
    const update = client.threads.updateState(thread_id, { values: { messages: [] }, checkpointId });
    await expect(update).rejects.toThrow(`There is no checkpoint ${checkpointId} of the thread ${thread_id}.`);
    expect(await client.threads.getState(thread_id)).toEqual(before);
  });

  test("checkpoints in the stream name themselves, and messages have metadata", async () => {
    serve(chatGraph());
    const input = { messages: [{ type: "human", content: "Hi" }] };
    const streamMode = ["checkpoints", "debug", "messages"] as never;
    const parts: { event: string; data: Record<string, unknown> }[] = [];
    for await (const part of client.runs.stream(thread_id, "agent", { input, streamMode, ifNotExists: "create" }))
      parts.push(part as never);
    const of = (name: string) => parts.filter(({ event }) => event === name).map(({ data }) => data);
    const [first, second] = of("checkpoints").slice(-2) as Record<string, Record<string, unknown>>[];
    expect(second?.["checkpoint"]).toMatchObject({ thread_id, checkpoint_id: expect.any(String) });
    expect(second?.["parent_checkpoint"]).toEqual(first?.["checkpoint"]);
    expect(second?.["parent_config"]).toMatchObject({ configurable: { thread_id } });
    const debug = of("debug").filter(({ type }) => type === "checkpoint");
    expect((debug.at(-1) as { payload: object }).payload).toMatchObject({ checkpoint: second?.["checkpoint"] });
    const about = of("messages/metadata").flatMap((data) => Object.values(data));
    expect(about[0]).toMatchObject({ metadata: { langgraph_node: "model" } });
  });
});
