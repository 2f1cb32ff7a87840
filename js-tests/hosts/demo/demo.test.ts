// The demo page's recorded runs, its playground and its chart, in Chromium. The chat is in chat.test.ts.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { browser, demo } from "./served-demo";

const complaints: string[] = [];

/** A page with its recording shown. It asks for less motion, and so begins at the end of the run, at rest. */
async function open(hash = "", options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 1280, height: 900 }, ...options });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => {
    // A page that is closed or left stops what it still loads.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()}`);
  });
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(demo.address))
      complaints.push(`went out: ${request.url()}`);
  });
  await page.goto(demo.unmeasured(hash));
  await page.locator("#replay .message").first().waitFor({ timeout: 10_000 });
  return page;
}

afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

const FINAL = "All done: the plan is written and the answer is 42. 你好 👋 ";
const TODOS = ["Read the question", "Answer it"];

const texts = (page: Page) => page.locator("#replay .message > .text").allTextContents();
const todos = (page: Page) => page.locator("#replay .todos:visible span").allTextContents();
const position = (page: Page) => page.locator(".position").textContent();
const eventName = (page: Page) => page.locator(".event b").textContent();

/** The keys of the lit rows of the tree, from the top. */
const lit = (page: Page) =>
  page.locator("#state .lit > .row .key, #state .lit > details > .row .key").allTextContents();

const litLeaves = (page: Page) => page.locator("#state .lit > div.row .key").allTextContents();

async function scrub(page: Page, to: number): Promise<void> {
  await page.getByLabel("Position in the run").fill(String(to));
}

/** Scrubs to the last event of this name; returns where that is. */
async function scrubToLast(page: Page, name: string): Promise<number> {
  for (let index = Number((await position(page))?.split(" / ")[1]); index > 0; index--) {
    await scrub(page, index);
    if ((await eventName(page)) === name) return index;
  }
  throw new Error(`The recording has no ${name}.`);
}

async function playToTheEnd(page: Page): Promise<void> {
  await page.getByLabel("Speed").selectOption("16");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => {
    const [at, last] = document.querySelector(".position")?.textContent?.split(" / ") ?? [];
    return at === last && document.querySelector(".play")?.getAttribute("aria-label") === "Play";
  });
}

test("plays the AG-UI recording to its end", async () => {
  const page = await open();
  await scrub(page, 0);
  expect(await texts(page)).toEqual(["What is the answer?"]);
  expect(await todos(page)).toEqual([]);
  await playToTheEnd(page);
  expect(await texts(page)).toEqual(["What is the answer?", "Let me plan this first. ", FINAL]);
  expect(await todos(page)).toEqual(TODOS);
  expect(await page.locator("#replay .call b").allTextContents()).toEqual(["write todos"]);
  expect(await page.locator("#replay .message.tool").count()).toBe(1);
  await page.close();
});

test.each([
  [
    "langgraph",
    "The same agent on a LangGraph server",
    ["What is the answer?", "Let me plan this first. ", FINAL],
    TODOS,
    [],
  ],
  [
    "langgraph-custom",
    "A graph that writes its plan first",
    ["hi", "Hello from fake model, answer 1."],
    ["answer the user"],
    ["status"],
  ],
])("plays the recording %s to its end", async (id, about, expected, plan, changed) => {
  const page = await open();
  await page.getByLabel("Recording").selectOption(id);
  await page.getByText(about).waitFor();
  await playToTheEnd(page);
  expect(await texts(page)).toEqual(expected);
  expect(await todos(page)).toEqual(plan);
  // The server's last snapshot repeats what was streamed, and those objects stay.
  expect(await eventName(page)).toBe("values");
  expect(await litLeaves(page)).toEqual(changed);
  await page.close();
});

test("scrubbing back shows earlier states", async () => {
  const page = await open();
  const end = await page.locator("#thread").innerHTML();
  const index = await scrubToLast(page, "TOOL_CALL_ARGS");
  expect(await texts(page)).toEqual(["What is the answer?", "Let me plan this first. "]);
  expect(await todos(page)).toEqual([]);
  // The arguments are drawn as far as they have come.
  const drawn = () => page.locator("#replay .call").first().innerText();
  expect(await drawn()).toMatch(/◐ Answer it$/);
  await scrub(page, index - 1);
  expect(await drawn()).toMatch(/\nAnswer it$/);
  await page.getByLabel("Position in the run").press("End");
  expect(await page.locator("#thread").innerHTML()).toBe(end);
  await page.close();
});

