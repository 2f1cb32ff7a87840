// A chat in Chromium, whatever it is made of: a text box, and messages somewhere on the page.
import { expect } from "vitest";
import type { Browser, Page } from "playwright-core";

export const QUESTION = "What is the weather in Rome?";
export const ANSWER = "It is 21 °C and sunny in Rome.";

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

/** Sends a message as a user does. */
export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox");
  await box.fill(text);
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
