// The features of AG-UI's dojo, each a graph of `serveAgUi` and a page of CopilotKit: through CopilotKit's runtime, and
// with the agent in the page.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openChromium } from "../chromium.js";
import { inPage, send, shows } from "./chat-page.js";
import { started, type Served } from "./serve.js";
import { run, withPrograms } from "./workspace.js";

let browser: Browser;
let agents: Served | undefined;
let pages: Served | undefined;

beforeAll(async () => {
  const folder = join(inject("consumers"), "copilotkit");
  cpSync(fileURLToPath(new URL("fixtures/dojo/", import.meta.url)), join(folder, "dojo"), { recursive: true });
  [browser, agents] = await Promise.all([
    openChromium(),
    started("node", () => ["dojo/server.mjs"], folder, withPrograms(folder)),
  ]);
  const env = { VITE_SERVER_URL: agents.url };
  const config = ["--config", "vite.config.js"];
  await run(folder, "vite", ["build", "dojo", ...config], env);
  const preview = (port: string) => ["preview", "dojo", ...config, "--port", port, "--strictPort"];
  pages = await started("vite", preview, folder, withPrograms(folder, env));
}, 120_000);

afterAll(() => Promise.all([browser?.close(), agents?.stop(), pages?.stop()]));

/** Reads the value that the feature's page shows. */
const shown = async (page: Page): Promise<unknown> => {
  const text = await page.locator("[data-shown]").last().innerText();
  return text === "" ? undefined : JSON.parse(text);
};
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Notes the values that the page shows from here on. */
async function watching(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen = new Set<string>();
    const look = () => seen.add(document.querySelector("[data-shown]")?.textContent ?? "");
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { seen });
  });
  return () => page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
}

const FEATURES: Record<string, (page: Page) => Promise<void>> = {
  async agentic_chat(page) {
    await send(page, "Teal, please");
    await shows(page, "The page says: it is teal now");
    expect(await shown(page)).toBe("teal");
  },
  async agentic_chat_multimodal(page) {
    await press(page, "Send an image");
    await shows(page, "You sent: text, image_url.");
  },
  async agentic_chat_reasoning(page) {
    await send(page, "Hi");
    await shows(page, "Good morning.");
    await page
      .getByText(/Thought/)
      .first()
      .click();
    await shows(page, "The user greets me.");
  },
  async agentic_generative_ui(page) {
    const seen = await watching(page);
    await send(page, "Launch");
    await shows(page, "All steps are done.");
    const counts = (await seen()).map((text) => text.split("completed").length - 1);
    expect([...new Set(counts)]).toEqual([0, 1, 2, 3]);
  },
  async backend_tool_rendering(page) {
    await send(page, "The weather?");
    await shows(page, 'Found: {"temperature":21,"conditions":"sunny"}');
    expect(await shown(page)).toEqual(["Rome", "complete", '{"temperature":21,"conditions":"sunny"}']);
  },
  async deepagents_subagents(page) {
    const names = ["research", "critique"];
    for (const turn of ["Go", "Go on"]) {
      await send(page, turn);
      await page
        .getByText("Both have reported.")
        .nth(turn === "Go" ? 0 : 1)
        .waitFor();
    }
    const [events, messages] = (await shown(page)) as [string[], string[]];
    const ofRun = [
      ...names.map((name) => `SUBAGENT_FINISHED The ${name} says yes.`),
      ...names.map((name) => `SUBAGENT_STARTED ${name}`),
    ];
    expect(events.toSorted()).toEqual([...ofRun, ...ofRun].toSorted());
    expect(new Set(messages)).toEqual(new Set(names.map((name) => `The ${name} says yes.`)));
  },
  async human_in_the_loop(page) {
    await send(page, "Pasta");
    await press(page, "Only Add pasta");
    await shows(page, "You chose Add pasta.");
    expect(await shown(page)).toBe("complete");
  },
  async interrupt(page) {
    await send(page, "Book a call");
    await press(page, "Tuesday");
    await shows(page, "Booked for Tuesday.");
  },
  async predictive_state_updates(page) {
    const seen = await watching(page);
    await send(page, "A story");
    await shows(page, "It is written.");
    const document = "Once upon a time there was a pirate who could not swim, and so never left the harbour.";
    expect(await shown(page)).toEqual({ document });
    const texts = (await seen()).filter((text) => text.startsWith('{"document":"O')).map((text) => JSON.parse(text));
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(document.startsWith((text as { document: string }).document)).toBe(true);
  },
  async shared_state(page) {
    await press(page, "Add leek");
    await send(page, "Improve it");
    await shows(page, "I added salt to Soup.");
    expect(await shown(page)).toEqual({ recipe: { title: "Soup", ingredients: ["leek", "salt"] } });
  },
  async subgraphs(page) {
    await send(page, "A trip");
    await press(page, "United");
    await press(page, "Ritz");
    await shows(page, "hotels: Ritz it is.");
    expect(await shown(page)).toEqual({ flight: "United", hotel: "Ritz" });
  },
  async tool_based_generative_ui(page) {
    await send(page, "A haiku");
    await shows(page, "There it is.");
    const lines = ["An old silent pond", "A frog jumps into the pond", "Splash! Silence again"];
    expect(await shown(page)).toEqual(["complete", lines]);
  },
};

const CASES = ["runtime", "page"].flatMap((via) => Object.keys(FEATURES).map((feature) => [feature, via] as const));

test.each(CASES)("%s, by the %s", async (feature, via) => {
  await inPage(browser, `${pages?.url}/?feature=${feature}&via=${via}`, FEATURES[feature] as never);
});
