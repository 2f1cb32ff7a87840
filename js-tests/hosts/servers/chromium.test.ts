// The same servers, driven by a page in headless Chromium: fetch, streams and CORS as a browser has them.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openChromium, readAnswer } from "../chromium";
import { sorted } from "../../peers/recorded/ag-ui-runs";
import type { Held } from "../../peers/recorded/witness";
import type { Way } from "./page";
import { GRAPHS, V2_GRAPHS } from "./scenarios.mjs";
import { checkAgent, checkAgUi, checkLangGraph, checkV2, type Step } from "./steps";

let browser: Browser;
let server: Server;
let address: string;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("page.ts", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "browser",
    logLevel: "error",
  });
  const script = outputFiles[0]?.text;
  server = createServer((request, response) => {
    const js = request.url === "/page.js";
    response.setHeader("content-type", js ? "text/javascript" : "text/html; charset=utf-8");
    response.end(
      js
        ? script
        : `<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>`,
    );
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await openChromium();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Goes this way in a page of its own; returns the view of each graph. */
async function inPage<T>(way: Way, graphs: string[]): Promise<Record<string, T>> {
  const asked = new URLSearchParams({ way, url: inject(way.startsWith("AG-UI") ? "agUi" : "langGraph") });
  for (const graph of graphs) asked.append("graph", graph);
  const page = await browser.newPage();
  try {
    return (await readAnswer(page, `${address}/?${asked.toString()}`, "answer")) as Record<string, T>;
  } finally {
    await page.close();
  }
}

/** One test for each graph, of one page that has been through them all. */
function describeWay(way: Way, graphs: string[], check: (graph: string, steps: Step[]) => void): void {
  describe(way, () => {
    let seen: Record<string, Step[]>;
    beforeAll(async () => {
      seen = await inPage<Step[]>(way, graphs);
    });
    test.each(graphs)("%s", (graph) => check(graph, seen[graph] ?? []));
  });
}

describeWay("AG-UI, plain fetch", GRAPHS, checkAgUi);
describeWay("AG-UI, FoldHttpAgent", GRAPHS, checkAgent);
describeWay("LangGraph, plain fetch", GRAPHS, checkLangGraph);
describeWay("LangGraph, the SDK", GRAPHS, checkLangGraph);
describeWay("LangGraph, protocol v2", V2_GRAPHS, checkV2);

test("AG-UI, HttpAgent has the fault that it has in Node", async () => {
  const { todos } = await inPage<{ agent: Held; server: Held }[]>("AG-UI, HttpAgent", ["todos"]);
  const [step] = todos ?? [];
  expect(sorted(step?.agent.messages ?? [])).toEqual(sorted(step?.server.messages ?? []));
  expect(step?.agent.messages).not.toEqual(step?.server.messages);
});