test("only what an event changed lights up", async () => {
  const page = await open();
  expect(await eventName(page)).toBe("RUN_FINISHED");
  expect(await lit(page)).toEqual([]);
  expect(await page.locator("#changed").textContent()).toMatch(/^Nothing changed/);

  await scrubToLast(page, "TEXT_MESSAGE_CONTENT");
  expect(await lit(page)).toEqual(["state", "messages", "3", "content"]);
  expect(await page.locator("#changed").textContent()).toMatch(/^4 of \d+ values changed/);

  await scrubToLast(page, "TOOL_CALL_ARGS");
  expect(await lit(page)).toEqual(["state", "messages", "1", "toolCalls", "0", "function", "arguments"]);

  // A snapshot that brings the todos and repeats the tools: the tools stay dark.
  await scrubToLast(page, "STATE_SNAPSHOT");
  const keys = await lit(page);
  expect(keys.slice(0, 2)).toEqual(["state", "todos"]);
  expect(keys).not.toContain("tools");
  expect(keys).not.toContain("messages");

  // The server re-keyed the tool's result: that message alone is another one.
  await scrubToLast(page, "MESSAGES_SNAPSHOT");
  expect((await lit(page)).slice(0, 3)).toEqual(["state", "messages", "2"]);
  expect(await lit(page)).not.toContain("3");
  await page.close();
});

test("a message's element stays while others stream, and sharing is counted", async () => {
  const page = await open();
  await scrub(page, 5);
  await page.locator("#replay .message.user").evaluate((item) => item.setAttribute("data-mark", "kept"));
  await page.getByLabel("Position in the run").press("End");
  expect(await page.locator("[data-mark=kept] .text").textContent()).toBe("What is the answer?");
  const [, copied, real] =
    /be ([\d,]+) objects.* are ([\d,]+)\./.exec((await page.locator("#shared").textContent()) ?? "") ?? [];
  expect(Number(real)).toBeGreaterThan(10);
  expect(Number(copied)).toBeGreaterThan(2 * Number(real));
  await page.close();
});

test("the keyboard plays, steps and stops", async () => {
  const page = await open();
  await page.locator("#player").focus();
  const scrolled = await page.evaluate(() => scrollY);
  await page.keyboard.press("Home");
  expect(await position(page)).toMatch(/^0 /);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  expect(await position(page)).toMatch(/^1 /);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".position")?.textContent?.startsWith("1 "));
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Play" }).waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
  await page.close();
});

test("the try-it panel answers, and reports errors", async () => {
  const page = await open();
  const answer = async () => JSON.parse((await page.locator("#try-answer").textContent()) ?? "") as unknown;
  const left = page.getByLabel("left", { exact: true });
  const right = page.getByLabel("right", { exact: true });

  expect(await answer()).toMatchObject([{ id: "1" }, { id: "2", content: "It is 42." }]);
  expect(await page.locator("#try-note").textContent()).toMatch(/^1 of 2 objects/);
  await left.fill(`[{ "type": "human", "id": "1", "content": "a" }]`);
  await right.fill(`[{ "type": "ai", "id": "2", "content": "b" }]`);
  expect(await answer()).toMatchObject([
    { id: "1", content: "a" },
    { id: "2", content: "b" },
  ]);

  await right.fill(`[{ "type": "remove", "id": "zz" }]`);
  const complaint = await page.locator(".answer.failed #try-answer").textContent();
  expect(complaint).toContain("Attempting to delete a message with an ID that doesn't exist ('zz')");
  expect(await page.locator("#try-answer .code").textContent()).toMatch(/^[A-Za-z_]+$/);

  await right.fill(`[{`);
  expect(await page.locator("#try-answer").textContent()).toMatch(/^right is not JSON yet/);
  await page.close();
});

