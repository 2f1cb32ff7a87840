// `npm start`: build the package, then serve the demo page, and with it the agent server that it talks to
// (www/server, at /agent).
import { isMain, main, run } from "./process.mjs";
import { build } from "./build.mjs";
import { npm } from "./node-modules.mjs";

if (isMain(import.meta.url)) {
  await main(async () => {
    await build();
    console.log("▸ serving the page and its agent; stop with Ctrl+C");
    await run(npm, ["run", "dev", "--workspace", "www", "--", ...process.argv.slice(2)]);
  });
}
