// `npm run watch` builds the package whenever its sources or tests change, then runs the tests closest to the changed
// files. To run others, name test files, or parts of their names: `npm run watch -- thread/pending`.
import { readdirSync, watch as observe } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { requireNode } from "./node-modules.mjs";
import { Complaint, isMain, main, root, watch } from "./process.mjs";
import { IN_NODE, vitestIn } from "./vitest.mjs";

const SOURCES = [
  "src",
  "crates/core-wasm/src",
  "crates/agent-wasm/src",
  "crates/derive/src",
  "pkg-template/src",
  "js-tests/unit",
];

/** The rooms of pkg-template/src that have a folder of their own in js-tests/unit. */
const ROOMS = new Set(readdirSync(join(root, "js-tests", "unit")));

/** Which Rust sources are covered best by which of the package's tests. The first pattern that matches counts. */
const RELATED = [
  [/^src\/ag_ui/, ["ag-ui/"]],
  [/^src\/langgraph/, ["langgraph/"]],
  [/^src\/graph/, ["graph/", "checkpoint/"]],
  [/^src\/agent|^crates\/agent-wasm/, ["agent/"]],
  [/^src\/context/, ["context/"]],
  [/^src\/(schema|typed)/, ["thread/schema", "laws/", "types/schema"]],
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

function testsOf(path) {
  const [, test] = /^js-tests\/(unit\/[\w-]+\/(?:.*\.test\.ts$)?)/.exec(path) ?? [];
  if (test !== undefined) return [test];
  const [, room] = /^pkg-template\/src\/(?:entries\/)?([\w-]+)/.exec(path) ?? [];
  if (room !== undefined && ROOMS.has(room)) return [`unit/${room}/`];
  return RELATED.find(([pattern]) => pattern.test(path))[1];
}

const related = (paths) => [...new Set(paths.flatMap(testsOf))];

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
      const isBuilt = paths.every((path) => path.startsWith("js-tests/")) || (await tryToBuild());
      if (isBuilt) await test(wanted.length > 0 ? wanted : related(paths));
    }
  });
}
