// `node in-chromium.mjs FOLDER`: runs the tests that xtask has bound into FOLDER, in a page of Chromium.
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, findBrowser } from "../../../scripts/browser.mjs";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
// wasm-bindgen-test prints into #output in a page.
const PAGE = "<!doctype html><title>tests</title><pre id=output></pre>";
const ORIGIN = "http://localhost";

const [folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: findBrowser(), args: CHROMIUM_FLAGS });
try {
  const page = await browser.newPage();
  page.on("console", (message) => console.log(message.text()));
  // No server: every request is answered here.
  await page.route(`${ORIGIN}/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    if (path === "") return route.fulfill({ contentType: "text/html", body: PAGE });
    const file = path === "tests.mjs" ? fileURLToPath(new URL(path, import.meta.url)) : join(folder, path);
    return route.fulfill({ contentType: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
  });
  await page.goto(`${ORIGIN}/`);
  const passed = await page.evaluate(async () => {
    const [{ runTests }, glue, wasm] = await Promise.all([
      import("/tests.mjs"),
      import("/tests.js"),
      fetch("/tests_bg.wasm").then((response) => response.arrayBuffer()),
    ]);
    return runTests(glue, await WebAssembly.compile(wasm));
  });
  console.log(await page.textContent("#output"));
  if (!passed) process.exitCode = 1;
} finally {
  await browser.close();
}
