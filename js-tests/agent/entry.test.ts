// The entry as a package has it: its files, and what they import.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ThreadfoldError } from "threadfold";
import * as esm from "threadfold/agent";
import { expect, test } from "vitest";

const pkg = new URL("../../pkg/", import.meta.url);
const imports = (file: string) =>
  new Set(
    [...readFileSync(new URL(file, pkg), "utf8").matchAll(/(?:from|require\()\s*"([\w./@-]+)"/g)].map(
      ([, path]) => path,
    ),
  );

test("ESM and CommonJS have the same, and an error of either is a ThreadfoldError", async () => {
  const cjs = createRequire(import.meta.url)("threadfold/agent") as typeof esm;
  expect(Object.keys(cjs).sort()).toEqual(Object.keys(esm).sort());
  for (const { createAgent } of [esm, cjs]) {
    expect(() => createAgent({} as never)).toThrow(ThreadfoldError);
    const { messages } = await createAgent({ model: () => "Hi." }).invoke({ messages: "Hello" });
    expect(messages.at(-1)?.content).toBe("Hi.");
  }
});

test("it imports the package's own entries, and nothing else", () => {
  const own = ["threadfold", "threadfold/context", "threadfold/graph"];
  expect(imports("agent.js")).toEqual(new Set([...own, "./agent-core.js"]));
  expect(imports("agent.cjs")).toEqual(new Set([...own, "./agent-core.cjs"]));
  expect(imports("workerd-agent.js")).toEqual(new Set([...own, "./workerd-agent-core.js"]));
});

test("the second wasm is in one file, which imports nothing", () => {
  expect([...imports("agent-core.js"), ...imports("agent-core.cjs")]).toEqual([]);
  expect(imports("workerd-agent-core.js")).toEqual(new Set(["./threadfold_agent_bg.wasm"]));
});

test("the two wasms are two, and neither has what the other exports", () => {
  const classes = (file: string) =>
    WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(new URL(file, pkg))))
      .map(({ name }) => name)
      .filter((name) => name.startsWith("__wbg_raw"));
  expect(classes("threadfold_agent_bg.wasm")).toContain("__wbg_rawplan_free");
  expect(classes("threadfold_bg.wasm")).toContain("__wbg_rawthread_free");
  expect(classes("threadfold_bg.wasm").filter((name) => classes("threadfold_agent_bg.wasm").includes(name))).toEqual(
    [],
  );
});
