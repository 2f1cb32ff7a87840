// The code beside the demo's chat: the page shows a whole program, and it chats.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { browser, demo } from "./served-demo";

const www = join(import.meta.dirname, "..", "..", "..", "www");
const MAIN = `
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  import Chat from "shown";
  createRoot(document.body).render(createElement(Chat));`;

/** A program that renders the shown code, from nothing but that code and installed packages. */
async function bundle(shown: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: MAIN, resolveDir: www },
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "shown",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^shown$/ }, () => ({ path: "shown", namespace: "shown" }));
          onResolve({ filter: /^\./, namespace: "shown" }, ({ path }) => ({ errors: [{ text: `${path} is local` }] }));
          onLoad({ filter: /.*/, namespace: "shown" }, () => ({ contents: shown, loader: "tsx", resolveDir: www }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

test.each([
  ["ours", "ag-ui"],
  ["ours-langgraph", "langgraph"],
])("the shown chat (%s) has 15 lines, is complete and chats", async (server, file) => {
  const page = await browser.newPage({ reducedMotion: "reduce" });
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await page.goto(demo.unmeasured());
  await page.getByLabel("Talk to").selectOption(server);
  // Which is type-checked with the page.
  const shown = readFileSync(join(www, "src", "shortest", `${file}.tsx`), "utf8");
  await expect.poll(() => page.locator(".code code").textContent()).toBe(shown);
  expect(shown.split("\n").filter((line) => line.trim() !== "")).toHaveLength(15);

  const script = await bundle(shown);
  const html = '<!doctype html><body></body><script type="module" src="pasted.js"></script>';
  await page.route("**/pasted.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.route("**/pasted.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  await page.goto(`${demo.address}pasted.html`);
  await page.getByLabel("Message").fill("A long answer, please");
  await page.keyboard.press("Enter");
  await page.locator("p", { hasText: "A long answer, please" }).waitFor();
  const answer = page.locator("p").nth(1);
  await expect.poll(async () => (await answer.textContent())?.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(100);
  expect(await page.getByLabel("Message").inputValue()).toBe("");
  expect(errors).toEqual([]);
  await page.close();
});
