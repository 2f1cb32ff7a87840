// The browser that tests run in: Chromium and its driver, found or installed.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { step } from "./progress.mjs";
import { Complaint, find, run } from "./process.mjs";
import { target } from "./rust.mjs";

/** No sandbox (tests run as root in containers), and nothing that talks to the network by itself. */
export const CHROMIUM_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

const CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The paths of Chromium (or Chrome) and of chromedriver; undefined where there is none. */
export function findBrowser() {
  return {
    chromium: process.env.CHROME_PATH || firstOf(CHROMIUM_NAMES),
    driver: process.env.CHROMEDRIVER || firstOf(["chromedriver"]),
  };
}

const firstOf = (names) => names.map(find).find((path) => path !== undefined);

export async function ensureBrowser() {
  let found = findBrowser();
  if (!(found.chromium && found.driver) && process.getuid?.() === 0 && find("apt-get")) {
    await step("apt-get install chromium chromium-driver", async () => {
      await run("apt-get", ["update", "-qq"]);
      await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "chromium-driver"]);
    });
    found = findBrowser();
  }
  if (!found.chromium || !existsSync(found.chromium)) {
    throw new Complaint(
      "No Chromium: install Chromium or Chrome and put it on the PATH, or set CHROME_PATH to its program.",
    );
  }
  if (!found.driver || !existsSync(found.driver)) {
    throw new Complaint(
      "No chromedriver: install the one of your Chromium's version and put it on the PATH, or set CHROMEDRIVER to its program.",
    );
  }
  return found;
}

/** What wasm-bindgen's test runner needs to know, as environment variables. */
export function webdriverEnvironment({ chromium, driver }) {
  const file = join(target, "webdriver.json");
  mkdirSync(target, { recursive: true });
  writeFileSync(file, JSON.stringify({ "goog:chromeOptions": { binary: chromium, args: CHROMIUM_FLAGS } }));
  return { CHROMEDRIVER: driver, WASM_BINDGEN_TEST_WEBDRIVER_JSON: file };
}
