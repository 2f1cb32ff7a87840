// A user who tries everything on the demo page, at random, while every possible fault occurs:
//
//   node js-tests/hosts/demo/random-use.mjs [--minutes 10] [--seed 123]
//
// Looks for console errors, drift, events that could not be folded, and memory that grows. In the end the thread must
// equal the server's.
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, findBrowser } from "../../../scripts/browser.mjs";
import { isMain, main } from "../../../scripts/process.mjs";
import { serveDemo } from "./demo-page.mjs";

/** Chromium's own message for a connection that is cut. The tests here cut them. */
const ASKED_FOR = /^Failed to load resource: net::ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/;

const WORDS = [
  "Plan my week",
  "Hi",
  "What is the weather in Lima?",
  "A short one",
  "A trip to Rome",
  "Mail Ada that I am late",
  "Forecast for Lagos and Osaka",
  "你好 👋🏽",
  "A long answer, please",
];

/** How much of a difference between two moments is chance. */
export const MAY_GROW = 1 << 20;

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Uses the page at `address` for so many seconds.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {{ address: string, seconds: number, seed: number, tell?: (line: string) => void }} options
 * @returns {Promise<{ actions: number, runs: number, threads: number, problems: string[], memory: number[] }>} `memory` has
 *   the bytes in use after each new thread.
 */
export async function randomUse(browser, { address, seconds, seed, tell = () => {} }) {
  const random = dice(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 1200, height: 900 } });
  const seen = { actions: 0, runs: 0, threads: 1, problems: [], memory: [] };
  const problem = (text) => {
    tell(`problem: ${text}`);
    seen.problems.push(text);
  };
  let server = { address: "", thread: "" };
  /** The faults requested for the runs of this thread. */
  let faults = [];

  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type()) || ASKED_FOR.test(message.text())) return;
    problem(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problem(`page: ${error.message}`));
  page.on("request", (request) => {
    if (request.method() !== "POST" || new URL(request.url()).pathname !== "/agent") return;
    seen.runs++;
    server = { address: request.url().replace(/\?.*/, ""), thread: request.postDataJSON().threadId };
    faults.push(new URL(request.url()).search);
  });
  // Where a run is cut or fails is the page's own throw of the dice.
  await page.addInitScript(`Math.random = (${dice})(${seed});`);
  await page.goto(`${address}?tick=4`);
  await page.locator("#faults summary").click();
  const session = await page.context().newCDPSession(page);

  const send = async (text) => {
    await page.locator("#composer-text").fill(text);
    await page.keyboard.press("Enter");
  };
  const pause = () => page.waitForTimeout(random() * 400);

  async function settle() {
    await page.waitForFunction(
      () => {
        const status = document.querySelector("#run-status")?.dataset.status;
        if (status === "interrupted") document.querySelector(".question button")?.click();
        const waiting = document.querySelector("#chat-thread :is([data-status=pending], [data-status=sent])");
        return ["ready", "error"].includes(status) && !waiting;
      },
      undefined,
      { timeout: 60_000 },
    );
  }

  async function checkLight() {
    const light = await page
      .locator("#drift")
      .evaluate(({ dataset }) => `drift ${dataset.drift}, errors ${dataset.errors}`);
    if (light === "drift 0, errors 0") return;
    problem(`${light} after ${faults.join(" ")}: ${(await page.locator(".drifts li").allTextContents()).join("; ")}`);
  }

  /** One last run without faults; then the page must show the server's state. */
  async function compare() {
    await settle();
    while (await page.getByRole("button", { name: "Take back" }).count()) {
      const before = await page.getByRole("button", { name: "Take back" }).count();
      await page.getByRole("button", { name: "Take back" }).first().click();
      await page.waitForFunction(
        (count) => document.querySelectorAll("#chat-thread .note button").length < 2 * count,
        before,
      );
    }
    await page.getByLabel("Run fails midway").uncheck();
    await page.locator("#fault-line").selectOption("whole");
    await page.locator("#fault-latency").selectOption("0");
    await send("A short one to end with");
    await page.waitForTimeout(50);
    await settle();
    const { messages } = await (await fetch(`${server.address}/threads/${server.thread}`)).json();
    const held = messages.map(({ role, content }) => `${role}: ${content ?? ""}`);
    // Those of sub-agents stand within the message that asked for them.
    const shown = await page.locator("#chat-thread > .messages > .message").evaluateAll((all) =>
      all.map((item) => {
        const [, role] = item.className.split(" ");
        return `${role}: ${item.querySelector(role === "tool" ? ".result .text" : ":scope > .text")?.textContent ?? ""}`;
      }),
    );
    if (JSON.stringify(held) !== JSON.stringify(shown))
      problem(`the page shows ${JSON.stringify(shown)}, the server has ${JSON.stringify(held)}`);
  }

  async function newThread() {
    await compare();
    await checkLight();
    await page.getByRole("button", { name: "New thread" }).click();
    seen.threads++;
    faults = [];
    await page.waitForFunction(() => !document.querySelector("#chat-thread .message"));
    seen.memory.push(await memory(session));
    tell(
      `${seen.actions} actions, ${seen.runs} runs, ${seen.threads} threads, ${(seen.memory.at(-1) / 2 ** 20).toFixed(2)} MiB`,
    );
  }

  const actions = [
    [8, () => send(pick(WORDS))],
    [
      2,
      () =>
        page
          .locator("#chat-foot .chip")
          .nth(Math.floor(random() * 4))
          .click(),
    ],
    [3, () => page.locator("#fault-line").selectOption(pick(["whole", "resume", "replay"]))],
    [2, () => page.locator("#fault-latency").selectOption(pick(["0", "300"]))],
    [2, () => page.getByLabel("Run fails midway").setChecked(random() < 0.3)],
    [2, () => page.getByLabel("Snapshots come late").setChecked(random() < 0.6)],
    [3, () => clickIfThere("Send again")],
    [2, () => clickIfThere("Take back")],
    [2, () => clickIfThere("Approve")],
    [1, () => clickIfThere("Decline")],
    [4, () => settle()],
    [1, () => page.locator("#chat-state summary").first().click()],
    [1, () => page.getByLabel("Position in the run").fill(String(Math.floor(random() * 44)))],
    [
      1,
      () =>
        page
          .locator("#try .chip")
          .nth(Math.floor(random() * 13))
          .click(),
    ],
  ];
  const tickets = actions.flatMap(([count, work]) => Array.from({ length: count }, () => work));

  /** The run may end, and the button with it, before the click comes. */
  async function clickIfThere(name) {
    const button = page.getByRole("button", { name }).first();
    if (await button.count()) await button.click({ timeout: 1_000 }).catch(() => {});
  }

  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    for (let left = 6 + Math.floor(random() * 8); left > 0 && Date.now() < end; left--) {
      await pick(tickets)();
      seen.actions++;
      await pause();
    }
    await newThread();
  }
  await page.close();
  return seen;
}

