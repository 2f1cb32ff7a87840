// The cost of a token to a page's main thread, in Chromium with React's production build. It includes all that a user
// waits for: scripting, style, layout, paint. The thread's CPU time is measured, so other programs count less.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, findBrowser } from "../../../scripts/browser.mjs";
import { median } from "../harness.mjs";

const NAME = "token on a page in Chromium, main thread";
const SIZES = [100, 1_000, 5_000];

/** The chats: the file of each, and how many tokens a sample has. */
const CONTENDERS = {
  threadfold: ["threadfold", 20],
  "threadfold, in one list": ["threadfold-in-one-list", 10],
  "threadfold, naive list": ["threadfold-naive-list", 10],
  "threadfold, a token of each of 20 sub-agents": ["threadfold-in-subagents", 10],
  "React alone": ["react-alone", 20],
  handwritten: ["handwritten", 20],
  "langgraph-sdk useStream": ["use-stream", 4],
  "@ag-ui/client HttpAgent": ["http-agent", 10],
};
const SAMPLES = 5;

/** The cases with the median times in µs; undefined without a browser. The chats take turns. */
export async function pageCosts(rounds) {
  const executablePath = findBrowser();
  if (!executablePath) return undefined;
  const chats = await Promise.all(
    Object.entries(CONTENDERS).map(async ([name, [file, tokens]]) => ({ name, tokens, program: await bundled(file) })),
  );
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const cases = [];
    for (const n of SIZES) {
      const taken = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const chat of chats) taken[chat.name].push(...(await samples(browser, chat, n)));
      }
      const us = Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, median(times)]));
      cases.push({ name: NAME, n, us });
    }
    return cases;
  } finally {
    await browser.close();
  }
}

/** One chat on a page of its own: the cost of a token, in each sample. */
async function samples(browser, { program, tokens }, n) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const broken = new Promise((_, reject) => page.once("pageerror", reject));
  broken.catch(() => {});
  const ask = (call, ...args) => Promise.race([page.evaluate(call, args), broken]);
  try {
    await page.setContent(readFileSync(new URL("../chat/page.html", import.meta.url), "utf8"));
    await page.addScriptTag({ content: program });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => {
      const { metrics } = await devtools.send("Performance.getMetrics");
      return metrics.find((metric) => metric.name === "TaskDuration").value * 1e6;
    };
    await ask(([n]) => globalThis.openChat(n), n);
    // Engines learn.
    await ask(([tokens]) => globalThis.sayTokens(tokens), tokens);
    const times = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const before = await busy();
      await ask(([tokens]) => globalThis.sayTokens(tokens), tokens);
      times.push(((await busy()) - before) / tokens);
    }
    return times;
  } finally {
    await page.close();
  }
}

async function bundled(chat) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../chat/page.mjs", import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: { "the chat": fileURLToPath(new URL(`../chat/chats/${chat}.mjs`, import.meta.url)) },
    external: ["node:*"],
    logLevel: "error",
  });
  return outputFiles[0].text;
}
