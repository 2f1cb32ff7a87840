// The demo page, served, and a Chromium to look at it in: for the tests of the file that imports this.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openChromium } from "../chromium";
import { serveDemo } from "./demo-page.mjs";

export let demo: Awaited<ReturnType<typeof serveDemo>>;
export let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([serveDemo(), openChromium()]);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});
