// Callers of serveLangGraph who leave: a run that is asked to stop then stops.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph, toNodeListener } from "threadfold/serve";
import { expect, test } from "vitest";
import { gate } from "./gate.js";

/** A server of a graph whose node runs until it is stopped. */
function endless() {
  const { reach, isReached, open, opened } = gate();
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async (_, { signal }) => {
      signal?.addEventListener("abort", open);
      reach();
      await opened;
      return {};
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  return { handler: serveLangGraph(graph), isReached, isStopped: opened };
}

const BODY = JSON.stringify({ assistant_id: "agent", input: { messages: [] }, on_disconnect: "cancel" });
/** A run that is not stopped runs for ever. */
const SOON = { timeout: 20_000 };

test.each(["/threads/t/runs/wait", "/threads/t/runs/stream", "/runs/wait", "/runs/stream"])(
  "over node:http, %s",
  SOON,
  async (path) => {
    const { handler, isReached, isStopped } = endless();
    const server = createServer(toNodeListener(handler)).listen(0);
    const { port } = server.address() as AddressInfo;
    const asked = request({ port, path, method: "POST", headers: { "content-type": "application/json" } });
    asked.on("error", () => {});
    asked.end(BODY);
    await isReached;
    asked.destroy();
    await isStopped;
    server.close();
  },
);

const post = (path: string, signal: AbortSignal, body = BODY) =>
  new Request(`http://localhost${path}`, { method: "POST", body, signal });

test.each(["wait", "stream"])("called as fetch, %s", SOON, async (how) => {
  const { handler, isReached, isStopped } = endless();
  const left = new AbortController();
  const response = handler(post(`/threads/t/runs/${how}`, left.signal));
  await isReached;
  left.abort();
  await isStopped;
  await (await response).text();
});

test.each(["wait", "stream"])("left before there is a run, %s", SOON, async (how) => {
  const { handler } = endless();
  const response = await handler(post(`/threads/t/runs/${how}`, AbortSignal.abort()));
  await response.text();
  const runs = await (await handler(new Request("http://localhost/threads/t/runs"))).json();
  expect(runs).toMatchObject([{ status: "interrupted" }]);
});

test.each(["join", "stream"])("of a run that is joined, %s", SOON, async (how) => {
  const { handler, isReached, isStopped } = endless();
  const plain = JSON.stringify({ assistant_id: "agent", input: { messages: [] } });
  const begun = await handler(post("/threads/t/runs", new AbortController().signal, plain));
  const { run_id } = (await begun.json()) as { run_id: string };
  const left = new AbortController();
  const url = `http://localhost/threads/t/runs/${run_id}/${how}?cancel_on_disconnect=1`;
  const joined = handler(new Request(url, { signal: left.signal }));
  await isReached;
  left.abort();
  await isStopped;
  await (await joined).text();
});
