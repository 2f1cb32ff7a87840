// The download size of a page, gzipped, in bytes.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL("..", import.meta.url));
const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;
const published = (file) =>
  gzipped(readFileSync(new URL(import.meta.resolve(`threadfold/package.json`).replace("package.json", file))));

export async function measureSizes() {
  return {
    "the wasm": published("threadfold_bg.wasm"),
    "index.js as published": published("index.js"),
    "threadfold/context as published": published("context.js"),
    "threadfold/context, bundled and minified, its Context alone": await bundled(
      'export { Context } from "threadfold/context"',
    ),
    "threadfold/agent as published": published("agent.js"),
    "threadfold/agent, bundled and minified with all that it needs, its createAgent alone": await bundled(
      'export { createAgent } from "threadfold/agent"',
    ),
    "graph, agent, context and agent-core as published": ["graph", "agent", "context", "agent-core"]
      .map((name) => published(`${name}.js`))
      .reduce((sum, size) => sum + size),
    "a page: Thread, AgUiRunner, hooks, persistence, bundled and minified": await bundled(
      `export { Thread, textOf } from "threadfold";
       export { AgUiRunner } from "threadfold/ag-ui";
       export { useChat, useMessage, useMessageIds, usePending } from "threadfold/react";
       export { loadThread, persist } from "threadfold/persist"`,
      ["react"],
    ),
    "threadfold, bundled and minified": await bundled('export * from "threadfold"'),
    "langgraph.js messagesStateReducer": await bundled(
      'export { messagesStateReducer } from "@langchain/langgraph/web"',
    ),
    "@ag-ui/client": await bundled('export * from "@ag-ui/client"'),
    "immer and fast-json-patch": await bundled(
      'export { produce } from "immer"; export { applyPatch } from "fast-json-patch"',
    ),
  };
}

async function bundled(contents, theirs = []) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["node:*", ...theirs],
    logLevel: "error",
  });
  return gzipped(outputFiles[0].contents);
}
