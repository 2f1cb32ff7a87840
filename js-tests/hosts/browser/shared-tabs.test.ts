// Tabs of one browser, over HTTP/1.1: eight follow a thread by one connection, whichever of them is closed or stands still.
// Each saves a record of its own.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, toNodeListener } from "threadfold/serve";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openChromium } from "../chromium";

const pkg = join(import.meta.dirname, "..", "..", "..", "pkg");

const IMPORTS = { threadfold: "/index.js", "threadfold/ag-ui": "/ag-ui.js", "threadfold/tabs": "/tabs.js" };

const PAGE = `<!doctype html>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
  import { openAgUi } from "threadfold/ag-ui";
  import { sharedTabs, tabStorage } from "threadfold/tabs";
  const tab = new URLSearchParams(location.search).get("tab");
  const agent = openAgUi({
    url: location.origin + "/agent",
    resumable: true,
    threadId: "t",
    storage: tabStorage(),
    tabs: sharedTabs({ name: "ada" }),
    headers: { "x-tab": tab },
  });
  agent.follow();
  globalThis.send = (text) => void agent.sendMessage(text);
  globalThis.shown = () => agent.thread.getState().messages.map(({ content }) => content).join("|");
  globalThis.pending = () => agent.thread.pending.map(({ status }) => status).join();
  globalThis.retry = () => void agent.retry();
  globalThis.agentStatus = () => agent.status;
  globalThis.isReady = true;
</script>`;

declare function send(text: string): void;
declare function shown(): string;
declare function agentStatus(): string;
declare function pending(): string;
declare function retry(): void;

let browser: Browser;
let context: BrowserContext;
let server: Server;
let origin: string;
let pages: Map<string, Page>;
/** The streams that are open, as the tab that reads and the path. */
const open = new Map<object, { readonly tab: string; readonly path: string }>();
/** Each lets the graph say one word. */
let words: (() => void)[];
/** The messages that were posted. */
let posted: string[];
let refuses: boolean;
/** Requests to the agent wait for this. */
let gate: Promise<void>;

beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  words = [];
  posted = [];
  refuses = false;
  gate = Promise.resolve();
  pages = new Map();
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }, { message }) => {
      const id = `a${messages.length}`;
      const said = ["You ", "wrote ", `${String((messages.at(-1) as { content?: unknown }).content)}.`];
      for (const content of said) {
        message({ type: "AIMessageChunk", id, content } as never);
        await new Promise<void>((resolve) => words.push(resolve));
      }
      return { messages: [{ type: "ai" as const, id, content: said.join("") }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const agent = toNodeListener(serveAgUi(graph, { resumable: true }));
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname.startsWith("/agent")) {
      const isStream = request.method === "GET" && request.headers.accept === "text/event-stream";
      const path = pathname.replace(/^\/agent\/threads\/t\//, "").replace(/^runs\/.*/, "run");
      if (isStream) open.set(response, { tab: String(request.headers["x-tab"]), path });
      response.once("close", () => open.delete(response));
      if (request.method === "POST") posted.push(pathname);
      if (request.method === "POST" && refuses) response.writeHead(500).end();
      else void gate.then(() => agent(request, response));
    } else if (pathname.endsWith(".js")) {
      response.setHeader("content-type", "text/javascript");
      response.end(readFileSync(join(pkg, pathname.slice(1))));
    } else {
      response.setHeader("content-type", "text/html");
      response.end(PAGE);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function openTab(tab: string): Promise<Page> {
  const page = await context.newPage();
  pages.set(tab, page);
  await page.goto(`${origin}/?tab=${tab}`);
  await page.waitForFunction("globalThis.isReady === true");
  return page;
}

const say = async () => {
  await vi.waitFor(() => expect(words).not.toEqual([]), WAIT);
  words.shift()?.();
};
const WAIT = { timeout: 60_000, interval: 20 };
const readers = (path: string) => [...open.values()].flatMap((one) => (one.path === path ? [one.tab] : []));
const all = (text: string) =>
  Promise.all([...pages.values()].map((page) => page.waitForFunction((text) => shown() === text, text)));
const pendingIn = (statuses: readonly string[]) =>
  Promise.all(
    [...pages.values()].map((page, at) => page.waitForFunction((status) => pending() === status, statuses[at])),
  );
/** Waits until one of these tabs has an update of this status, and no other tab has any. */
const oneHas = (status: string, tabs: readonly string[]) =>
  vi.waitFor(async () => {
    const found = await Promise.all(tabs.map((tab) => one(tab).evaluate(() => pending())));
    expect(found.toSorted()).toEqual([...tabs.slice(1).map(() => ""), status]);
  }, WAIT);
const one = (tab: string) => pages.get(tab) as Page;

/** Eight tabs that follow a thread with one answer. */
async function eight(): Promise<void> {
  for (const tab of "12345678") await openTab(tab);
  await one("1").evaluate(() => send("Hi"));
  await all("Hi|You ");
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.");
  await vi.waitFor(() => expect([readers("events").length, readers("run")]).toEqual([1, []]), WAIT);
}

test("eight tabs show a run that one of them begins, and a ninth that opens, by one connection for each stream", async () => {
  await eight();
  await one("5").evaluate(() => send("Ada"));
  await all("Hi|You wrote Hi.|Ada|You ");
  await say();
  await openTab("9");
  await all("Hi|You wrote Hi.|Ada|You wrote ");
  expect([readers("events").length, readers("run").length]).toEqual([1, 1]);
  await one("2").reload();
  await all("Hi|You wrote Hi.|Ada|You wrote ");
  await say();
  await say();
  await all("Hi|You wrote Hi.|Ada|You wrote Ada.");
});

test("the tab that reads is closed in mid-run: the others go on", async () => {
  await eight();
  await one("1").evaluate(() => send("Ada"));
  await all("Hi|You wrote Hi.|Ada|You ");
  for (const path of ["run", "events"]) {
    const [reader = ""] = readers(path);
    if (reader === "1") continue;
    await pages.get(reader)?.close();
    pages.delete(reader);
    await vi.waitFor(() => expect(readers(path)).toEqual([expect.not.stringMatching(`^${reader}$`)]), WAIT);
  }
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.|Ada|You wrote Ada.");
  await one("1").evaluate(() => send("Bob"));
  await all("Hi|You wrote Hi.|Ada|You wrote Ada.|Bob|You ");
});

test("the page of the tab that reads stands still: another takes its place, and it shows the same once it goes on", async () => {
  await eight();
  const [asleep = ""] = readers("events");
  const page = one(asleep);
  const session = await context.newCDPSession(page);
  await session.send("Debugger.enable");
  const stands = new Promise((resolve) => session.once("Debugger.paused", resolve));
  void page.evaluate("debugger");
  await stands;
  pages.delete(asleep);
  await vi.waitFor(() => expect(readers("events").some((tab) => tab !== asleep)).toBe(true), WAIT);
  const sender = asleep === "1" ? "2" : "1";
  await one(sender).evaluate(() => send("Ada"));
  await all("Hi|You wrote Hi.|Ada|You ");
  await session.send("Debugger.resume");
  pages.set(asleep, page);
  await all("Hi|You wrote Hi.|Ada|You ");
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.|Ada|You wrote Ada.");
  await Promise.all([...pages.values()].map((page) => page.waitForFunction(() => agentStatus() === "ready")));
  await vi.waitFor(() => expect([readers("events").length, readers("run")]).toEqual([1, []]), WAIT);
});

test("a message that failed is its tab's, also after a reload; once that is closed, it is one other tab's", async () => {
  const tab = await openTab("1");
  await tab.evaluate(() => send("Hi"));
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.");
  refuses = true;
  await tab.evaluate(() => send("Ada"));
  await tab.waitForFunction(() => pending() === "failed");
  const isSaved = () => Object.values(localStorage).some((text) => String(text).includes('"failed"'));
  await tab.waitForFunction(isSaved);
  await openTab("2");
  await pendingIn(["failed", ""]);
  await tab.reload();
  await pendingIn(["failed", ""]);
  await tab.close();
  pages.delete("1");
  await Promise.all([openTab("3"), openTab("4")]);
  await oneHas("failed", ["2", "3", "4"]);
  refuses = false;
  posted = [];
  await Promise.all([...pages.values()].map((page) => page.evaluate(() => retry())));
  await all("Hi|You wrote Hi.|Ada|You ");
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.|Ada|You wrote Ada.");
  expect(posted).toEqual(["/agent"]);
});

test("a message that waits for the network in a closed tab is sent once, by one of those that open", async () => {
  const tab = await openTab("1");
  await context.setOffline(true);
  await tab.evaluate(() => send("Hi"));
  await tab.waitForFunction(() => Object.values(localStorage).some((text) => String(text).includes("Hi")));
  await tab.close();
  pages.delete("1");
  await context.setOffline(false);
  let pass = () => {};
  gate = new Promise((resolve) => (pass = resolve));
  await Promise.all([openTab("2"), openTab("3"), openTab("4")]);
  await oneHas("pending", ["2", "3", "4"]);
  pass();
  await all("Hi|You ");
  for (let words = 0; words < 3; words++) await say();
  await all("Hi|You wrote Hi.");
  expect(posted).toEqual(["/agent"]);
});
