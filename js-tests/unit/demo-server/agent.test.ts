// The demo's agent server by itself: its HTTP responses, and the faults on request.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpAgent, type Message } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../../www/server/agent.mjs";

interface Part {
  readonly id: number;
  readonly event: { readonly type: string; readonly [key: string]: unknown };
}

let server: Server;
let address: string;

beforeAll(async () => {
  const agent = createAgent();
  server = createServer((request, response) => {
    if (!agent(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
});

afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
);

let made = 0;
const fresh = (kind: string) => `${kind}-${++made}`;

const input = (text: string, { threadId = fresh("t"), runId = fresh("r") } = {}) => ({
  threadId,
  runId,
  messages: [{ id: `u-${runId}`, role: "user", content: text }],
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
});

const post = (body: unknown, query = "tick=0", headers = {}) =>
  fetch(`${address}?${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** The whole parts of an answer, and whether the connection broke after them. */
async function read(response: Response): Promise<{ parts: Part[]; broken: boolean; rest: string }> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  let broken = false;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    broken = true;
  }
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  const parts = blocks
    .filter((block) => !block.startsWith(":"))
    .map((block) => {
      const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
      return { id: Number(id), event: JSON.parse(data ?? "") as Part["event"] };
    });
  return { parts, broken, rest };
}

const run = async (...args: Parameters<typeof post>) => read(await post(...args));
const types = (parts: readonly Part[]) => parts.map(({ event }) => event.type);
const held = async (threadId: string) =>
  (await fetch(`${address}/threads/${threadId}`)).json() as Promise<{
    messages: Message[];
    state: Record<string, unknown>;
  }>;

/** The id of a part that a run's starter gets: the third of all is the question, which it has. */
const idAt = (at: number) => (at < 2 ? at + 1 : at + 2);

test.each([
  "Plan my week",
  "What is the weather in Lima?",
  "A long answer, please",
  "Mail Ada",
  "A trip to Rome",
  "hi",
])("answers %j in events that AG-UI's schemas accept", async (question) => {
  const asked = input(question);
  const { parts, broken, rest } = await run(asked);
  expect({ broken, rest }).toEqual({ broken: false, rest: "" });
  expect(parts.map(({ id }) => id)).toEqual(parts.map((_, at) => idAt(at)));
  for (const { event } of parts) EventSchemas.parse(event);
  expect(types(parts).at(0)).toBe("RUN_STARTED");
  const ends = parts.filter(({ event }) => event.type !== "CUSTOM").slice(-2);
  expect(types(ends)).toEqual(["MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  const snapshot = ends[0]?.event["messages"] as Message[];
  expect(snapshot.slice(0, 2)).toMatchObject([asked.messages[0], { role: "assistant" }]);
  // A client gets the messages of sub-agents, too.
  const conversation = snapshot.filter((message) => !("subagentRunId" in message));
  expect((await held(asked.threadId)).messages).toEqual(conversation);
});

test("a plan has a tool call, its result, and todos by snapshot and by delta", async () => {
  const asked = input("Plan my week");
  const { parts } = await run(asked);
  const args = parts
    .filter(({ event }) => event.type === "TOOL_CALL_ARGS")
    .map(({ event }) => event["delta"])
    .join("");
  expect(JSON.parse(args)).toMatchObject({ todos: [{ status: "pending" }, {}, {}] });
  expect(types(parts)).toContain("TOOL_CALL_RESULT");
  expect(types(parts).filter((type) => type.startsWith("STATE_"))).toEqual([
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "STATE_DELTA",
    "STATE_DELTA",
  ]);
  const { state, messages } = await held(asked.threadId);
  expect((state["todos"] as { status: string }[]).map(({ status }) => status)).toEqual([
    "completed",
    "completed",
    "completed",
  ]);
  expect(state["files"]).toMatchObject({ "/answer.md": { content: messages.at(-1)?.content } });
  // The result goes by the call's id while it streams, by one of its own in snapshots.
  const streamed = parts.find(({ event }) => event.type === "TOOL_CALL_RESULT")?.event["messageId"];
  expect(messages.some(({ id }) => id === streamed)).toBe(false);
});

test("@ag-ui/client runs two turns against it and ends with the server's messages and state", async () => {
  const agent = new HttpAgent({ url: `${address}?tick=0`, threadId: fresh("t") });
  for (const [turn, content] of ["Plan my week", "hi"].entries()) {
    agent.addMessage({ id: `q${turn}`, role: "user", content });
    await agent.runAgent({ runId: fresh("r") });
  }
  const { messages, state } = await held(agent.threadId);
  expect(messages).toHaveLength(6);
  // It puts a re-keyed tool result last, so the order is not its own to be held to here.
  const sorted = (list: readonly Message[]) => list.toSorted((a, b) => a.id.localeCompare(b.id));
  expect(sorted(agent.messages)).toEqual(sorted(messages));
  expect(agent.state).toEqual(state);
});

test("a cut breaks the connection inside an event; the run continues and is joined after the last id", async () => {
  const asked = input("Plan my week");
  const whole = (await run(input("Plan my week"))).parts.length;
  const first = await run(asked, "tick=1&cut=7");
  expect(first.broken).toBe(true);
  expect(first.parts).toHaveLength(7);
  expect(first.rest).toMatch(/^id: 9/);
  const rest = await read(
    await fetch(`${address}/threads/${asked.threadId}/runs/${asked.runId}`, { headers: { "last-event-id": "8" } }),
  );
  expect(rest.broken).toBe(false);
  expect([...first.parts, ...rest.parts].map(({ id }) => id)).toEqual(
    Array.from({ length: whole }, (_, at) => idAt(at)),
  );
});

test("a run joined without an id, or posted once more, is that run from its start", async () => {
  const asked = input("hi");
  const { parts } = await run(asked, "tick=1&cut=3");
  const again = await read(await fetch(`${address}/threads/${asked.threadId}/runs/${asked.runId}`));
  expect(again.parts.filter(({ id }) => id !== 3).slice(0, 3)).toEqual(parts);
  expect(again.parts[2]?.event).toMatchObject({ type: "MESSAGES_SNAPSHOT", messages: asked.messages });
  expect(again.parts.at(-1)?.event.type).toBe("RUN_FINISHED");
  expect((await run(asked)).parts).toEqual(again.parts);
  expect((await run(asked, "", { "last-event-id": "3" })).parts).toEqual(again.parts.slice(3));
  expect((await held(asked.threadId)).messages).toHaveLength(2);
});

test("a failing run ends with RUN_ERROR, and the server forgets it; asked again it answers", async () => {
  const first = input("hi");
  await run(first);
  const before = await held(first.threadId);
  const failed = input("Plan my week", { threadId: first.threadId });
  const { parts, broken } = await run({ ...failed, runId: fresh("r") }, "tick=0&fail=9");
  expect(broken).toBe(false);
  expect(types(parts).indexOf("RUN_ERROR")).toBe(9);
  expect(parts).toHaveLength(10);
  // The checkpoint is another one: the server saved the question before it failed.
  expect(await held(first.threadId)).toEqual({ ...before, checkpoint: expect.any(String) });
  await run({ ...failed, runId: fresh("r") });
  expect((await held(first.threadId)).messages).toHaveLength(6);
});

test.each([
  [1, 1],
  [2, 0],
])("with lag %i, snapshots come in mid-message and know %i messages of this turn", async (lag, known) => {
  const asked = input("A long answer, please");
  const { parts } = await run(asked, `tick=0&lag=${lag}`);
  const at = types(parts).indexOf("MESSAGES_SNAPSHOT");
  expect(types(parts)[at - 1]).toBe("TEXT_MESSAGE_CONTENT");
  expect(types(parts)[at + 1]).toBe("TEXT_MESSAGE_CONTENT");
  expect(parts[at]?.event["messages"]).toHaveLength(known);
  expect(parts.findLast(({ event }) => event.type === "MESSAGES_SNAPSHOT")?.event["messages"]).toHaveLength(2);
});

test("a rewritten answer differs from the streamed one", async () => {
  const asked = input("hi");
  const { parts } = await run(asked, "tick=0&rewrite=1");
  const streamed = parts
    .filter(({ event }) => event.type === "TEXT_MESSAGE_CONTENT")
    .map(({ event }) => event["delta"])
    .join("");
  expect(streamed).toContain("You wrote “hi”");
  expect((await held(asked.threadId)).messages.at(-1)?.content).toBe("I would rather not have said that.");
});

test("latency and tick are waited for", async () => {
  const start = performance.now();
  const { parts } = await run(input("hi"), "latency=120&tick=5");
  // A timer may be a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(118 + 4 * (parts.length - 1));
});

test("a second run of a thread waits for the first to end: it is refused", async () => {
  const asked = input("hi");
  const first = await post(asked, "latency=300&tick=0");
  const second = await post(input("hi", { threadId: asked.threadId, runId: fresh("r") }));
  expect(second.status).toBe(409);
  await read(first);
  expect((await post(input("hi", { threadId: asked.threadId, runId: fresh("r") }))).status).toBe(200);
});

test.each([
  ["{", "", 400],
  ["{}", "", 400],
  [JSON.stringify({ ...input("hi"), messages: [1] }), "", 400],
  [JSON.stringify(input("hi")), "latency=fast", 400],
  [JSON.stringify(input("hi")), "lag=3", 400],
])("refuses %s?%s in a sentence", async (body, query, status) => {
  const response = await fetch(`${address}?${query}`, { method: "POST", body });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/\w/) as string });
});

test("an unknown run or thread is not there, and other paths are not the agent's", async () => {
  expect((await fetch(`${address}/threads/none/runs/none`)).status).toBe(404);
  expect((await fetch(`${address}/threads/none`)).status).toBe(404);
  const elsewhere = await fetch(new URL("/agents", address));
  expect(await elsewhere.text()).toBe("");
});
