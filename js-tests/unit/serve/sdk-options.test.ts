// Options of the SDK's Client that a handler of `serveLangGraph` supports, or refuses: none is ignored.
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const input = { log: ["in"] };

function served() {
  const graph = new StateGraph(defineSchema({ log: field.append<string>(), owner: field.replace<string>() }))
    .addNode("work", () => ({ log: ["work"] }))
    .addEdge(START, "work")
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph(graph);
  const fetch = (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  return new Client({
    apiUrl: "http://agent.test",
    callerOptions: { maxRetries: 0, fetch: fetch as typeof globalThis.fetch },
  });
}

const refused = (status: number) => expect.objectContaining({ status }) as Error;

test("unsupported options are refused, and nothing runs for them", async () => {
  const client = served();
  const { thread_id: id } = await client.threads.create();
  const supersteps = [{ updates: [{ values: input, asNode: "work" }] }];
  await expect(client.threads.create({ supersteps } as never)).rejects.toEqual(refused(422));
  for (const more of [{ afterSeconds: 1 }, { webhook: "http://elsewhere.test" }])
    await expect(client.runs.wait(id, "agent", { input, ...more })).rejects.toEqual(refused(422));
  expect((await client.threads.getState(id)).values).toEqual({});
});

test("a run at a checkpoint that is not there is refused, and the thread is as it was", async () => {
  const client = served();
  const { thread_id: id } = await client.threads.create();
  await client.runs.wait(id, "agent", { input });
  const before = await client.threads.getState(id);
  for (const at of [{ checkpointId: "none" }, { checkpoint: { checkpoint_id: "none" } }])
    await expect(client.runs.wait(id, "agent", { input, ...at } as never)).rejects.toEqual(refused(404));
  expect(await client.threads.getState(id)).toEqual(before);
  const again = { input: null, checkpoint: before.checkpoint };
  await expect(client.runs.wait(id, "agent", again as never)).resolves.toBeDefined();
});

test("an unknown thread is made, or refused if that is asked for", async () => {
  const client = served();
  const run = (id: string, ifNotExists?: "reject" | "create") =>
    client.runs.wait(id, "agent", { input, ...(ifNotExists && { ifNotExists }) });
  const [one, other] = ["0190a0a0-0000-7000-8000-000000000001", "0190a0a0-0000-7000-8000-000000000002"];
  await expect(run(one, "reject")).rejects.toEqual(refused(404));
  await expect(client.threads.get(one)).rejects.toEqual(refused(404));
  expect(await run(one, "create")).toMatchObject({ log: ["in", "work"] });
  expect(await run(one, "reject")).toMatchObject({ log: ["in", "work", "in", "work"] });
  expect(await run(other)).toMatchObject({ log: ["in", "work"] });
});

test("threads are found by their values, and shown as far as that is asked for", async () => {
  const client = served();
  const ids: string[] = [];
  for (const owner of ["ada", "bob", "ada"]) {
    const { thread_id: id } = await client.threads.create({ metadata: { of: owner } });
    await client.runs.wait(id, "agent", { input: { owner } });
    ids.push(id);
  }
  const found = async (asked: object) => (await client.threads.search(asked)).map(({ thread_id }) => thread_id).sort();
  expect(await found({ values: { owner: "ada" } })).toEqual([ids[0], ids[2]].sort());
  expect(await found({ values: { owner: "ada" }, limit: 1 })).toHaveLength(1);
  expect(await found({ values: { owner: "ada", log: ["none"] } })).toEqual([]);
  expect(await found({ values: {} })).toEqual([...ids].sort());
  expect(await found({ metadata: { of: "bob" }, status: "idle" })).toEqual([ids[1]]);
  const [shown] = await client.threads.search({ select: ["thread_id", "status"] });
  expect(Object.keys(shown ?? {}).sort()).toEqual(["status", "thread_id"]);
});

test("a client that joins a run gets the modes it asks for", async () => {
  const client = served();
  const { thread_id: id } = await client.threads.create();
  const run = await client.runs.create(id, "agent", { input, streamMode: ["values", "updates", "messages-tuple"] });
  const events = async (streamMode?: unknown) => {
    const seen = new Set<string>();
    for await (const { event } of client.runs.joinStream(id, run.run_id, { streamMode } as never)) seen.add(event);
    return [...seen].sort();
  };
  expect(await events()).toEqual(["metadata", "updates", "values"]);
  expect(await events("values")).toEqual(["metadata", "values"]);
  expect(await events(["updates", "custom"])).toEqual(["metadata", "updates"]);
  await expect(events("nonsense")).rejects.toEqual(refused(422));
});
