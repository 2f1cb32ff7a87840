// Every method of the SDK's Client that sends a request: it is served, or refused with a sentence that names it.
import { Client } from "@langchain/langgraph-sdk";
import { serveLangGraph } from "threadfold/serve";
import { beforeEach, describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

type Room = "assistants" | "threads" | "runs" | "crons" | "store";
const ROOMS: readonly Room[] = ["assistants", "threads", "runs", "crons", "store"];

const input = { messages: [{ type: "human", content: "Hi" }] };

/** A call gets a client, the id of a thread that has run, and that run's. */
interface Call {
  readonly client: Client;
  readonly fetch: typeof globalThis.fetch;
  readonly thread: string;
  readonly run: string;
}

const all = async (parts: AsyncIterable<unknown>): Promise<unknown[]> => {
  const list: unknown[] = [];
  for await (const part of parts) list.push(part);
  return list;
};

const text = expect.any(String) as string;
const assistant = { assistant_id: "chat", graph_id: "chat", name: "chat", version: 1, description: null };
const graph = { nodes: expect.arrayContaining([expect.objectContaining({ id: "model" })]) as [], edges: [] };
const thread = { thread_id: text, status: "idle", metadata: expect.any(Object) as object, created_at: text };
const state = { values: expect.any(Object) as object, next: [], tasks: [], checkpoint: { checkpoint_id: text } };
const run = { run_id: text, thread_id: text, assistant_id: "chat", metadata: {}, created_at: text };

/** The served methods, each with what it answers. */
const SERVED: Record<string, readonly [call: (call: Call) => Promise<unknown>, answer: unknown]> = {
  "assistants.search": [({ client }) => client.assistants.search(), [assistant]],
  "assistants.count": [({ client }) => client.assistants.count({ graphId: "chat" }), 1],
  "assistants.get": [({ client }) => client.assistants.get("chat"), assistant],
  "assistants.getGraph": [
    ({ client }) => client.assistants.getGraph("chat"),
    { ...graph, edges: expect.any(Array) as [] },
  ],
  "assistants.getVersions": [({ client }) => client.assistants.getVersions("chat"), [assistant]],
  "threads.create": [({ client }) => client.threads.create(), { ...thread, values: null }],
  "threads.get": [({ client, thread: id }) => client.threads.get(id), thread],
  "threads.search": [({ client }) => client.threads.search(), [thread]],
  "threads.count": [({ client }) => client.threads.count({ status: "idle" }), 1],
  "threads.update": [({ client, thread: id }) => client.threads.update(id, { metadata: { a: 1 } }), thread],
  "threads.delete": [({ client, thread: id }) => client.threads.delete(id), undefined],
  "threads.getState": [({ client, thread: id }) => client.threads.getState(id), state],
  "threads.getHistory": [
    ({ client, thread: id }) => client.threads.getHistory(id),
    expect.arrayContaining([expect.objectContaining({ next: [] })]),
  ],
  "threads.updateState": [
    ({ client, thread: id }) => client.threads.updateState(id, { values: { log: ["x"] } }),
    { checkpoint: { checkpoint_id: text } },
  ],
  "threads.stream": [
    async ({ client, fetch, thread: id }) => {
      const stream = client.threads.stream(id, { assistantId: "chat", fetch });
      const { run_id } = (await stream.run.start({ input })) as { run_id: string };
      await stream.output;
      await stream.close();
      return run_id;
    },
    text,
  ],
  "runs.stream": [
    ({ client, thread: id }) => all(client.runs.stream(id, "chat", { input })),
    expect.arrayContaining([expect.objectContaining({ event: "values" })]),
  ],
  "runs.create": [({ client, thread: id }) => client.runs.create(id, "chat", { input }), run],
  "runs.wait": [
    ({ client, thread: id }) => client.runs.wait(id, "chat", { input }),
    { messages: expect.any(Array) as [] },
  ],
  "runs.list": [({ client, thread: id }) => client.runs.list(id), [run]],
  "runs.get": [({ client, thread: id, run: of }) => client.runs.get(id, of), { ...run, status: "success" }],
  "runs.join": [({ client, thread: id, run: of }) => client.runs.join(id, of), { messages: expect.any(Array) as [] }],
  "runs.joinStream": [
    ({ client, thread: id, run: of }) => all(client.runs.joinStream(id, of)),
    expect.arrayContaining([expect.objectContaining({ event: "values" })]),
  ],
  "runs.cancel": [({ client, thread: id, run: of }) => client.runs.cancel(id, of), {}],
  "runs.delete": [({ client, thread: id, run: of }) => client.runs.delete(id, of), {}],
};

/** The refused ones: docs/serve-langgraph.md lists them. */
const REFUSED: Record<string, (call: Call) => Promise<unknown>> = {
  "assistants.getSchemas": ({ client }) => client.assistants.getSchemas("chat"),
  "assistants.getSubgraphs": ({ client }) => client.assistants.getSubgraphs("chat", { namespace: "a" }),
  "assistants.create": ({ client }) => client.assistants.create({ graphId: "chat" }),
  "assistants.update": ({ client }) => client.assistants.update("chat", { name: "other" }),
  "assistants.delete": ({ client }) => client.assistants.delete("chat"),
  "assistants.setLatest": ({ client }) => client.assistants.setLatest("chat", 1),
  "threads.copy": ({ client, thread: id }) => client.threads.copy(id),
  "threads.prune": ({ client, thread: id }) => client.threads.prune([id]),
  "threads.patchState": ({ client, thread: id }) => client.threads.patchState(id, {}),
  "runs.createBatch": ({ client }) => client.runs.createBatch([{ assistantId: "chat" }] as never),
  "runs.cancelMany": ({ client }) => client.runs.cancelMany({ status: "all" }),
  "crons.createForThread": ({ client, thread: id }) =>
    client.crons.createForThread(id, "chat", { schedule: "* * * * *" }),
  "crons.create": ({ client }) => client.crons.create("chat", { schedule: "* * * * *" }),
  "crons.update": ({ client }) => client.crons.update("c", { schedule: "* * * * *" }),
  "crons.delete": ({ client }) => client.crons.delete("c"),
  "crons.search": ({ client }) => client.crons.search(),
  "crons.count": ({ client }) => client.crons.count(),
  "store.putItem": ({ client }) => client.store.putItem(["a"], "k", {}),
  "store.getItem": ({ client }) => client.store.getItem(["a"], "k"),
  "store.deleteItem": ({ client }) => client.store.deleteItem(["a"], "k"),
  "store.searchItems": ({ client }) => client.store.searchItems(["a"]),
  "store.listNamespaces": ({ client }) => client.store.listNamespaces(),
};

/** Tested elsewhere. */
const ELSEWHERE = ["threads.joinStream"];

test("the tables have every method of the SDK's Client", () => {
  const client = new Client({ apiUrl: "http://localhost" });
  const methods = ROOMS.flatMap((room) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(client[room]) as object)
      .filter((name) => name !== "constructor")
      .map((name) => `${room}.${name}`),
  );
  expect([...Object.keys(SERVED), ...Object.keys(REFUSED), ...ELSEWHERE].sort()).toEqual(methods.sort());
});

describe.each(LIBRARIES)("$library", ({ chatGraph }) => {
  let call: Call;

  beforeEach(async () => {
    const handler = serveLangGraph({ chat: chatGraph() } as never);
    const fetch = async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init));
    const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch, maxRetries: 0 } as never });
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "chat", { input });
    const [{ run_id } = { run_id: "" }] = await client.runs.list(thread_id);
    call = { client, fetch, thread: thread_id, run: run_id };
  });

  test.each(Object.entries(SERVED))("%s is served", async (_, [method, answer]) => {
    const given = await method(call);
    // `toMatchObject` takes neither plain values nor matchers.
    expect([given]).toMatchObject([answer]);
  });

  test.each(Object.entries(REFUSED))("%s is refused by name", async (_, method) => {
    await expect(method(call)).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(/ is not served: \w/) as string,
    });
  });
});
