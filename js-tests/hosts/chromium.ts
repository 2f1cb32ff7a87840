// The installed Chromium, driven by playwright-core, which brings no browser of its own.
import { chromium, type Browser, type Page } from "playwright-core";
import { CHROMIUM_FLAGS, findBrowser } from "../../scripts/browser.mjs";

export async function openChromium(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("No Chromium on the PATH and no CHROME_PATH: run `npm run setup`.");
  return chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}

/** Returns the JSON that the page wrote into the element with this id. An error on the page fails the wait. */
export async function readAnswer(page: Page, url: string, id: string): Promise<unknown> {
  const failure = new Promise<never>((_, reject) => {
    page.once("pageerror", (error) => reject(new Error(`the page threw: ${error.message}`)));
  });
  failure.catch(() => {});
  await page.goto(url);
  const text = page.locator(`#${id}:not(:empty)`).textContent({ timeout: 60_000 });
  return JSON.parse((await Promise.race([text, failure])) ?? "null");
}
