// The demo page, served, and a Chromium to look at it in: for the tests of the file that imports this.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import { openChromium } from "../chromium";

const address = inject("demo");
/** `unmeasured` is the page without its measuring of a token, which keeps a core busy for two seconds. */
export const demo = { address, unmeasured: (query = "") => `${address}?cost=off${query}` };
export let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
}, 60_000);

afterAll(async () => {
  await browser?.close();
});
