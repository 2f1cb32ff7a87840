// The packed tarball, installed in empty projects and used with no configuration at all.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium, readAnswer } from "../chromium.js";
import { pack, printed, Project, workplace } from "./project.js";

const ANSWER = { messages: 1, type: "human", content: "hi", id: true, tools: ["a", "b"], error: "string" };

const folder = workplace();
let tarball: string;
let browser: Browser;

beforeAll(async () => {
  [tarball, browser] = await Promise.all([pack(folder), openChromium()]);
});

afterAll(async () => {
  await browser?.close();
  // CopilotKit alone installs 750 MB, in 60,000 files.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}, 600_000);

const install = (fixture: string, shared?: string) => Project.install(fixture, tarball, folder, shared);

async function inChromium(url: string, id: string): Promise<unknown> {
  const page = await browser.newPage();
  try {
    return await readAnswer(page, url, id);
  } finally {
    await page.close();
  }
}

test("Node, import", async () => {
  const project = await install("node-esm");
  expect(printed(await project.run("node", "main.js"))).toEqual(ANSWER);
});

test("Node, require", async () => {
  const project = await install("node-cjs");
  expect(printed(await project.run("node", "main.js"))).toEqual(ANSWER);
});

test("Node, threadfold/slim with the .wasm file", async () => {
  const project = await install("slim");
  expect(printed(await project.run("node", "main.js"))).toEqual(ANSWER);
});

test("TypeScript 5.9, strict: ESM and CJS, by each way of finding modules", async () => {
  const project = await install("typescript");
  const strict = ["--noEmit", "--strict", "--target", "es2022"];
  await project.run("tsc", ...strict, "--module", "nodenext", "esm.mts", "cjs.cts");
  const stricter = [
    ...strict,
    "--exactOptionalPropertyTypes",
    "--verbatimModuleSyntax",
    "--noUncheckedIndexedAccess",
    "--isolatedModules",
  ];
  await project.run("tsc", ...stricter, "--module", "node16", "esm.mts");
  await project.run("tsc", ...stricter, "--module", "esnext", "--moduleResolution", "bundler", "esm.mts");
});

test("Vite: build in Chromium, dev server in Chromium", async () => {
  const project = await install("vite");
  await project.run("vite", "build");
  const serve = (...command: string[]) =>
    project.serve(
      "vite",
      (port) => [...command, "--port", port, "--strictPort"],
      (url) => inChromium(url, "answer"),
    );
  expect(await serve("preview")).toEqual(ANSWER);
  expect(await serve("dev")).toEqual(ANSWER);
});

test("webpack", async () => {
  const project = await install("webpack");
  await project.run("webpack", "--mode", "production", "--output-path", "dist");
  expect(printed(await project.run("node", "dist/main.js"))).toEqual(ANSWER);
});

test("rollup", async () => {
  const project = await install("rollup");
  await project.run("rollup", "main.js", "--plugin", "node-resolve", "--format", "es", "--file", "dist/main.mjs");
  expect(printed(await project.run("node", "dist/main.mjs"))).toEqual(ANSWER);
});

test("esbuild", async () => {
  const project = await install("esbuild");
  await project.run("esbuild", "main.js", "--bundle", "--minify", "--format=esm", "--outfile=dist/main.mjs");
  expect(printed(await project.run("node", "dist/main.mjs"))).toEqual(ANSWER);
});

test("Next: a server and a client component, with Turbopack and with webpack", async () => {
  const project = await install("next");
  for (const bundler of ["--turbopack", "--webpack"]) {
    await project.run("next", "build", bundler);
    await project.serve(
      "next",
      (port) => ["start", "--port", port],
      async (url) => {
        expect(await inChromium(url, "server"), bundler).toEqual(ANSWER);
        expect(await inChromium(url, "client"), bundler).toEqual(ANSWER);
      },
    );
  }
});

test("workerd (miniflare)", async () => {
  const project = await install("workerd");
  expect(printed(await project.run("node", "main.js"))).toEqual(ANSWER);
});

test("vitest", async () => {
  const project = await install("vitest");
  expect(printed(await project.run("vitest", "run"))).toEqual(ANSWER);
});

test("jest", async () => {
  const project = await install("jest");
  await project.run("jest");
  expect(JSON.parse(readFileSync(join(project.folder, "answer.json"), "utf8"))).toEqual(ANSWER);
});

// Both bring a version of @ag-ui/client before 1.0; npm is to take the tarball beside it without being forced to.
const ASKED = ["user: Hi", "assistant: You said: Hi"];

test("CopilotKit 1.75: its usual wiring, in the runtime and in the page, type-checks and runs", async () => {
  const project = await install("copilotkit", "ag-ui-page");
  await project.run("tsc");
  expect(printed(await project.run("node", "out/main.js"))).toEqual({
    inRuntime: { lines: ASKED, state: { answers: 1 } },
    inPage: { lines: ASKED, state: { answers: 1 }, beside: "2" },
  });
});

test("assistant-ui: its usual wiring type-checks and runs", async () => {
  const project = await install("assistant-ui", "ag-ui-page");
  await project.run("tsc");
  expect(printed(await project.run("node", "out/main.js"))).toEqual({
    lines: ["Hi", "You said: Hi", "Hi", "You said: Hi"],
    messages: 4,
  });
});
