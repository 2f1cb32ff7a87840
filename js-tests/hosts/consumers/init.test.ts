// `npx threadfold init` of the packed tarball, for each answer: the app is built, and chats in Chromium with the agent of
// `npx threadfold agent`, or with the one in the page. The examples have installed the packages that it names.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openChromium } from "../chromium.js";
import { inPage, send, shows, stops } from "./chat-page.js";
import { started, type Served } from "./serve.js";
import { pack, run, withPrograms } from "./workspace.js";

const PROTOCOLS = ["ag-ui", "langgraph", "in-page"];
const FRAMEWORKS = ["react", "vue", "svelte", "solid", "plain"];
/** The address in the templates, where the agent is if nobody gives it another port. */
const ADDRESS = "http://localhost:8000";

const createFolder = fileURLToPath(new URL("../../../pkg-template/create/", import.meta.url));
const workspace = join(inject("consumers"), "workspace");
let browser: Browser;
let agent: Served;

beforeAll(async () => {
  const serveAgent = (port: string) => ["agent", "--port", port];
  [browser, agent] = await Promise.all([
    openChromium(),
    started("threadfold", serveAgent, workspace, withPrograms(workspace)),
  ]);
});

afterAll(() => Promise.all([browser?.close(), agent?.stop()]));

describe.concurrent("each answer", () => {
  test.for(FRAMEWORKS.flatMap((framework) => PROTOCOLS.map((protocol) => ({ framework, protocol }))))(
    "$framework, $protocol: under 100 lines, strict types, a chat in Chromium",
    async ({ framework, protocol }) => {
      const name = `init-${protocol}-${framework}`;
      const folder = join(workspace, name);
      const said = await run(workspace, "threadfold", [
        ...["init", name, "--protocol", protocol],
        ...["--framework", framework],
      ]);
      expect(said).toContain(`  cd ${name}\n  npm install\n`);
      expect(said.includes("npx threadfold agent")).toBe(protocol !== "in-page");
      expect(linesIn(folder)).toBeLessThan(100);
      expectInstalled(folder);

      await run(folder, "npm", ["run", "build"]);
      await served(folder, ["run", "preview"], async (page) => {
        await repeats(page);
        if (protocol !== "in-page") await asks(page);
        await keeps(page);
        if (protocol !== "in-page") await triesAgain(page);
        await stops(page);
      });
      // With the command that `init` prints.
      if (protocol === "ag-ui") await served(folder, ["run", "dev"], repeats);
    },
  );
});

/** Serves the app by its own script, and opens it beside the agent. */
async function served(folder: string, script: string[], work: (page: Page) => Promise<void>): Promise<void> {
  const args = (port: string) => [...script, "--", "--port", port, "--strictPort"];
  const server = await started("npm", args, folder, withPrograms(folder));
  const withAgent = async (page: Page) => {
    await page.route(`${ADDRESS}/**`, (route) =>
      route.continue({ url: route.request().url().replace(ADDRESS, agent.url) }),
    );
    await page.reload();
    await work(page);
  };
  try {
    await inPage(browser, server.url, withAgent, [/503/]);
  } finally {
    await server.stop();
  }
}

async function repeats(page: Page): Promise<void> {
  await send(page, "Hello there");
  await shows(page, /^(user|human): Hello there$/);
  await shows(page, /^(assistant|ai): You said: Hello there/);
}

async function asks(page: Page): Promise<void> {
  await send(page, "Book a table in Lyon");
  await shows(page, "Book a table for two in Lyon?");
  await page.getByRole("button", { name: "Yes" }).click();
  await shows(page, /: Done: a table in Lyon is booked/);
  await send(page, "Book a table in Bern");
  await page.getByRole("button", { name: "No" }).click();
  await shows(page, /: Done: nothing is booked/);
}

/** A reload shows the conversation. */
async function keeps(page: Page): Promise<void> {
  const paragraphs = page.locator("p");
  const before = await paragraphs.allInnerTexts();
  await page.reload();
  await paragraphs.nth(before.length - 1).waitFor({ state: "attached" });
  expect(await paragraphs.allInnerTexts()).toEqual(before);
}

const UNAVAILABLE = { status: 503, headers: { "access-control-allow-origin": "*" } };

async function triesAgain(page: Page): Promise<void> {
  let fails = true;
  // The message's own request: the page may still be loading the thread.
  await page.route(`${ADDRESS}/**`, (route) => {
    if (!fails || route.request().method() !== "POST") return route.fallback();
    fails = false;
    return route.fulfill(UNAVAILABLE);
  });
  await send(page, "Once more");
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, /: You said: Once more/);
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const linesIn = (folder: string) =>
  filesIn(folder)
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line.trim() !== "").length;

/** The packages are those of the examples: in their versions, or later ones. */
function expectInstalled(folder: string): void {
  const { dependencies, devDependencies } = manifestIn(folder);
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    const { version } = manifestIn(join(workspace, "node_modules", name));
    expect(range, name).toMatch(/^[~^]\d/);
    expect(range.slice(1), name).toBe(version);
  }
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

test("npm create threadfold does the same", async () => {
  const tarball = await pack(workspace, createFolder);
  const installed = join(workspace, "node_modules", "create-threadfold");
  mkdirSync(installed);
  await run(workspace, "tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  const { version } = manifestIn(join(workspace, "node_modules", "threadfold"));
  const dependencies = { threadfold: `^${version}` };
  expect(manifestIn(installed)).toMatchObject({ version, dependencies });

  const args = ["created", "--protocol", "ag-ui", "--framework", "plain"];
  await run(workspace, "node", [join(installed, "index.js"), ...args]);
  expect(manifestIn(join(workspace, "created"))).toMatchObject({ name: "created", dependencies });
});
