// `npm run watch` builds the package whenever its sources change, then runs the tests closest to the changed files. To
// run others, name test files, or parts of their names: `npm run watch -- thread/pending`.
import { watch as observe } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { requireNode } from "./node-modules.mjs";
import { Complaint, isMain, main, root, watch } from "./process.mjs";
import { IN_NODE, vitestIn } from "./vitest.mjs";

const SOURCES = ["src", "crates/core-wasm/src", "crates/agent-wasm/src", "crates/derive/src", "pkg-template/src"];

/** Which sources are covered best by which tests. The first pattern that matches counts. */
const RELATED = [
  [/^pkg-template\/src\/(entries\/)?ag-ui/, ["ag-ui/"]],
  [/^pkg-template\/src\/(entries\/)?langgraph/, ["langgraph/"]],
  [/^pkg-template\/src\/(entries\/)?react/, ["react/"]],
  [/^pkg-template\/src\/runner/, ["runner/"]],
  [/^pkg-template\/src\/(entries\/)?persist/, ["persist/"]],
  [/^pkg-template\/src\/(entries\/)?serve/, ["serve/"]],
  [/^src\/graph|^pkg-template\/src\/(entries\/)?(graph|checkpoint)/, ["graph/", "checkpoint/"]],
  [/^src\/agent|^crates\/agent-wasm|^pkg-template\/src\/(entries\/)?agent/, ["agent/"]],
  [/^src\/context|^pkg-template\/src\/(entries\/)?context/, ["context/"]],
  [/^src\/schema|^pkg-template\/src\/schema/, ["thread/schema", "laws/", "types/schema"]],
  [
    /./,
    [
      "conformance/",
      "thread/contract-cases",
      "thread/pending",
      "thread/runs",
      "langgraph/fold-langgraph",
      "ag-ui/streams",
    ],
  ],
];

const related = (paths) => [...new Set(paths.flatMap((path) => RELATED.find(([pattern]) => pattern.test(path))[1]))];

/** Resolves to the paths that have changed, a moment after the first: editors write several files at once. */
function nextChange(changed) {
  return new Promise((resolve) => {
    const poll = setInterval(() => {
      if (changed.size === 0) return;
      clearInterval(poll);
      setTimeout(() => {
        resolve([...changed]);
        changed.clear();
      }, 100);
    }, 100);
  });
}

/** Builds; returns whether that worked. An error is printed, and the next change may fix it. */
async function tryToBuild() {
  try {
    await build();
    return true;
  } catch (error) {
    console.error(error instanceof Complaint ? `✗ ${error.message}` : error);
    return false;
  }
}

async function test(files) {
  await watch(process.execPath, vitestIn(IN_NODE, ...files), { keep: false });
}

if (isMain(import.meta.url)) {
  await main(async () => {
    requireNode();
    const wanted = process.argv.slice(2);
    const changed = new Set();
    for (const folder of SOURCES) {
      observe(join(root, folder), { recursive: true }, (_, file) => {
        if (file) changed.add(`${folder}/${file.replaceAll("\\", "/")}`);
      });
    }
    await tryToBuild();
    for (;;) {
      console.log(`▸ watching ${SOURCES.join(", ")}; stop with Ctrl+C`);
      const paths = await nextChange(changed);
      console.log(`\n▸ changed: ${paths.join(", ")}`);
      if (await tryToBuild()) await test(wanted.length > 0 ? wanted : related(paths));
    }
  });
}
