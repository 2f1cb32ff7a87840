// The entry as a package has it: its files, which are whole and small; the wasm is in one that it shares.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import * as esm from "threadfold/context";
import { ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";

const pkg = new URL("../../../pkg/", import.meta.url);
const text = (file: string) => readFileSync(new URL(file, pkg), "utf8");
const imports = (file: string) => [...text(file).matchAll(/(?:from|require\()\s*"([^"]+)"/g)].map(([, path]) => path);

test("ESM and CommonJS have the same, and an error of either is a ThreadfoldError", () => {
  const cjs = createRequire(import.meta.url)("threadfold/context") as typeof esm;
  expect(Object.keys(cjs).sort()).toEqual(Object.keys(esm).sort());
  for (const { safeCuts } of [esm, cjs]) {
    const came = outcome(() => safeCuts([4] as never));
    expect("error" in came && came.error).toBeInstanceOf(ThreadfoldError);
  }
});

test("classes have their names, which consoles show", () => {
  const { Context, safeCuts } = esm;
  const context = new Context();
  const seen = [context, context.of([]), context.meter([]), safeCuts([])].map((one) => one.constructor.name);
  expect(seen).toEqual(["Context", "ContextView", "Meter", "SafeCuts"]);
});

test("it imports the agent half's core alone, and the offloading nothing", () => {
  for (const extension of ["js", "cjs"]) {
    expect(new Set(imports(`context.${extension}`))).toEqual(new Set([`./agent-core.${extension}`]));
    expect(imports(`context-offload.${extension}`)).toEqual([]);
    expect(imports(`agent-core.${extension}`)).toEqual([]);
    for (const entry of ["context", "context-offload"])
      expect(text(`${entry}.${extension}`)).not.toContain("WebAssembly");
  }
  expect(new Set(imports("workerd-context.js"))).toEqual(new Set(["./workerd-agent-core.js"]));
});

test("it is at most 19 KiB gzipped, 36 with its core, and the offloading 5", () => {
  const gzipped = (file: string) => gzipSync(text(file), { level: 9 }).length / 1024;
  expect(gzipped("context.js")).toBeLessThanOrEqual(19);
  expect(gzipped("context.js") + gzipped("agent-core.js")).toBeLessThanOrEqual(36);
  expect(gzipped("context-offload.js")).toBeLessThanOrEqual(5);
});
