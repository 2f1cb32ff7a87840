// The JavaScript that wasm-bindgen writes around the wasm.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "../process.mjs";
import { wasmBindgen } from "../rust.mjs";

export const generated = join(root, "pkg-template", "generated");
const name = "threadfold_core";

/** Writes glue, its types and snippets to pkg-template/generated/; returns the path of the bound .wasm. */
export async function writeGlue(wasm) {
  rmSync(generated, { recursive: true, force: true });
  // Without a default path to the wasm there is no `import.meta.url`, which bundlers would follow and CJS has not.
  await run(wasmBindgen, [
    "--target", "web", "--omit-default-module-path", "--out-dir", generated, "--out-name", name, wasm,
  ]);
  return join(generated, `${name}_bg.wasm`);
}
