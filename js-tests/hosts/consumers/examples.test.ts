// Every example as a user has it: installed from the packed tarball, built by its own script, used in Chromium.
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openChromium } from "../chromium.js";
import {
  ANSWER,
  approves,
  branches,
  chats,
  inPage,
  QUESTION,
  reloads,
  retries,
  shows,
  stops,
  stopsAndForgets,
} from "./chat-page.js";
import { started, type Served } from "./serve.js";
import { run, withPrograms } from "./workspace.js";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));
const folderOf = (example: string) => {
  const alone = join(inject("consumers"), example);
  return existsSync(alone) ? alone : join(inject("consumers"), "workspace", example);
};

let browser: Browser;
let agent: Served;

const serve = (example: string, args: string[], env: object = {}) =>
  started(args[0] ?? "", () => args.slice(1), folderOf(example), withPrograms(folderOf(example), env));

beforeAll(async () => {
  [browser, agent] = await Promise.all([openChromium(), serve("agent-server", ["node", "server.mjs"])]);
});

afterAll(() => Promise.all([browser?.close(), agent?.stop()]));

/** Builds an example with Vite, serves the result, and opens it. */
async function built(
  example: string,
  env: object,
  ...works: [query: string, (page: Page) => Promise<void>, RegExp?][]
) {
  const folder = folderOf(example);
  await run(folder, "npm", ["run", "build"], env);
  const preview = (port: string) => ["preview", "--port", port, "--strictPort"];
  const server = await started("vite", preview, folder, withPrograms(folder, env));
  try {
    for (const [query, work, expected] of works)
      await inPage(browser, `${server.url}/${query}`, work, expected && [expected]);
  } finally {
    await server.stop();
  }
}

const withAgent = () => ({ VITE_AGENT_URL: agent.url });

describe.concurrent("in Chromium", () => {
  // The slowest comes first.
  test.for(["--turbopack", "--webpack"])(
    "Next, %s: a server and a client component, an edge route",
    async (bundler) => {
      const folder = `${folderOf("next")}${bundler}`;
      cpSync(folderOf("next"), folder, { recursive: true });
      await run(folder, "next", ["build", bundler]);
      const env = withPrograms(folder, { AGENT_URL: agent.url });
      const server = await started("next", (port) => ["start", "--port", port], folder, env);
      try {
        expect(await (await fetch(server.url)).text()).toContain("Ask me about the weather.");
        await inPage(browser, server.url, chats);
      } finally {
        await server.stop();
      }
    },
  );

  test("CopilotKit: an agent of the runtime, one of the page, one in the page", async () => {
    const runtime = await serve("copilotkit", ["node", "runtime.mjs"], { AGENT_URL: agent.url });
    try {
      const env = { ...withAgent(), VITE_RUNTIME_URL: `${runtime.url}/api/copilotkit` };
      await built("copilotkit", env, ["", chats], ["?agent=page", chats], ["?agent=graph", chats]);
    } finally {
      await runtime.stop();
    }
  });

  test("Vue: interrupts, retry", async () => {
    await built("vue", withAgent(), ["", chats], ["", approves], ["", retries, /503/]);
  });

  test("Svelte: interrupts, stop, retry", async () => {
    await built("svelte", withAgent(), ["", chats], ["", approves], ["", stops], ["", retries, /503/]);
  });

  test.for(["solid", "web-worker"])("%s", async (example) => {
    await built(example, withAgent(), ["", chats]);
  });

  test("the chat of docs/start.md: tool calls, interrupts, stop, retry", async () => {
    const env = { AGENT_URL: agent.url };
    await built("chat", env, ["", chats], ["", approves], ["", stops], ["", retries, /503/]);
  });

  test("React and AG-UI: tool calls, interrupts, stop, retry", async () => {
    await built("react-ag-ui", withAgent(), ["", chats], ["", approves], ["", stops], ["", retries, /503/]);
  });

  test("useStream on a graph that serveLangGraph serves", async () => {
    await built(
      "use-stream",
      { VITE_LANGGRAPH_URL: `${agent.url}/langgraph` },
      ["", chats],
      ["", approves],
      ["", stopsAndForgets],
    );
  });

  test("React and LangGraph, on the same: tool calls, interrupts, retry, a reload in the middle of a run", async () => {
    const env = { VITE_LANGGRAPH_URL: `${agent.url}/langgraph` };
    await built("react-langgraph", env, ["", chats], ["", approves], ["", reloads], ["", retries, /503/]);
  });

  test("assistant-ui: useExternalStoreRuntime, useAgUiRuntime", async () => {
    await built(
      "assistant-ui",
      withAgent(),
      ["", chatsWithTool],
      ["", approves],
      ["", stops],
      ["", retries, /503/],
      ["", branches],
      ["?runtime=ag-ui", chatsWithTool],
      ["?runtime=graph", chatsWithTool],
    );
  });

  test("AI SDK", async () => {
    const server = await serve("ai-sdk", ["node", "server.mjs"]);
    try {
      await built("ai-sdk", { VITE_AGENT_URL: server.url }, ["", chats]);
    } finally {
      await server.stop();
    }
  });

  test("a plain page", async () => {
    const server = await serve("plain-page", ["node", "serve.mjs"]);
    try {
      await inPage(browser, `${server.url}/?agent=${encodeURIComponent(agent.url)}`, chats);
    } finally {
      await server.stop();
    }
  });
});

