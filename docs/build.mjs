// `npm run docs`: the site of the README, of this folder's pages and of every public name, for the demo site, which serves
// it at /docs/. With `--check` nothing is written: a link that leads nowhere is an error.
import { join } from "node:path";
import { ensurePeers } from "../scripts/node-modules.mjs";
import { main, root, run } from "../scripts/process.mjs";
import { api } from "./site/api.mjs";
import { assemble, read, source } from "./site/assemble.mjs";

const site = join(root, "docs", "site");

await main(async () => {
  if (process.argv.includes("--check")) {
    read();
    return api();
  }
  await ensurePeers("docs/site");
  assemble();
  await api(join(source, "api"));
  return run(process.execPath, [join(site, "node_modules", "vitepress", "bin", "vitepress.js"), "build", site]);
});
