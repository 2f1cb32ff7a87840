// A page that imports the package as it is published, without a bundler: by an import map.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";

const pkg = join(import.meta.dirname, "..", "..", "..", "pkg");
const HOST = "http://page.test";

/** Serves the package's files to all pages of a context. `script` is the module that each page runs. */
export async function packageContext(browser: Browser, script: string): Promise<BrowserContext> {
  const context = await browser.newContext();
  const imports = {
    threadfold: "/index.js",
    "threadfold/checkpoint": "/checkpoint.js",
    "threadfold/graph": "/graph.js",
    "threadfold/context": "/context.js",
  };
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${script}</script>`;
  await context.route(`${HOST}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.endsWith(".js"))
      return route.fulfill({
        contentType: "text/javascript",
        body: readFileSync(join(pkg, pathname.slice(1)), "utf8"),
      });
    return route.fulfill({ contentType: "text/html", body: html });
  });
  return context;
}

/** Opens a page, and waits until its script has set `globalThis.ready`. */
export async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const failure = new Promise<never>((_, reject) => {
    page.once("pageerror", (error) => reject(new Error(`the page threw: ${error.message}`)));
  });
  failure.catch(() => {});
  await page.goto(HOST);
  await Promise.race([page.waitForFunction("globalThis.ready === true"), failure]);
  return page;
}
