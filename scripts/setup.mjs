// Everything a fresh clone needs: `npm run setup`; the other commands call it by themselves.
import { ensureBrowser } from "./browser.mjs";
import { ensureNodeModules, requireNode } from "./node-modules.mjs";
import { isMain, main } from "./process.mjs";
import { ensureRust } from "./rust.mjs";

/** Quick checks of what must be there before anything is compiled or installed. */
export async function requireTools() {
  requireNode();
  await ensureRust();
}

export async function setup() {
  await requireTools();
  await ensureNodeModules();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup();
    await ensureBrowser();
  });
}
