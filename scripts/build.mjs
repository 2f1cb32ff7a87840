// `npm run build`: the crate and the TypeScript become the npm package in pkg/.
import { compileCrates } from "./build/core.mjs";
import { all, main, isMain } from "./process.mjs";
import { ensureNodeModules, linkPackage } from "./node-modules.mjs";
import { step } from "./progress.mjs";
import { compileXtask } from "./rust.mjs";
import { requireTools } from "./setup.mjs";

/**
 * Installs what is missing, for all workspaces or for some, and builds pkg/. Cargo needs nothing of npm's, so the two work
 * side by side. `installed` is a promise of node_modules that somebody else installs.
 */
export async function build(workspaces, installed = undefined) {
  await requireTools();
  const [crates] = await all([
    step("cargo build (release, wasm)", compileCrates),
    step("cargo build (xtask: wasm-bindgen)", compileXtask),
    installed ?? ensureNodeModules(workspaces),
  ]);
  // Imported only now: these need node_modules.
  const [{ writeGlue }, { optimise }, { bundle }, { declareTypes }, { notices }, { assemble }] = await Promise.all([
    import("./build/glue.mjs"),
    import("./build/optimise.mjs"),
    import("./build/bundle.mjs"),
    import("./build/types.mjs"),
    import("./build/notices.mjs"),
    import("./build/assemble.mjs"),
  ]);
  const bound = await step("wasm-bindgen", () => writeGlue(crates));
  const [wasms, types] = await all([step("wasm-opt", () => optimise(bound)), step("tsc (declarations)", declareTypes)]);
  const { files: bundles, modules } = await step("esbuild", () => bundle(wasms));
  await step("pkg/", () => assemble({ wasms, bundles, types, notices: notices(modules) }));
  linkPackage();
}

if (isMain(import.meta.url)) await main(() => build());
