// A chat in Chromium, made of anything: a text box, and messages somewhere on the page.
import { expect } from "vitest";
import type { Browser, Page } from "playwright-core";

export const QUESTION = "What is the weather in Rome?";
export const ANSWER =
  "It is 21 °C and sunny in Rome, with a light wind from the sea. The evening stays warm, and no rain is expected before Thursday.";

/** Opens a page for `work`, which it may complain about nothing in. */
export async function inPage(
  browser: Browser,
  url: string,
  work: (page: Page) => Promise<void>,
  expected: readonly RegExp[] = [],
): Promise<void> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  try {
    await page.goto(url);
    await work(page).catch(async (error: unknown) => {
      const shown = await page.locator("body").innerText();
      throw new Error(`${String(error)}\nThe page shows: ${shown}\nIt complains: ${complaints.join("\n")}`, {
        cause: error,
      });
    });
    expect(complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint)))).toEqual([]);
  } finally {
    await page.close();
  }
}

/** Sends a message as a user does, once the page takes one: the last word of an answer comes before its run's end. */
export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox");
  await box.fill(text);
  await page.locator("button:disabled", { hasText: "Send" }).waitFor({ state: "detached" });
  await box.press("Enter");
}

export const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Asks for the weather: the answer is to come in pieces, and whole. */
export async function chats(page: Page): Promise<void> {
  await page.evaluate((answer) => {
    const lengths = new Set<number>();
    const look = () => {
      const text = document.body.textContent ?? "";
      let length = answer.length;
      while (!text.includes(answer.slice(0, length))) length--;
      lengths.add(length);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { lengths });
  }, ANSWER);
  await send(page, QUESTION);
  await shows(page, ANSWER);
  const lengths = await page.evaluate(() => (window as unknown as { lengths: Set<number> }).lengths.size);
  expect(lengths, "pieces of the answer that were shown").toBeGreaterThan(2);
}

export async function approves(page: Page): Promise<void> {
  await send(page, "Book a table");
  await shows(page, "Book the table for two?");
  await page.getByRole("button", { name: "Yes" }).click();
  await shows(page, "Your table is booked.");
  await send(page, "Book another table");
  await page.getByRole("button", { name: "No" }).click();
  await shows(page, "I booked nothing.");
}

/** Edits and answers again: the counters and texts of assistant-ui's BranchPicker are right, also after a switch. */
export async function branches(page: Page): Promise<void> {
  const button = (name: string) => page.getByRole("button", { name });
  const edit = async (text: string) => {
    await button("Edit").first().click();
    await page.getByLabel("Edited message").fill(text);
    await button("Save").click();
    await shows(page, `You said: ${text}`);
  };
  await send(page, "first");
  await shows(page, "You said: first");
  await edit("second");
  await shows(page, "2 / 2");
  await edit("third");
  await shows(page, "3 / 3");
  await button("Previous").click();
  await shows(page, "You said: second");
  await shows(page, "2 / 3");
  await button("Previous").click();
  await shows(page, "You said: first");
  await shows(page, "1 / 3");
  await button("Regenerate").click();
  await shows(page, "2 / 2");
  await shows(page, "1 / 3");
  await send(page, "more");
  await shows(page, "You said: more");
  await button("Next").first().click();
  await shows(page, "You said: second");
  expect(await page.getByText("more").count()).toBe(0);
  await button("Previous").first().click();
  await shows(page, "You said: more");
  await shows(page, "2 / 2");
}

/** A text of n words: the agent says 33 a second. */
const words = (n: number) => Array.from({ length: n }, (_, at) => `word${at}`).join(" ");

/** Takes six seconds to stream back. */
export const LONG = words(200);

/** Takes a minute: a run that a slow machine, too, stops in its middle. */
const ENDLESS = words(2000);

/** Asks for a long answer, and returns in the middle of it. */
export async function asksLong(page: Page, text = LONG): Promise<void> {
  await send(page, text);
  await shows(page, "You said: word0 word1");
  await isPartOf(page, text);
}

async function isPartOf(page: Page, text: string): Promise<void> {
  expect(await answers(page).innerText()).not.toContain(text.slice(text.lastIndexOf(" ")));
}

const answers = (page: Page) => page.getByText(/You said: word0/);

export async function stops(page: Page): Promise<void> {
  await asksLong(page, ENDLESS);
  const stop = page.getByRole("button", { name: "Stop" });
  await stop.click();
  await stop.waitFor({ state: "hidden" });
  await isPartOf(page, ENDLESS);
}

/** The same, where the client then shows the server's state, as the SDK does since 1.15: it has no half of an answer. */
export async function stopsAndForgets(page: Page): Promise<void> {
  await asksLong(page, ENDLESS);
  await page.getByRole("button", { name: "Stop" }).click();
  await answers(page).waitFor({ state: "detached" });
}

/** Sends a message that fails, and sends it again. */
export async function retries(page: Page): Promise<void> {
  await send(page, "Please fail");
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, "You said: Please fail");
  expect(await page.getByRole("button", { name: /Try again|Failed: retry/ }).count()).toBe(0);
}

/** Reloads the page in the middle of a run, which continues. */
export async function reloads(page: Page): Promise<void> {
  await asksLong(page);
  await page.reload();
  await shows(page, `You said: ${LONG}`);
  expect(await page.locator("li").count()).toBe(2);
}
