// Tabs of one browser, over HTTP/1.1: eight follow a thread by one connection, whichever of them is closed or stands still.
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
  import { sharedTabs } from "threadfold/tabs";
  const tab = new URLSearchParams(location.search).get("tab");
  const agent = openAgUi({
    url: location.origin + "/agent",
    resumable: true,
    threadId: "t",
    storage: false,
    tabs: sharedTabs({ name: "ada" }),
    headers: { "x-tab": tab },
  });
  agent.follow();
  globalThis.send = (text) => void agent.sendMessage(text);
  globalThis.shown = () => agent.thread.getState().messages.map(({ content }) => content).join("|");
  globalThis.agentStatus = () => agent.status;
  globalThis.isReady = true;
</script>`;

declare function send(text: string): void;
declare function shown(): string;
declare function agentStatus(): string;

let browser: Browser;
let context: BrowserContext;
let server: Server;
let origin: string;
let pages: Map<string, Page>;
/** The streams that are open, as the tab that reads and the path. */
const open = new Map<object, { readonly tab: string; readonly path: string }>();
/** Each lets the graph say one word. */
let words: (() => void)[];

beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  words = [];
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
      void agent(request, response);
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
