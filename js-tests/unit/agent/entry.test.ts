// The entry as a package has it: its files, and their imports.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ThreadfoldError } from "threadfold";
import * as esm from "threadfold/agent";
import { expect, test } from "vitest";

const pkg = new URL("../../../pkg/", import.meta.url);
const found = (file: string, how: RegExp) =>
  new Set([...readFileSync(new URL(file, pkg), "utf8").matchAll(how)].map(([, path]) => path));
const imports = (file: string) => found(file, /(?:from|require\()\s*"([\w./@-]+)"/g);
const lateImports = (file: string) => found(file, /import\("([^"]+)"\)/g);

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
  expect(imports("agent.cjs")).toEqual(new Set([...own, "./agent-core.cjs", "threadfold/context/offload"]));
  expect(imports("workerd-agent.js")).toEqual(new Set([...own, "./workerd-agent-core.js"]));
});

test("the second wasm is in one file, which imports nothing", () => {
  expect([...imports("agent-core.js"), ...imports("agent-core.cjs")]).toEqual([]);
  expect(imports("workerd-agent-core.js")).toEqual(new Set(["./threadfold_agent_bg.wasm"]));
});

test("the two wasms are two, and neither has the other's exports", () => {
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

const calling: esm.FunctionModel = (messages) =>
  messages.at(-1)?.type === "tool" ? "Done." : { content: "", tool_calls: [{ id: "c1", name: "give", args: {} }] };

test("code that moves long results is loaded on demand, in CommonJS without `import()`", async () => {
  const late = new Set(["threadfold/context/offload"]);
  expect([lateImports("agent.js"), lateImports("workerd-agent.js")]).toEqual([late, late]);
  expect(lateImports("agent.cjs")).toEqual(new Set());
  const cjs = createRequire(import.meta.url)("threadfold/agent") as typeof esm;
  for (const { createAgent, createFilesystemMiddleware, tool } of [esm, cjs]) {
    const tools = [tool({ name: "give", run: () => "long".repeat(30_000) })];
    const agent = createAgent({ model: calling, tools, middleware: [createFilesystemMiddleware()] });
    const { files } = await agent.invoke({ messages: "Go." });
    expect(Object.keys(files ?? {})).toEqual(["/large_tool_results/c1"]);
  }
});

test("a result stays where it is if that cannot be loaded: the tool has run", async () => {
  const require = createRequire(import.meta.url);
  const { createAgent, createFilesystemMiddleware, tool } = require("threadfold/agent") as typeof esm;
  const path = require.resolve("threadfold/context/offload");
  const { [path]: own } = require.cache;
  Object.defineProperty(require.cache, path, {
    configurable: true,
    get: () => {
      throw new Error("No network.");
    },
  });
  try {
    const text = "long".repeat(30_000);
    const tools = [tool({ name: "give", run: () => text })];
    const agent = createAgent({ model: calling, tools, middleware: [createFilesystemMiddleware()] });
    const { files, messages } = await agent.invoke({ messages: "Go." });
    expect([messages[2]?.content === text, messages[3]?.content, files]).toEqual([true, "Done.", {}]);
  } finally {
    Object.defineProperty(require.cache, path, { configurable: true, enumerable: true, writable: true, value: own });
    if (!own) Reflect.deleteProperty(require.cache, path);
  }
});
