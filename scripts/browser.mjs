// The browser that tests run in: Chromium, found or installed.
import { existsSync } from "node:fs";
import { step } from "./progress.mjs";
import { Complaint, find, run } from "./process.mjs";

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

/** The headless shell first: a page costs it a third less, for it draws no window around it. */
const CHROMIUM_NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];

/** The path of Chromium or Chrome; undefined where there is none. */
export const findBrowser = () => process.env.CHROME_PATH || CHROMIUM_NAMES.map(find).find((path) => path !== undefined);

const canInstall = () => process.getuid?.() === 0 && find("apt-get") !== undefined;

/** A Complaint, unless Chromium is there or `ensureBrowser` can install it. */
export function requireBrowser() {
  const path = findBrowser();
  if (path ? existsSync(path) : canInstall()) return;
  throw new Complaint(
    path
      ? `CHROME_PATH names ${path}, which does not exist.`
      : "No Chromium: install Chromium or Chrome and put it on the PATH, or set CHROME_PATH to its program.",
  );
}

/** Installs Chromium where it is missing and this user may. */
export async function ensureBrowser() {
  requireBrowser();
  if (!findBrowser()) {
    await step("apt-get install chromium-headless-shell", async () => {
      const install = (name) => run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name]);
      await run("apt-get", ["update", "-qq"]);
      // Older Debians and their kin have the whole browser only.
      await install("chromium-headless-shell").catch(() => install("chromium"));
    });
  }
  if (!findBrowser()) throw new Complaint("apt-get installed no Chromium: set CHROME_PATH to yours.");
}
