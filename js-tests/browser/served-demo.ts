// The demo page, served, and a Chromium to look at it in: for the tests of the file that imports this.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { openChromium } from "../chromium";

export const demo = { address: inject("demo") };
export let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
}, 60_000);

afterAll(async () => {
  await browser?.close();
});
