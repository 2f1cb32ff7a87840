// A node that listens to its signal and never stops listening leaks nothing, however its run ends.
import { heapUsed } from "../../support/wasm.js";
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph, type NodeContext } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

const RUNS = 200;
/** Bytes that a node's listener holds in each run, so that a leak shows. */
const HELD = 20_000;
/** The bytes that may stay of a run: its saved thread is 2,000 of them, and a fifth of what a leak would hold is the limit. */
const NOISE = HELD / 5;

/** A graph whose node listens, and says when it does. */
function listening(wait: (ctx: NodeContext) => unknown) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("listen", async (_, ctx) => {
      const held = new Uint32Array(HELD / 4).fill(1);
      const list = Array.from(held);
      ctx.signal.addEventListener("abort", () => void list.length);
      await wait(ctx);
      return { messages: [{ type: "ai" as const, content: "Hello" }] };
    })
    .addEdge(START, "listen")
    .addEdge("listen", END);
}

const aborted = ({ signal }: NodeContext) =>
  new Promise((resolve) => signal.addEventListener("abort", () => setTimeout(resolve)));

async function growth(run: (at: number) => Promise<unknown>): Promise<number> {
  for (let at = 0; at < 20; at++) await run(at);
  const before = await heapUsed();
  for (let at = 0; at < RUNS; at++) await run(20 + at);
  return ((await heapUsed()) - before) / RUNS;
}

test("where clients leave", async () => {
  const handler = serveAgUi(listening(aborted).compile());
  const grown = await growth(async (at) => {
    const body = JSON.stringify({
      threadId: `t${at}`,
      runId: "r",
      messages: [{ id: "q", role: "user", content: "Hi" }],
    });
    const response = await handler(new Request("http://localhost/", { method: "POST", body }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let text = ""; !text.includes("STEP_STARTED");) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    await new Promise((resolve) => setTimeout(resolve, 2));
  });
  expect(grown).toBeLessThan(NOISE);
});

test("where the caller stops it", async () => {
  const graph = listening(aborted).compile();
  const grown = await growth(async () => {
    const stop = new AbortController();
    const running = graph.invoke({ messages: "Hi" }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stopped")));
    if ((await running.catch((error: Error) => error.message)) !== "stopped") throw new Error("It was not stopped.");
  });
  expect(grown).toBeLessThan(NOISE);
});

test("where it ends well, under one signal of the caller's", async () => {
  const graph = listening(() => undefined).compile();
  const { signal } = new AbortController();
  const grown = await growth(() => graph.invoke({ messages: "Hi" }, { signal }));
  expect(grown).toBeLessThan(NOISE);
});

test("where the node's time is up", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode(
      "listen",
      async (_, ctx) => {
        const list = Array.from({ length: HELD / 8 }, (_, at) => at);
        ctx.signal.addEventListener("abort", () => void list.length);
        await aborted(ctx);
        return {};
      },
      { timeout: 1 },
    )
    .addEdge(START, "listen")
    .compile();
  const { signal } = new AbortController();
  const grown = await growth(() => graph.invoke({ messages: "Hi" }, { signal }).catch(() => {}));
  expect(grown).toBeLessThan(NOISE);
});

test("where a graph inside listens", async () => {
  const inner = listening(aborted).compile();
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .compile();
  const grown = await growth(async () => {
    const stop = new AbortController();
    const running = graph.invoke({ messages: "Hi" }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stopped")));
    if ((await running.catch((error: Error) => error.message)) !== "stopped") throw new Error("It was not stopped.");
  });
  expect(grown).toBeLessThan(NOISE);
});
