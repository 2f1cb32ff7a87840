// The chat of docs/start.md as its reader has it: examples/chat, installed from the packed tarball and built by its own script.
// Chromium runs it on the examples' server and on the real ones. `python/graphs.py` has an agent that gives the same
// answers as the examples' agent.
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openChromium } from "../chromium.js";
import * as chat from "../consumers/chat-page.js";
import { started, type Served } from "../consumers/serve.js";
import { emptyFolder, install, pack, run, withPrograms } from "../consumers/workspace.js";
import { langGraphChat } from "../../unit/docs/chats.js";
import { agUi, langGraph } from "./wire.mjs";

const GRAPH = "assistant";
const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

let folder: string;
let browser: Browser;
const running: Served[] = [];

/** Serves a build of the chat. */
async function preview(outDir: string, env: object = {}): Promise<string> {
  const home = join(folder, "chat");
  const args = (port: string) => ["preview", "--outDir", outDir, "--port", port, "--strictPort"];
  const server = await started("vite", args, home, withPrograms(home, env));
  running.push(server);
  return server.url;
}

/** The chat with the page's diff, and the address of this server. */
async function builtForLangGraph(): Promise<string> {
  const code = langGraphChat();
  const named = code.replace('"http://localhost:2024"', JSON.stringify(inject("langGraph")));
  const source = named.replace('assistantId: "agent"', `assistantId: "${GRAPH}"`);
  expect(source.match(new RegExp(`${inject("langGraph")}|"${GRAPH}"`, "g"))).toHaveLength(2);
  writeFileSync(join(folder, "chat", "src", "chat.tsx"), source);
  await run(join(folder, "chat"), "tsc", []);
  await run(join(folder, "chat"), "vite", ["build", "--outDir", "dist-langgraph"]);
  return "dist-langgraph";
}

const pages = new Map<string, string>();

beforeAll(async () => {
  folder = emptyFolder();
  const installed = pack(folder).then((tarball) => install(folder, join(examples, "chat"), tarball));
  const agent = started("node", () => ["server.mjs"], join(examples, "agent-server"), process.env);
  [browser] = await Promise.all([openChromium(), installed, agent.then((server) => running.push(server))]);
  await run(join(folder, "chat"), "npm", ["run", "build"]);
  pages.set("the examples' server", await preview("dist", { AGENT_URL: (await agent).url }));
  pages.set("AG-UI's server", await preview("dist", { AGENT_URL: `${inject("agUi")}/${GRAPH}` }));
  pages.set("LangGraph's server", await preview(await builtForLangGraph()));
}, 300_000);

afterAll(async () => {
  await Promise.all([browser?.close(), ...running.map(({ stop }) => stop())]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

interface Message {
  role?: string;
  type?: string;
  content?: string;
  toolCalls?: { function: { name: string } }[];
  tool_calls?: { name: string }[];
}

/** One message as the chat shows it. */
function line({ role, type, content = "", toolCalls, tool_calls }: Message): string {
  const names = [
    ...(toolCalls ?? []).map(({ function: { name } }) => name),
    ...(tool_calls ?? []).map(({ name }) => name),
  ];
  return [role ?? type, content.trim(), ...names.map((name) => `${name}()`)].filter(Boolean).join(" ");
}

const shown = async (page: Page) =>
  (await page.locator("li").allTextContents()).map((text) => text.replace(/\s+/g, " ").trim());

/** The thread's id as the page has saved it, which it does within a second. */
async function threadIdIn(page: Page): Promise<string> {
  const saved = await page.waitForFunction(() =>
    /"threadId":"([^"]+)"/.exec(Object.values({ ...sessionStorage }).join(""))?.at(1),
  );
  return (await saved.jsonValue()) ?? "";
}

/** The differences between the servers. */
interface Server {
  name: string;
  /** The requests that start a run. */
  runs: string;
  /** The messages that the server holds; undefined for a server that keeps none. */
  messages?: (threadId: string) => Promise<Message[]>;
  /** Whether a run continues after a reload, and can be rejoined. */
  canJoin: boolean;
}

const SERVERS: Server[] = [
  { name: "the examples' server", runs: "**/agent", canJoin: false },
  {
    name: "AG-UI's server",
    runs: "**/agent",
    canJoin: false,
    messages: async (threadId) => (await agUi.state(inject("agUi"), GRAPH, threadId)).messages,
  },
  {
    name: "LangGraph's server",
    runs: "**/runs/stream",
    canJoin: true,
    messages: async (threadId) => {
      const state = await langGraph.state(inject("langGraph"), threadId);
      return "refused" in state ? [] : state.values.messages;
    },
  },
];

describe.each(SERVERS)("$name", ({ name, runs, messages, canJoin }) => {
  /** Uses the chat in a page of its own. At the end of the run nothing is left to do, and it shows what the server holds. */
  const use = (work: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    chat.inPage(
      browser,
      pages.get(name) ?? "",
      async (page) => {
        await work(page);
        await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
        expect(await page.getByRole("button").allTextContents()).toEqual(["Send"]);
        if (!messages) return;
        expect(await shown(page)).toEqual((await messages(await threadIdIn(page))).map(line));
      },
      expected,
    );

  test.concurrent("sends, streams, calls a tool", () =>
    use(async (page) => {
      await chat.chats(page);
      await chat.shows(page, "get_weather()");
      await chat.shows(page, "21 °C, sunny");
      expect(await page.locator("li").count()).toBe(4);
    }),
  );

  test.concurrent("asks, and continues with either answer", () => use(chat.approves));

  test.concurrent("asks, and still does after a reload", () =>
    use(async (page) => {
      await chat.send(page, "Book a table");
      await chat.shows(page, "Book the table for two?");
      await page.reload();
      await page.getByRole("button", { name: "Yes" }).click();
      await chat.shows(page, "Your table is booked.");
    }),
  );

  test.concurrent("stops, and the conversation continues", () =>
    use(async (page) => {
      await chat.stops(page);
      await chat.send(page, "Hello");
      await chat.shows(page, "You said: Hello");
    }),
  );

  test.concurrent("reports a refused message, and sends it again", () =>
    use(
      async (page) => {
        const refusal = { status: 503, body: "The agent is busy.", headers: { "access-control-allow-origin": "*" } };
        if (messages) await page.route(runs, (route) => route.fulfill(refusal), { times: 1 });
        await chat.send(page, messages ? "Hello" : "Please fail");
        await chat.shows(page, /Try again: .*503/);
        expect(await page.getByRole("button", { name: "Failed: retry" }).count()).toBe(0);
        await page.getByRole("button", { name: "Try again" }).click();
        await chat.shows(page, messages ? "You said: Hello" : "You said: Please fail");
      },
      [/503/],
    ),
  );

  // No run of the examples' server breaks down.
  if (messages)
    test.concurrent("reports that a run broke down, and continues it", () =>
      use(async (page) => {
        await chat.send(page, "Please fail");
        await page.getByRole("button", { name: "Try again" }).click();
        await chat.shows(page, "You said: Please fail");
        expect(await page.locator("li").count()).toBe(2);
      }),
    );

  test.concurrent(canJoin ? "goes on with a run after a reload" : "sends a run again that a reload cut off", () =>
    use(async (page) => {
      if (canJoin) return chat.reloads(page);
      await chat.asksLong(page);
      await page.reload();
      await page.getByRole("button", { name: "Try again" }).click();
      await chat.shows(page, `You said: ${chat.LONG}`);
      expect(await page.locator("li").count()).toBe(2);
    }),
  );
});
