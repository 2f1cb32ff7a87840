// Everything a fresh clone needs: `npm run setup`; the other commands call it by themselves.
import { ensureBrowser } from "./browser.mjs";
import { ensureNodeModules, requireNode } from "./node-modules.mjs";
import { isMain, main } from "./process.mjs";
import { ensureRust } from "./rust.mjs";

export async function setup({ browser = false } = {}) {
  requireNode();
  await ensureNodeModules();
  await ensureRust();
  if (browser) await ensureBrowser();
}

if (isMain(import.meta.url)) await main(() => setup({ browser: true }));
