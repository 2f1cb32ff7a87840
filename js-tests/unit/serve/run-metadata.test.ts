// A run's metadata and ids in its checkpoints, as LangGraph's own servers write them.
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

const clientOf = (graphs: object) => {
  const handler = serveLangGraph(graphs as never);
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  return new Client({ apiUrl: "http://localhost", callerOptions: { fetch, maxRetries: 0 } as never });
};

describe.each(LIBRARIES)("$library", ({ chatGraph, nestedGraph }) => {
  const input = { messages: [{ type: "human", content: "Hi" }] };

  test("each checkpoint of a run has its metadata and ids", async () => {
    const client = clientOf({ chat: chatGraph(), other: nestedGraph() });
    const { thread_id } = await client.threads.create();
    const config = { metadata: { by: "config" } } as never;
    await client.runs.wait(thread_id, "chat", { input, config, metadata: { of: "first", step: 99 } });
    await client.runs.wait(thread_id, "chat", { input, metadata: { of: "second" } });
    const [second, first] = (await client.runs.list(thread_id)).map(({ run_id }) => run_id);
    const history = await client.threads.getHistory(thread_id, { limit: 100 });
    const ids = { graph_id: "chat", assistant_id: "chat", thread_id, run_attempt: 1 };
    for (const { metadata } of history)
      expect(metadata).toMatchObject({
        ...ids,
        run_id: expect.any(String),
        source: expect.stringMatching(/input|loop/),
      });
    const of = (name: string) => history.filter(({ metadata }) => (metadata as { of?: string }).of === name);
    expect(new Set(of("first").map(({ metadata }) => (metadata as { run_id: string }).run_id))).toEqual(
      new Set([first]),
    );
    expect(new Set(of("second").map(({ metadata }) => (metadata as { run_id: string }).run_id))).toEqual(
      new Set([second]),
    );
    expect(of("first").at(-1)?.metadata).toMatchObject({ by: "config", step: -1 });
    expect(of("first").length + of("second").length).toBe(history.length);
    const found = await client.threads.getHistory(thread_id, { limit: 100, metadata: { of: "first" } });
    expect(found.map(({ checkpoint }) => checkpoint)).toEqual(of("first").map(({ checkpoint }) => checkpoint));
  });

  test("checkpoints of graphs inside have them, too, and no client names a graph's own keys", async () => {
    const graph = nestedGraph();
    const client = clientOf({ nested: graph });
    const { thread_id } = await client.threads.create();
    const metadata = { of: "nested", counters_since_delta_snapshot: { messages: [9, 9] }, graph_id: "none" };
    await client.runs.wait(thread_id, "nested", { input, metadata });
    const saver = (graph as unknown as { checkpointer: MemorySaver }).checkpointer;
    const spaces = new Set<unknown>();
    for await (const { config, metadata } of saver.list({ configurable: { thread_id } })) {
      spaces.add(config.configurable?.["checkpoint_ns"]);
      expect(metadata).toMatchObject({ of: "nested", graph_id: "nested" });
      expect(metadata).not.toHaveProperty("counters_since_delta_snapshot");
    }
    expect(spaces.size).toBe(3);
  });
});

describe.each(LIBRARIES)("$library", ({ nestedGraph }) => {
  test("checkpoints in the stream show nothing of the program: no saver, no callbacks", async () => {
    const graph = nestedGraph();
    const { checkpointer } = graph as unknown as { checkpointer: { toJSON?(): unknown; secret?: string } };
    Object.assign(checkpointer, { secret: "postgres://password", toJSON: undefined });
    const handler = serveLangGraph(graph as never);
    const body = {
      assistant_id: "agent",
      input: { messages: [{ type: "human", content: "Hi" }] },
      stream_mode: ["debug", "checkpoints", "tasks"],
      stream_subgraphs: true,
    };
    const request = { method: "POST", body: JSON.stringify(body) };
    const text = await (await handler(new Request("http://localhost/threads/t/runs/stream", request))).text();
    expect(text).toMatch(/event: checkpoints\|/);
    for (const hidden of ["postgres://password", "__pregel_checkpointer", "__pregel_scratchpad", '"callbacks"'])
      expect(text).not.toContain(hidden);
  });
});

test("another program knows which of several graphs a thread is of", async () => {
  const checkpointer = new MemorySaver();
  const graph = (field_: string) =>
    new StateGraph(defineSchema({ [field_]: field.append<string>() }))
      .addNode("work", () => ({ [field_]: ["work"] }))
      .addEdge(START, "work")
      .compile({ checkpointer });
  const program = () => clientOf({ notes: graph("notes"), log: graph("log") });
  const { thread_id } = await program().threads.create();
  await program().runs.wait(thread_id, "log", { input: { log: ["in"] }, ifNotExists: "create" });
  expect((await program().threads.getState(thread_id)).values).toEqual({ log: ["in", "work"] });
  await program().threads.updateState(thread_id, { values: { log: ["more"] } });
  const { values } = await program().threads.getState(thread_id);
  expect(values).toEqual({ log: ["in", "work", "more"] });
  expect((await program().threads.getHistory(thread_id))[0]?.values).toEqual(values);
});

describe.each(LIBRARIES)("$library", ({ chatGraph }) => {
  test("the program's config goes before the client's, and is in no part", async () => {
    const graph = chatGraph();
    const handler = serveLangGraph(graph as never, {
      config: () => ({ metadata: { tenant: "right" }, configurable: { password: "secret" } }),
    });
    const forged = { tenant: "forged", run_id: "forged", langgraph_auth_user: { identity: "root" } };
    const body = {
      assistant_id: "agent",
      input: { messages: [{ type: "human", content: "Hi" }] },
      stream_mode: ["messages-tuple", "debug", "checkpoints", "tasks"],
      metadata: forged,
      config: { metadata: forged, configurable: forged },
    };
    const request = { method: "POST", body: JSON.stringify(body) };
    const text = await (await handler(new Request("http://localhost/threads/t/runs/stream", request))).text();
    expect(text).toContain('"tenant":"right"');
    for (const word of ["secret", '"tenant":"forged"', '"run_id":"forged"']) expect(text).not.toContain(word);
    const saver = (graph as unknown as { checkpointer: MemorySaver }).checkpointer;
    for await (const { metadata } of saver.list({ configurable: { thread_id: "t" } }))
      expect(metadata).toMatchObject({ tenant: "right" });
  });
});
