// When a thread notifies its listeners of a server's events, in Chromium.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "../chromium";

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await openChromium();
  page = await browser.newPage();
  const text = readFileSync(join(import.meta.dirname, "..", "..", "..", "pkg", "index.js"), "utf8");
  await page.route("http://page.test/**", (route) =>
    route.fulfill(
      route.request().url().endsWith(".js")
        ? { contentType: "text/javascript", body: text }
        : {
            contentType: "text/html",
            body: `<!doctype html><script type="module">import { Thread } from "/index.js"; globalThis.Thread = Thread;</script>`,
          },
    ),
  );
  await page.goto("http://page.test/");
}, 60_000);

afterAll(async () => {
  await browser?.close();
});

test("once a task", async () => {
  const told = await page.evaluate(async () => {
    const { Thread } = globalThis as unknown as typeof import("threadfold");
    const thread = new Thread({ values: { messages: [{ type: "ai", id: "1", content: "" }] } });
    const say = () => thread.receive({ type: "text", messageId: "1", text: "." });
    const told: (string | undefined)[] = [];
    let next = () => {};
    thread.subscribe(({ messages }) => {
      told.push(messages[0]?.content as string);
      next();
    });
    for (let task = 0; task < 3; task++) {
      await new Promise<void>((resolve) => {
        next = resolve;
        // In one task, also when promises settle in between.
        for (let part = 0; part < 2; part++) say();
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(say);
      });
    }
    return told;
  });
  expect(told).toEqual(["...", "......", "........."]);
});

test("once a frame; where frames do not come, by a timer", async () => {
  const { told, frames, hidden } = await page.evaluate(async () => {
    const { Thread } = globalThis as unknown as typeof import("threadfold");
    const thread = new Thread({ notify: "frame", values: { messages: [{ type: "ai", id: "1", content: "" }] } });
    const say = () => thread.receive({ type: "text", messageId: "1", text: "." });
    let told = 0;
    thread.subscribe(() => void told++);
    const frames = { count: 0 };
    const count = () => {
      frames.count++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    while (frames.count < 10) {
      say();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const seen = [told, frames.count] as const;
    // As a page in the background has it.
    globalThis.requestAnimationFrame = () => 0;
    await new Promise((resolve) => setTimeout(resolve, 300));
    told = 0;
    say();
    say();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { told: seen[0], frames: seen[1], hidden: told };
  });
  expect(told).toBeGreaterThan(3);
  expect(told).toBeLessThanOrEqual(frames + 1);
  expect(hidden).toBe(1);
});