test("a Node script, and the conversation that it keeps", async () => {
  const ask = (question: string) =>
    run(folderOf("node-script"), "node", ["main.mjs", question], { AGENT_URL: agent.url });
  expect(await ask(QUESTION)).toContain(ANSWER);
  expect(await ask("Hello again")).toContain("You said: Hello again");
  const kept = readFileSync(join(folderOf("node-script"), "thread.json"), "utf8");
  for (const text of [QUESTION, ANSWER, "You said: Hello again"]) expect(kept).toContain(text);
});

test("a chat agent of fifteen lines: a tool, a memory", async () => {
  const folder = folderOf("chat-agent");
  await run(folder, "npm", ["run", "build"]);
  const said = await run(folder, "node", ["dist/main.js", QUESTION, "How much have I asked you?"]);
  expect(said).toBe("It is 21 °C and sunny in Rome.\nYou have asked me 2 things.\n");
  const lines = readFileSync(join(folder, "main.ts"), "utf8").split("\n");
  expect(lines.filter((line) => line && !/^[}]/.test(line)).length).toBeLessThanOrEqual(15);
});

test("a deep agent that plans, writes, delegates, asks, and continues in another process", async () => {
  const folder = folderOf("deep-agent");
  await run(folder, "npm", ["run", "build"]);
  const asked = await run(folder, "node", ["dist/main.js"]);
  const files = ["/sights.md: The best sights", "/food.md: The best food", "/plan.md: Saturday: sights."];
  const worked = ["sights", "food"].map((what) => `Find ${what} in Rome, and write them down. ready, 3 messages`);
  for (const text of [...worked, "[in_progress] Book", ...files, 'book_hotel({"hotel":"Albergo Roma"})?'])
    expect(asked).toContain(text);
  const answered = await run(folder, "node", ["dist/main.js", "yes"]);
  for (const text of [...files, "Your weekend is booked"]) expect(answered).toContain(text);
});

test("OpenTelemetry: a graph's runs and tasks are spans, within one another", async () => {
  expect((await run(folderOf("opentelemetry"), "node", ["main.mjs"])).trim().split("\n")).toEqual([
    "graph report",
    "  node research",
    "    graph research",
    "      node search",
    "  node write (exception, retry)",
  ]);
});

async function chatsWithTool(page: Page): Promise<void> {
  await chats(page);
  await shows(page, /^get_weather\(.*Rome.*\) → 21 °C, sunny$/);
}

test("an example imports what its package.json has, and nothing of another folder", () => {
  const known = readdirSync(examples).filter((name) => existsSync(join(examples, name, "package.json")));
  expect(known.length).toBeGreaterThan(10);
  for (const example of known) {
    const folder = join(examples, example);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      string,
      object | undefined
    >;
    const allowed = [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})];
    for (const file of sourcesOf(folder)) {
      const imports = readFileSync(file, "utf8").matchAll(/(?:from|import) "([^"]+)"|new URL\("([^"]+)", import/g);
      for (const [, name = "", path] of imports) {
        const from = relative(examples, file);
        if (name.startsWith(".") || path)
          expect(join(file, "..", path ?? name).startsWith(folder), `${from} imports ${name}`).toBe(true);
        else if (!name.startsWith("node:"))
          expect(allowed, `${from} imports ${name}`).toContain(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
      }
    }
  }
});

const sourcesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(m?js|tsx?|vue|svelte|html)$/.test(path) && !/(^|\/)(node_modules|dist|\.next)\//.test(path))
    .map((path) => join(folder, path));