/** Bytes in use after garbage collection: of JavaScript, and outside of it, such as WebAssembly's memory. */
async function memory(session) {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  return usedSize + backingStorageSize;
}

/** How many bytes the last third of the samples uses more than the first, by their medians; the very first warms up. */
export function growth(samples) {
  const settled = samples.slice(1);
  const third = Math.max(1, Math.floor(settled.length / 3));
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  return median(settled.slice(-third)) - median(settled.slice(0, third));
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } } });
    const seed = Number(values.seed ?? Date.now() % 1e9);
    const executablePath = findBrowser();
    const demo = await serveDemo();
    const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
    try {
      console.log(`▸ ${values.minutes} minutes of random use, --seed ${seed}`);
      const seen = await randomUse(browser, {
        address: demo.address,
        seconds: Number(values.minutes) * 60,
        seed,
        tell: console.log,
      });
      const grown = growth(seen.memory);
      console.log(
        `${seen.actions} actions, ${seen.runs} runs, ${seen.threads} threads; memory grew by ${(grown / 1024).toFixed(0)} KiB`,
      );
      if (grown > MAY_GROW) seen.problems.push("memory grew");
      console.log(seen.problems.length === 0 ? "✓ no problem" : `✗ ${seen.problems.length} problems`);
      if (seen.problems.length > 0) process.exitCode = 1;
    } finally {
      await browser.close();
      await demo.close();
    }
  });
}
