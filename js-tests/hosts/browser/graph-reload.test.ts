// Graphs in Chromium: they ask, the page is reloaded or closed, and they continue.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openChromium } from "../chromium";
import { openPage, packageContext } from "./package-page";

let browser: Browser;
let context: BrowserContext;
let page: Page;

/** `ran` counts in localStorage how often each node ran, in all lives of the page. */
const SCRIPT = `
  import { defineSchema, field } from "threadfold";
  import { Command, IndexedDBSaver, START, StateGraph } from "threadfold/graph";
  const ran = (name) => {
    localStorage[name] = Number(localStorage[name] ?? 0) + 1;
    return { log: [name], messages: [{ type: "ai", id: name, content: name }] };
  };
  const schema = defineSchema({ log: field.append(), messages: field.messages() });
  globalThis.graph = new StateGraph(schema)
    .addNode("a", () => ran("a"))
    .addNode("slow", async () => {
      if (localStorage.hangs) await new Promise(() => {});
      return ran("slow");
    })
    .addNode("ask", (state, ctx) => {
      localStorage.asked = Number(localStorage.asked ?? 0) + 1;
      const answer = ctx.interrupt({ question: "sure?" });
      return { log: ["answer " + answer] };
    })
    .addNode("end", () => ran("end"))
    .addEdge(START, "a")
    .addEdge(START, "slow")
    .addEdge(["a", "slow"], "ask")
    .addEdge("ask", "end")
    .compile({ checkpointer: new IndexedDBSaver({ name: "threads" }) });
  globalThis.resume = (answer) => new Command({ resume: answer });
  globalThis.ready = true;
`;

beforeAll(async () => {
  browser = await openChromium();
}, 60_000);
beforeEach(async () => {
  context = await packageContext(browser, SCRIPT);
  page = await openPage(context);
});
afterEach(async () => {
  await context?.close();
});
afterAll(async () => {
  await browser?.close();
});

/** The global that the page's script defines. */
declare const graph: import("threadfold/graph").CompiledStateGraph;
declare const resume: (answer: unknown) => never;

const start = (on: Page) => on.evaluate(() => graph.invoke({ log: ["in"] }, { threadId: "1" }));
const goOn = (on: Page) => on.evaluate(() => graph.invoke(null, { threadId: "1" }));
const answer = (on: Page, given: string) =>
  on.evaluate((given) => graph.invoke(resume(given), { threadId: "1" }), given);
const counts = (on: Page) => on.evaluate(() => ({ ...localStorage }) as Record<string, string>);

async function reload(): Promise<void> {
  await page.reload();
  await page.waitForFunction("globalThis.ready === true");
}

test("asks, survives a reload, and continues with the answer", async () => {
  expect(await start(page)).toMatchObject({ __interrupt__: [{ value: { question: "sure?" } }] });
  await reload();
  const waiting = await page.evaluate(async () => {
    const { next, tasks, values } = await graph.getState({ configurable: { thread_id: "1" } });
    return {
      next: [...next],
      questions: tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value)),
      values,
    };
  });
  expect(waiting).toMatchObject({
    next: ["ask"],
    questions: [{ question: "sure?" }],
    values: { log: ["in", "a", "slow"] },
  });
  const ended = await answer(page, "yes");
  expect(ended["log"]).toEqual(["in", "a", "slow", "answer yes", "end"]);
  expect(await counts(page)).toEqual({ a: "1", slow: "1", asked: "2", end: "1" });
  await reload();
  const history = await page.evaluate(async () => {
    const steps = [];
    for await (const { metadata } of graph.getStateHistory({ configurable: { thread_id: "1" } }))
      steps.push(metadata?.step);
    return steps;
  });
  expect(history).toEqual([3, 2, 1, 0, -1]);
});

test("is closed while a node runs, and runs only that one again", async () => {
  await page.evaluate(() => {
    localStorage["hangs"] = "yes";
    void graph.invoke({ log: ["in"] }, { threadId: "1" });
  });
  // Results of `a` are saved as soon as it is done.
  const saved = () =>
    page.evaluate(async () => {
      const saver = graph.checkpointer as import("threadfold/graph").CheckpointSaver;
      const tuple = await saver.getTuple({ configurable: { thread_id: "1" } });
      return tuple?.metadata?.step === 0 && tuple.pendingWrites?.map(([, channel]) => channel).toSorted();
    });
  await expect.poll(saved).toEqual(["join:a+slow:ask", "log", "messages"]);
  await page.evaluate(() => localStorage.removeItem("hangs"));
  await page.close();
  page = await openPage(context);
  expect(await goOn(page)).toHaveProperty("__interrupt__");
  expect(await counts(page)).toEqual({ a: "1", slow: "1", asked: "1" });
});

test("is answered in another tab", async () => {
  await start(page);
  const other = await openPage(context);
  const ended = await answer(other, "there");
  expect(ended["log"]).toEqual(["in", "a", "slow", "answer there", "end"]);
  const values = await page.evaluate(async () => (await graph.getState({ configurable: { thread_id: "1" } })).values);
  expect(values).toEqual(ended);
});
