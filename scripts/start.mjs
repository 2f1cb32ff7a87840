// `npm start`: build the package, then serve the demo page, and with it the agent server that it talks to
// (www/server, at /agent).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Complaint, isMain, main, root, run } from "./process.mjs";
import { setup } from "./setup.mjs";

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup();
    const { build } = await import("./build.mjs");
    await build();
    if (!existsSync(join(root, "www", "package.json"))) throw new Complaint("There is no www/ yet: no page to serve.");
    console.log("▸ serving the page and its agent; stop with Ctrl+C");
    await run("npm", ["run", "dev", "--workspace", "www", "--", ...process.argv.slice(2)]);
  });
}
