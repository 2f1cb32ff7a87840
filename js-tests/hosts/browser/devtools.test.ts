// The devtools in Chromium: by one script tag, on a page with a style of its own, at both widths, in both schemes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { Thread } from "threadfold";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "../chromium";

const pkg = join(import.meta.dirname, "..", "..", "..", "pkg");
const imports = {
  threadfold: "/index.js",
  "threadfold/devtools": "/devtools.js",
  "threadfold/devtools/auto": "/devtools-auto.js",
};
/** As a page's own style may be: nothing of it reaches the panel. */
const style = `*, ::before { all: unset !important; display: block !important; color: red !important; font: 60px serif !important }`;
const program = `
  import { Thread } from "threadfold";
  const messages = Array.from({ length: 5000 }, (_, at) => ({ type: "ai", id: "m" + at, content: "Message " + at }));
  const thread = new Thread({ threadId: "support", values: { messages } });
  thread.receive({ type: "run-started", runId: "r1" });
  for (let at = 0; at < 2000; at++) thread.receive({ type: "text", messageId: at < 1990 ? "m0" : "m4999", text: "." });
  Object.assign(globalThis, { thread, ready: true });`;
const html = `<!doctype html><meta name="viewport" content="width=device-width"><style>${style}</style>
  <script type="importmap">${JSON.stringify({ imports })}</script>
  <script type="module">import "threadfold/devtools/auto";</script>
  <script type="module">${program}</script>`;

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
}, 60_000);
afterAll(async () => {
  await browser?.close();
});

async function open(width: number, colorScheme: "light" | "dark"): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  await page.route("http://page.test/**", (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill(
      pathname.endsWith(".js")
        ? { contentType: "text/javascript", body: readFileSync(join(pkg, pathname), "utf8") }
        : { contentType: "text/html", body: html },
    );
  });
  await page.goto("http://page.test/");
  await page.waitForFunction("globalThis.ready === true");
  return page;
}

test.each([
  [1280, "light", "rgb(255, 255, 255)"],
  [390, "dark", "rgb(22, 25, 28)"],
] as const)("one script tag, at %i pixels, %s", async (width, colorScheme, paper) => {
  const page = await open(width, colorScheme);
  const panel = page.getByRole("region", { name: "threadfold devtools" });
  const button = page.getByRole("button", { name: "Open threadfold devtools" });
  await button.focus();
  await page.keyboard.press("Enter");
  const look = await panel.evaluate((element) => {
    const { backgroundColor, fontSize } = getComputedStyle(element);
    const { left, right, bottom } = element.getBoundingClientRect();
    const wide = [...element.querySelectorAll(".head, .foot, .body")].filter(
      (row) => row.scrollWidth > row.clientWidth,
    );
    return { backgroundColor, fontSize, place: [left, right, bottom], wide: wide.length };
  });
  expect(look).toEqual({ backgroundColor: paper, fontSize: "13px", place: [0, width, 800], wide: 0 });

  // By the keyboard alone, to the last part and one back.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  const rows = panel.getByRole("listbox").getByRole("option");
  const chosen = panel.locator("[role=option][aria-selected=true]");
  await expect.poll(() => chosen.innerText()).toMatch(/text\s+m4999 "\."/);
  await expect.poll(() => chosen.getAttribute("data-at")).toBe("2000");
  expect(await rows.count()).toBeLessThan(60);
  await panel.getByRole("tab", { name: "State" }).click();
  await panel.getByRole("button", { name: /^messages/ }).press("ArrowRight");
  await panel.getByRole("button", { name: /^4900/ }).press("ArrowRight");
  const last = panel.getByRole("button", { name: /^4999/ });
  expect(await last.innerText()).toContain("m4999");
  await last.press("ArrowRight");
  const content = panel.locator(".value.string").filter({ hasText: "Message 4999" });
  const text = () => content.innerText();
  expect(await text()).toBe(`"Message 4999${".".repeat(9)}"`);
  await panel.getByRole("button", { name: "Live" }).click();
  await expect.poll(text).toBe(`"Message 4999${".".repeat(10)}"`);

  // However much arrives, it draws once a frame.
  const drawn = await page.evaluate(async () => {
    const { thread } = globalThis as unknown as { thread: Thread };
    const tree = document.querySelector("#threadfold-devtools")?.shadowRoot?.querySelector("output") as Element;
    let changes = 0;
    const observer = new MutationObserver(() => changes++);
    observer.observe(tree, { childList: true, characterData: true, subtree: true });
    const frames = { count: 0 };
    const count = () => {
      frames.count++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    while (frames.count < 5) {
      for (let at = 0; at < 50; at++) thread.receive({ type: "text", messageId: "m4999", text: "." });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return { changes, frames: frames.count };
  });
  expect(drawn.changes).toBeGreaterThan(0);
  expect(drawn.changes).toBeLessThanOrEqual(drawn.frames + 1);

  await page.keyboard.press("Escape");
  expect(await panel.isVisible()).toBe(false);
  expect(await button.evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.close();
});
