// The packed tarball with every bundler and test runner, used with no configuration at all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openChromium, readAnswer } from "../chromium.js";
import { started } from "./serve.js";
import { printed, run, withPrograms } from "./workspace.js";

const ANSWER = {
  messages: 1,
  type: "human",
  content: "hi",
  id: true,
  tools: ["a", "b"],
  repaired: ["ai", "tool", "wait"],
  graph: "function",
  error: "string",
};

const folderOf = (fixture: string) => join(inject("consumers"), "workspace", fixture);
let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(() => browser?.close());

test("Node, import", async () => {
  const project = folderOf("node-esm");
  expect(printed(await run(project, "node", ["main.js"]))).toEqual(ANSWER);
});

test("Node, require", async () => {
  const project = folderOf("node-cjs");
  expect(printed(await run(project, "node", ["main.js"]))).toEqual(ANSWER);
});

test("Node, threadfold/slim with the .wasm file", async () => {
  const project = folderOf("slim");
  expect(printed(await run(project, "node", ["main.js"]))).toEqual({ ...ANSWER, graph: undefined });
});

test("TypeScript 5.9, strict: ESM and CJS, by each way of finding modules", async () => {
  const project = folderOf("typescript");
  // Nothing else of the workspace: a user need not have @types/node.
  const strict = ["--noEmit", "--strict", "--target", "es2022", "--typeRoots", "none"];
  await run(project, "tsc", [...strict, "--module", "nodenext", "esm.mts", "cjs.cts"]);
  const stricter = [
    ...strict,
    "--exactOptionalPropertyTypes",
    "--verbatimModuleSyntax",
    "--noUncheckedIndexedAccess",
    "--isolatedModules",
  ];
  await run(project, "tsc", [...stricter, "--module", "node16", "esm.mts"]);
  await run(project, "tsc", [...stricter, "--module", "esnext", "--moduleResolution", "bundler", "esm.mts"]);
});

test("Vite: build in Chromium, dev server in Chromium", async () => {
  const project = folderOf("vite");
  await run(project, "vite", ["build"]);
  const serve = async (command: string) => {
    const args = (port: string) => [command, "--port", port, "--strictPort"];
    const server = await started("vite", args, project, withPrograms(project));
    try {
      const page = await browser.newPage();
      return await readAnswer(page, server.url, "answer");
    } finally {
      await server.stop();
    }
  };
  expect(await serve("preview")).toEqual(ANSWER);
  expect(await serve("dev")).toEqual(ANSWER);
});

test("webpack", async () => {
  const project = folderOf("webpack");
  await run(project, "webpack", ["--mode", "production", "--output-path", "dist"]);
  expect(printed(await run(project, "node", ["dist/main.js"]))).toEqual(ANSWER);
});

test("rollup", async () => {
  const project = folderOf("rollup");
  await run(project, "rollup", ["main.js", "--plugin", "node-resolve", "--format", "es", "--file", "dist/main.mjs"]);
  expect(printed(await run(project, "node", ["dist/main.mjs"]))).toEqual(ANSWER);
});

test("esbuild", async () => {
  const project = folderOf("esbuild");
  await run(project, "esbuild", ["main.js", "--bundle", "--minify", "--format=esm", "--outfile=dist/main.mjs"]);
  expect(printed(await run(project, "node", ["dist/main.mjs"]))).toEqual(ANSWER);
});

test("workerd (miniflare)", async () => {
  const project = folderOf("workerd");
  expect(printed(await run(project, "node", ["main.js"]))).toEqual(ANSWER);
});

test("vitest", async () => {
  const project = folderOf("vitest");
  expect(printed(await run(project, "vitest", ["run"]))).toEqual(ANSWER);
});

test("jest", async () => {
  const project = folderOf("jest");
  await run(project, "jest", []);
  expect(JSON.parse(readFileSync(join(project, "answer.json"), "utf8"))).toEqual(ANSWER);
});
