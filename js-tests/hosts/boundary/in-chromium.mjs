// `node in-chromium.mjs FOLDER [SETUP [NUMBER]]`: runs the tests that xtask has bound into FOLDER, in a page of Chromium.
// SETUP is a module that prepares them, with threadfold and the number.
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, findBrowser } from "../../../scripts/browser.mjs";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
// wasm-bindgen-test prints into #output in a page.
const PAGE = "<!doctype html><title>tests</title><pre id=output></pre>";
const ORIGIN = "http://localhost";

const [folder, setup, number] = process.argv.slice(2);
/** The files of the page that are not in the folder. */
const FILES = {
  "tests.mjs": fileURLToPath(new URL("tests.mjs", import.meta.url)),
  "setup.mjs": setup,
  "threadfold.js": fileURLToPath(new URL("../../../pkg/index.js", import.meta.url)),
};
const browser = await chromium.launch({ executablePath: findBrowser(), args: CHROMIUM_FLAGS });
try {
  const page = await browser.newPage();
  page.on("console", (message) => console.log(message.text()));
  // No server: every request is answered here.
  await page.route(`${ORIGIN}/**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    if (path === "") return route.fulfill({ contentType: "text/html", body: PAGE });
    const file = FILES[path] ?? join(folder, path);
    return route.fulfill({ contentType: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
  });
  await page.goto(`${ORIGIN}/`);
  const passed = await page.evaluate(
    async ([setup, number]) => {
      const [{ runTests }, glue, wasm] = await Promise.all([
        import("/tests.mjs"),
        import("/tests.js"),
        fetch("/tests_bg.wasm").then((response) => response.arrayBuffer()),
      ]);
      const { default: prepare } = setup ? await import("/setup.mjs") : {};
      const threadfold = setup && (await import("/threadfold.js"));
      return runTests(glue, await WebAssembly.compile(wasm), (glue) => prepare?.(glue, threadfold, Number(number)));
    },
    [setup, number],
  );
  console.log(await page.textContent("#output"));
  if (!passed) process.exitCode = 1;
} finally {
  await browser.close();
}
