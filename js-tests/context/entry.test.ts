// The entry as a package has it: its files, which wasm they share, and that the default entry is not among them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as esm from "threadfold/context";
import { ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../support/errors.js";

const pkg = new URL("../../pkg/", import.meta.url);
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
  const { Context, safeCuts, ThreadfoldError: AgentsError } = esm;
  const context = new Context();
  const seen = [context, context.of([]), context.meter([]), safeCuts([])].map((one) => one.constructor.name);
  expect([...seen, AgentsError.name]).toEqual(["Context", "ContextView", "Meter", "SafeCuts", "ThreadfoldError"]);
});

test("the second wasm is in one file, which the entries import; they import nothing else", () => {
  for (const entry of ["context", "context-offload"]) {
    expect(new Set(imports(`${entry}.js`))).toEqual(new Set(["./agent-core.js"]));
    expect(new Set(imports(`${entry}.cjs`))).toEqual(new Set(["./agent-core.cjs"]));
    expect(new Set(imports(`workerd-${entry}.js`))).toEqual(new Set(["./workerd-agent-core.js"]));
  }
  expect(imports("workerd-agent-core.js")).toEqual(["./threadfold_agent_bg.wasm"]);
  expect([...imports("agent-core.js"), ...imports("agent-core.cjs")]).toEqual([]);
});

test("the two wasms are two, and neither has what the other exports", () => {
  const exported = (file: string) =>
    WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(new URL(file, pkg)))).map(({ name }) => name);
  const classes = (file: string) => exported(file).filter((name) => name.startsWith("__wbg_raw"));
  expect(classes("threadfold_agent_bg.wasm")).toContain("__wbg_rawledger_free");
  expect(classes("threadfold_bg.wasm")).toContain("__wbg_rawthread_free");
  const both = classes("threadfold_bg.wasm").filter((name) => classes("threadfold_agent_bg.wasm").includes(name));
  expect(both).toEqual([]);
});