test("every example of the try-it panel answers or is refused with a code", async () => {
  const page = await open();
  const refused: string[] = [];
  for (const button of await page.locator("#try .chip").all()) {
    await button.click();
    if (await page.locator(".answer.failed").count()) {
      expect(await page.locator("#try-answer .code").textContent()).toMatch(/^[A-Za-z_]+$/);
      refused.push((await button.textContent()) ?? "");
    } else {
      const answer = (await page.locator("#try-answer").textContent()) ?? "";
      expect(() => {
        JSON.parse(answer);
      }, answer).not.toThrow();
    }
  }
  expect(refused).toEqual(["Remove a stranger", "A bad todo", "A patch that fails"]);
  await page.close();
});

test("the address carries what is tried", async () => {
  const page = await open();
  await page.getByRole("button", { name: "A bad todo" }).click();
  await page.getByLabel("right", { exact: true }).fill(`[{ "content": "你好 👋", "status": "completed" }]`);
  await page.waitForTimeout(500);
  const hash = await page.evaluate(() => location.hash);
  await page.close();

  const other = await open(hash);
  expect(await other.getByLabel("Function").inputValue()).toBe("replaceTodos");
  expect(await other.locator("#try-answer").textContent()).toContain("你好 👋");
  await other.close();

  const broken = await open("#try=%%%");
  expect(await broken.getByLabel("Function").inputValue()).toBe("addMessages");
  await broken.close();
});

test("the chart draws, and the page answers meanwhile", async () => {
  const page = await open();
  expect(await page.locator(".chart .dot").count()).toBe(0);
  await page.getByRole("button", { name: "Measure" }).click();
  await page.locator(".chart .dot").first().waitFor({ timeout: 30_000 });
  await scrub(page, 3);
  expect(await position(page)).toMatch(/^3 /);
  await page.getByText("Done.").waitFor({ timeout: 45_000 });
  expect(await page.locator(".chart .dot").count()).toBe(10);
  expect(await page.locator("#cost-verdict").textContent()).toMatch(/At 10,000 messages .* times as much/);
  await page.getByText("The figures as a table").click();
  expect(await page.locator(".figures tbody tr").count()).toBe(5);
  await page.close();
});

test.each([390, 320])("nothing overflows sideways at %i px", async (width) => {
  const page = await open("", { viewport: { width, height: 844 } });
  const last = Number((await position(page))?.split(" / ")[1]);
  for (const index of [0, 16, last]) {
    await scrub(page, index);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  for (const button of await page.locator("#try .chip").all()) {
    await button.click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await page.close();
});

test("the links lead to the README and the docs", async () => {
  const page = await open();
  const links = await page
    .getByRole("navigation", { name: "Project" })
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
  expect(links).toEqual([`${demo.address}docs/index.html`, `${demo.address}readme.html`]);
  await page.goto(links[1] ?? "");
  expect(await page.getByRole("heading", { name: "threadfold", exact: true }).count()).toBe(1);
  await page.close();
});

test("the cost of a token is measured while the page runs", async () => {
  const page = await open();
  await page.goto(demo.address);
  await page.waitForFunction(
    () => Number(document.querySelector<HTMLElement>("#token-cost-note")?.dataset["samples"]) >= 5,
    undefined,
    { timeout: 45_000 },
  );
  const figures = await page.locator(".bar-figure").allTextContents();
  for (const figure of figures) expect(figure).toMatch(/^\d+(\.\d+)? ms$/);
  // How many times less depends on the machine; the list of 2,000 never costs as little as one message.
  const [whole = 0, byMessage = 0] = figures.map(Number.parseFloat);
  expect(whole).toBeGreaterThan(2 * byMessage);
  expect(await page.locator(".measured").count()).toBe(2);
  expect(await page.locator(".measured").first().isVisible()).toBe(true);
  await page.close();
});

test("the devtools are loaded when somebody asks for them, with the chat's thread", async () => {
  const page = await open();
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => /devtools/.test(name)).length);
  expect(await loaded()).toBe(0);
  await page.getByRole("button", { name: "Devtools", exact: true }).click();
  const panel = page.getByRole("region", { name: "threadfold devtools" });
  await panel.waitFor();
  expect(await loaded()).toBeGreaterThan(0);
  expect(await panel.getByLabel("Thread", { exact: true }).locator("option:checked").innerText()).toBe(
    "The chat, over AG-UI",
  );
  expect(await panel.getByRole("button", { name: "state" }).innerText()).toContain("messages");
  await page.keyboard.press("Escape");
  expect(await panel.isVisible()).toBe(false);
  await page.close();
});
