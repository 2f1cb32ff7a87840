// The lag of another tab: `node js-tests/hosts/databases/lag.mjs`. A model says a token each 50 ms. Chromium has two
// tabs that share a connection and one of another browser, and a run is joined on the other instance. One clock for all.
import { createServer } from "node:http";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { chromium } from "playwright-core";
import { startPostgres, startRedis } from "../../../examples/many-instances/databases.mjs";
import { CHROMIUM_FLAGS, findBrowser } from "../../../scripts/browser.mjs";
import { durableObjects, ended, memory, redisAndPostgres, startInstance } from "./same-page/backends.mjs";

const TOKENS = 100;
const PACE = 50;
const JOINS = 100;
const now = () => performance.timeOrigin + performance.now();

/** By question, when its answer began. */
const begun = new Map();
const said = [];
/** The model: says token after token, each at its time. */
const model = createServer(async ({ url }, response) => {
  const asked = new URL(url, "http://localhost").searchParams;
  const [question, at] = [asked.get("asked"), Number(asked.get("at"))];
  if (!begun.has(question)) begun.set(question, now());
  await sleep(Math.max(0, begun.get(question) + at * PACE - now()));
  // Only the answer that is measured has tokens with a number.
  if (question === "Hello") return at ? response.writeHead(204).end() : response.end("Hello there");
  if (at === TOKENS) return response.writeHead(204).end();
  said[at] = now();
  response.end(`@${at}@`);
});
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${model.address().port}`;

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
  return `p50 ${at(0.5)} p99 ${at(0.99)} ms of ${sorted.length}`;
}

/** Notes in the page when each token is there. */
function watch() {
  globalThis.seen = [];
  const look = () => {
    const now = performance.timeOrigin + performance.now();
    for (const [, at] of document.querySelector("li:last-child")?.textContent.matchAll(/@(\d+)@/g) ?? [])
      globalThis.seen[Number(at)] ??= now;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

async function measureTabs(browser, start) {
  const backend = await start(address);
  const [desk, other] = await Promise.all([browser.newContext(), browser.newContext()]);
  const thread = crypto.randomUUID();
  const open = async (context) => {
    const page = await context.newPage();
    await page.addInitScript(watch);
    await page.goto(`http://127.0.0.1:${backend.port}/?thread=${thread}`);
    return page;
  };
  const ask = async (page, text) => {
    await page.getByLabel("Message").fill(text);
    await page.getByLabel("Message").press("Enter");
  };
  const whole = (page) => page.waitForFunction((last) => globalThis.seen[last], TOKENS - 1, { timeout: 120_000 });
  const first = await open(desk);
  const question = crypto.randomUUID();
  // The thread is there before the others follow it.
  await ask(first, "Hello");
  await first.getByText("Hello there").waitFor();
  await first.getByText("ready").waitFor();
  const pages = [first, await open(desk), await open(desk), await open(other)];
  for (const page of pages) await page.getByText("Hello there").waitFor();
  await sleep(1_000);
  await ask(first, question);
  for (const page of pages) await whole(page);
  const seen = [];
  for (const page of pages) seen.push(await page.evaluate(() => globalThis.seen));
  const behind = (at) => summary(seen[at].map((time, token) => time - seen[0][token]));
  console.log(`  the sender, after the model: ${summary(seen[0].map((time, token) => time - said[token]))}`);
  console.log(`  the reader of the shared connection or its neighbour, after the sender: ${behind(1)}; ${behind(2)}`);
  console.log(`  the tab with its own connection, after the sender: ${behind(3)}`);
  await Promise.all([desk.close(), other.close()]);
  await backend.stop();
}

/** From the request on one instance to the first part of a run of another one. */
async function measureJoins(...databases) {
  const [one, another] = await Promise.all([
    startInstance(address, ...databases),
    startInstance(address, ...databases),
  ]);
  const took = [];
  for (let round = 0; round < JOINS; round++) {
    begun.delete("join");
    const body = {
      threadId: `${databases[0]} ${round}`,
      runId: "r",
      messages: [{ id: "m", role: "user", content: "join" }],
    };
    const answer = await fetch(`http://127.0.0.1:${one.port}/agent`, { method: "POST", body: JSON.stringify(body) });
    await answer.body.getReader().read();
    const asked = now();
    const joined = await fetch(
      `http://127.0.0.1:${another.port}/agent/threads/${encodeURIComponent(body.threadId)}/runs/r`,
    );
    const reader = joined.body.getReader();
    const decoder = new TextDecoder();
    for (let text = ""; !text.includes("data: "); text += decoder.decode((await reader.read()).value)) {
      if (!joined.ok) throw new Error(`${joined.status}`);
    }
    took.push(now() - asked);
    await Promise.all([reader.cancel(), answer.body.cancel().catch(() => {})]);
  }
  await Promise.all([one, another].map(({ child }) => ended(child)));
  return summary(took);
}

console.log(`${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.version}`);
const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
const saver = PostgresSaver.fromConnString(postgres.url);
await saver.setup();
await saver.end();
console.log(`A join on the other instance: Redis ${await measureJoins(redis.path, postgres.url)}`);
console.log(`                              Postgres ${await measureJoins("", postgres.url)}`);
await Promise.all([redis.stop(), postgres.stop()]);
const browser = await chromium.launch({ executablePath: findBrowser(), args: CHROMIUM_FLAGS });
for (const [name, start] of Object.entries({ memory, redisAndPostgres, durableObjects })) {
  console.log(name);
  await measureTabs(browser, start);
}
console.log(`load ${loadavg()[0].toFixed(1)}`);
await browser.close();
process.exit();
