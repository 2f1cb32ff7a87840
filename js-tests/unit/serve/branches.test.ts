// The checkpoints of a thread over AG-UI: who may read and copy them, and what is refused.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

interface Told {
  id: string;
  parent?: string;
  isInput: boolean;
  same: number;
  messages: { id: string; content: string }[];
}

const asking =
  (handler: FetchHandler) =>
  async (method: string, path: string, body?: unknown, as = "alice") => {
    const headers = { authorization: as, ...(body !== undefined && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await handler(new Request(`http://localhost/agent${path}`, init));
    const text = await response.text();
    return { status: response.status, text, told: () => JSON.parse(text) as Told[] & { error?: string } };
  };

const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "" });
const said = (runId: string, ...messages: object[]) => ({ threadId: "t", runId, messages });
const user = (id: string, content: string) => ({ id, role: "user", content });

/** The lists of messages of the checkpoints, the newest first. */
function listsOf(told: readonly Told[]): string[][] {
  let all: string[] = [];
  return told.map(({ same, messages }) => (all = [...all.slice(0, same), ...messages.map(({ content }) => content)]));
}

describe.each(LIBRARIES)("$library", ({ halfGraph }) => {
  const open = async (saver: unknown = new MemorySaver()) => {
    const ask = asking(serveAgUi(halfGraph(saver as never), { authenticate, resumable: true }));
    for (const [runId, content] of Object.entries({ r1: "one", r2: "uno" }))
      expect((await ask("POST", "", said(runId, user("q", content)))).status).toBe(200);
    return ask;
  };

  test.each([
    ["ours", () => new MemorySaver()],
    ["theirs", () => new TheirMemorySaver()],
  ])("an edit keeps the list that it replaces, and a copy makes that the newest: saver %s", async (_, saver) => {
    const ask = await open(saver());
    const told = (await ask("GET", "/threads/t/checkpoints")).told();
    const lists = listsOf(told);
    expect(lists[0]?.[0]).toBe("uno");
    const at = lists.findIndex(
      ([first, ...more], index) => first === "one" && more.length > 0 && !told[index]?.isInput,
    );
    expect(at).toBeGreaterThan(0);
    expect(told.every(({ parent }, index) => parent === told[index + 1]?.id)).toBe(true);
    expect(await ask("POST", "/threads/t/checkpoints", { from: told[at]?.id })).toMatchObject({
      status: 200,
      text: "{}",
    });
    const thread = JSON.parse((await ask("GET", "/threads/t")).text) as { messages: { content: string }[]; next: [] };
    expect(thread.messages.map(({ content }) => content)).toEqual(lists[at]);
    expect(thread.next).toEqual([]);
    const after = (await ask("GET", "/threads/t/checkpoints?limit=1")).told();
    expect(after).toMatchObject([{ parent: told[at]?.id, isInput: false, same: 0 }]);
  });

  test.each([
    ["another user's", "t", "bob", 404],
    ["an unknown thread's", "none", "alice", 404],
    ["a property's of every object", "__proto__", "alice", 422],
    ["one's with a |", "t|", "alice", 404],
    ["one's with an encoded path", "t%2F..%2Ft", "alice", 404],
  ])("%s checkpoints are not told, and not copied", async (_, threadId, as, status) => {
    const ask = await open();
    const [{ id } = { id: "" }] = (await ask("GET", "/threads/t/checkpoints")).told();
    const path = `/threads/${threadId}/checkpoints`;
    expect((await ask("GET", path, undefined, as)).status).toBe(status);
    expect((await ask("POST", path, { from: id }, as)).status).toBe(status);
    expect((await ask("GET", "/threads/t/checkpoints")).told()[0]?.id).toBe(id);
  });

  test.each([
    [{ from: "unknown" }, 404],
    [{ from: "a|b" }, 404],
    [{ from: "1f000000-0000-6000-8000-000000000000" }, 404],
    [{ from: "__proto__" }, 422],
    [{ from: 5 }, 422],
    [{ from: { checkpoint_ns: "__owner__" } }, 422],
    [{ from: "" }, 422],
    [{}, 422],
    [null, 422],
    [[], 422],
  ])("a copy of %j is refused", async (body, status) => {
    const ask = await open();
    const before = (await ask("GET", "/threads/t/checkpoints")).text;
    const answer = await ask("POST", "/threads/t/checkpoints", body);
    expect([answer.status, typeof answer.told().error]).toEqual([status, "string"]);
    expect((await ask("GET", "/threads/t/checkpoints")).text).toBe(before);
  });

  test.each(["-1", "x", "1.5", "NaN"])("limit=%s is refused", async (limit) => {
    const ask = await open();
    expect((await ask("GET", `/threads/t/checkpoints?limit=${limit}`)).status).toBe(422);
    expect((await ask("GET", "/threads/t/checkpoints?limit=0")).told()).toEqual([]);
    expect((await ask("DELETE", "/threads/t/checkpoints")).status).toBe(404);
  });
});

