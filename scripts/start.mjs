// `npm start`: build the package, then serve the demo page, and with it the agent server that it talks to
// (www/server, at /agent). The docs are at /docs/ as soon as they are built.
import { all, isMain, main, run } from "./process.mjs";
import { build } from "./build.mjs";
import { npm } from "./node-modules.mjs";

if (isMain(import.meta.url)) {
  await main(async () => {
    await build(["docs", "www"]);
    console.log("▸ serving the page and its agent; stop with Ctrl+C");
    await all([
      run(npm, ["run", "dev", "--workspace", "www", "--", ...process.argv.slice(2)]),
      run(npm, ["run", "--silent", "docs"]),
    ]);
  });
}
