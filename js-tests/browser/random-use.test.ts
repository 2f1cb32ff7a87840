// Twenty seconds of random use under faults; `node js-tests/browser/random-use.mjs` does it for ten minutes.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "../chromium";
import { seeded } from "../support/seed";
import { serveDemo } from "./demo-page.mjs";
import { growth, MAY_GROW, randomUse } from "./random-use.mjs";

let demo: Awaited<ReturnType<typeof serveDemo>>;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([serveDemo(), openChromium()]);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

test("random use under faults: no error, no drift, the server's thread in the end, memory flat", async () => {
  const { seed } = seeded("random use", 1);
  const seen = await randomUse(browser, { address: demo.address, seconds: 20, seed });
  expect(seen.problems).toEqual([]);
  expect(seen.runs).toBeGreaterThan(3);
  expect(growth(seen.memory)).toBeLessThan(MAY_GROW);
}, 120_000);