test("where a graph has approvals, no copy of a checkpoint is made at which something is left to do", async () => {
  const sent: unknown[] = [];
  const agent = createAgent({
    model: (messages) =>
      messages.at(-1)?.content === "send"
        ? { content: "", tool_calls: [{ id: "c", name: "send", args: {} }] }
        : "Said.",
    tools: [tool({ name: "send", run: () => `Sent: ${sent.push("x")}` })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  const ask = asking(serveAgUi(agent, { authenticate }));
  await ask("POST", "", said("r1", user("q1", "hello")));
  const [done] = (await ask("GET", "/threads/t/checkpoints")).told();
  await ask("POST", "", said("r2", user("q2", "send")));
  const [asks] = (await ask("GET", "/threads/t/checkpoints")).told();
  const refused = await ask("POST", "/threads/t/checkpoints", { from: asks?.id });
  expect([refused.status, refused.told().error]).toEqual([403, expect.stringMatching(/approvals\.$/)]);
  expect((await ask("POST", "/threads/t/checkpoints", { from: done?.id })).status).toBe(200);
  expect(sent).toEqual([]);
});

test("a copy is refused while a run is under way; without a checkpointer there are none", async () => {
  let end = () => {};
  const isOver = new Promise<void>((resolve) => (end = resolve));
  let begin = () => {};
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  let runs = 0;
  const make = (checkpointer?: MemorySaver) =>
    createAgent({
      model: async () => {
        if (++runs === 2) {
          begin();
          await isOver;
        }
        return "Said.";
      },
      tools: [],
      ...(checkpointer && { checkpointer }),
    });
  const ask = asking(serveAgUi(make(new MemorySaver()), { authenticate, resumable: true }));
  await ask("POST", "", said("r1", user("q1", "one")));
  const [first] = (await ask("GET", "/threads/t/checkpoints")).told();
  const second = ask("POST", "", said("r2", user("q2", "two")));
  await hasBegun;
  expect((await ask("POST", "/threads/t/checkpoints", { from: first?.id })).status).toBe(409);
  end();
  await second;
  expect((await ask("POST", "/threads/t/checkpoints", { from: first?.id })).status).toBe(200);
  const bare = asking(serveAgUi(make(), { authenticate, resumable: true }));
  await bare("POST", "", said("r1", user("q1", "one")));
  expect((await bare("GET", "/threads/t/checkpoints")).told()).toEqual([]);
  expect((await bare("POST", "/threads/t/checkpoints", { from: first?.id })).status).toBe(422);
});

test("what the checkpoints share is told once", async () => {
  const agent = createAgent({ model: () => "x".repeat(100), tools: [], checkpointer: new MemorySaver() });
  const ask = asking(serveAgUi(agent, { authenticate }));
  const sizes: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    await ask("POST", "", said(`r${turn}`, user(`q${turn}`, "hello")));
    if (turn === 19 || turn === 39) sizes.push((await ask("GET", "/threads/t/checkpoints")).text.length);
  }
  expect(sizes[1]).toBeLessThan(2.2 * (sizes[0] ?? 0));
});

test("a thread whose last input the graph refuses is read as before it, and branches from there", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages(), log: field.append<string>() }))
    .addNode("answer", () => ({ messages: [{ type: "ai", content: "Said." }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const ask = asking(serveAgUi(graph, { authenticate }));
  await ask("POST", "", said("r1", user("q1", "one")));
  const [first] = (await ask("GET", "/threads/t/checkpoints")).told();
  await ask("POST", "", { ...said("r2", user("q2", "two")), state: { log: "no list" } });
  const refused = await ask("GET", "/threads/t");
  expect([refused.status, refused.text.includes("one"), refused.text.includes("two")]).toEqual([200, true, false]);
  expect((await ask("GET", "/threads/t/checkpoints")).told().some(({ id }) => id === first?.id)).toBe(true);
  expect((await ask("POST", "/threads/t/checkpoints", { from: first?.id })).status).toBe(200);
  expect(await ask("GET", "/threads/t")).toMatchObject({
    status: 200,
    text: expect.stringContaining("Said.") as string,
  });
});
