// `npm run watch`: builds the package whenever its sources change, then runs the tests of what changed.
// Names of test files, or parts of them, choose others: `npm run watch -- thread/pending`.
import { watch as observe } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { Complaint, isMain, main, root, watch } from "./process.mjs";

const SOURCES = ["src", "bindings/src", "derive/src", "pkg-template/src"];

/** The tests, by the sources that they are closest to. */
const RELATED = [
  [/^pkg-template\/src\/(entries\/)?ag-ui/, ["ag-ui/"]],
  [/^pkg-template\/src\/(entries\/)?langgraph/, ["langgraph/"]],
  [/^pkg-template\/src\/(entries\/)?react/, ["react/"]],
  [/^src\/schema|^pkg-template\/src\/schema/, ["thread/schema", "laws/", "types/schema"]],
  [/./, ["conformance/", "thread/", "langgraph/fold-run", "ag-ui/streams"]],
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

async function buildAndTest(files) {
  try {
    await build();
  } catch (error) {
    console.error(error instanceof Complaint ? `✗ ${error.message}` : error);
    return;
  }
  const program = join("node_modules", "vitest", "vitest.mjs");
  await watch(process.execPath, [program, "run", "--root", "js-tests", "--project", "node", ...files], { keep: false });
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const wanted = process.argv.slice(2);
    const changed = new Set();
    for (const folder of SOURCES) {
      observe(join(root, folder), { recursive: true }, (_, file) => {
        if (file) changed.add(`${folder}/${file.replaceAll("\\", "/")}`);
      });
    }
    await build();
    for (;;) {
      console.log(`▸ watching ${SOURCES.join(", ")}; stop with Ctrl+C`);
      const paths = await nextChange(changed);
      console.log(`\n▸ changed: ${paths.join(", ")}`);
      await buildAndTest(wanted.length > 0 ? wanted : related(paths));
    }
  });
}
