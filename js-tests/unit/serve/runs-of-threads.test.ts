// A run is known by its thread and its id: an id that a client chooses collides with no other thread's.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";

const parrot = () =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => ({
      messages: [{ type: "ai", content: `You said ${messages.at(-1)?.content}.` }],
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });

const ask = (handler: FetchHandler, method: string, path: string, body?: object) =>
  handler(new Request(`http://localhost${path}`, { method, ...(body && { body: JSON.stringify(body) }) }));

describe("serve", () => {
  const begin = (handler: FetchHandler, threadId: string, runId: string, content: string) =>
    ask(handler, "POST", "/agent", { threadId, runId, messages: [{ id: `q-${content}`, role: "user", content }] });

  test("one id in two threads is two runs, each with its own events", async () => {
    const handler = serveAgUi(parrot(), { resumable: true });
    const first = await (await begin(handler, "alice", "r", "a secret")).text();
    const second = await (await begin(handler, "bob", "r", "hello")).text();
    expect([first.includes("a secret"), second.includes("a secret")]).toEqual([true, false]);
    const joined = async (threadId: string) => (await ask(handler, "GET", `/agent/threads/${threadId}/runs/r`)).text();
    const [ofAlice, ofBob] = [await joined("alice"), await joined("bob")];
    // Its starter has the question.
    for (const part of first.split("\n\n")) expect(ofAlice).toContain(part);
    for (const part of second.split("\n\n")) expect(ofBob).toContain(part);
    expect(ofBob).not.toContain("a secret");
    // Sending it again joins that run.
    expect(await (await begin(handler, "bob", "r", "hello")).text()).toBe(ofBob);
  });

  test.each([
    ["GET", "/agent/runs/r"],
    ["DELETE", "/agent/runs/r"],
    ["GET", "/agent/runs/r?threadId=alice"],
    ["GET", "/agent/threads/bob/runs/r"],
    ["DELETE", "/agent/threads/bob/runs/r"],
  ])("%s %s is 404: a run is asked for by its thread", async (method, path) => {
    const handler = serveAgUi(parrot(), { resumable: true });
    await (await begin(handler, "alice", "r", "a secret")).text();
    expect((await ask(handler, method, path)).status).toBe(404);
  });

  test.each([".", "..", "\ud800"])("%j is no id: an address cannot name it", async (id) => {
    const handler = serveAgUi(parrot(), { resumable: true });
    for (const answer of [await begin(handler, id, "r", "Hi"), await begin(handler, "t", id, "Hi")]) {
      expect(answer.status).toBe(422);
      expect(await answer.json()).toEqual({ error: `No address can name the id ${id}: choose another one.` });
    }
    const langGraph = serveLangGraph(parrot());
    expect((await ask(langGraph, "POST", "/threads", { thread_id: id })).status).toBe(422);
  });

  test("a thread's id may be any text: its state and its runs are found by it", async () => {
    const handler = serveAgUi(parrot(), { resumable: true });
    for (const id of ["a/runs/r", "ä b?#%", "threads/x", "*"]) {
      await (await begin(handler, id, "r", "Hi")).text();
      const at = `/agent/threads/${encodeURIComponent(id)}`;
      expect([(await ask(handler, "GET", at)).status, (await ask(handler, "GET", `${at}/runs/r`)).status]).toEqual([
        200, 200,
      ]);
    }
  });
});

describe("serveLangGraph", () => {
  const input = { assistant_id: "agent", input: { messages: [{ type: "human", content: "Hi" }] } };

  test.each([
    ["GET", ""],
    ["GET", "/join"],
    ["GET", "/stream"],
    ["POST", "/cancel"],
    ["DELETE", ""],
  ])("%s …/runs/ID%s of another thread is 404", async (method, more) => {
    const handler = serveLangGraph(parrot());
    const run = (await (await ask(handler, "POST", "/threads/alice/runs", input)).json()) as { run_id: string };
    expect((await ask(handler, method, `/threads/bob/runs/${run.run_id}${more}`)).status).toBe(404);
    expect((await ask(handler, "GET", `/threads/alice/runs/${run.run_id}`)).status).toBe(200);
  });

  test("a thread's id may be any text: the header that says where its run is holds it encoded", async () => {
    const handler = serveLangGraph(parrot());
    for (const id of ["a/runs/r", "ä b?#%", "новый\n", "*"]) {
      const answer = await ask(handler, "POST", `/threads/${encodeURIComponent(id)}/runs/wait`, input);
      const location = answer.headers.get("content-location") ?? "";
      expect([answer.status, location]).toEqual([
        200,
        expect.stringContaining(`/threads/${encodeURIComponent(id)}/runs/`),
      ]);
      expect((await ask(handler, "GET", location)).status).toBe(200);
    }
  });
});
