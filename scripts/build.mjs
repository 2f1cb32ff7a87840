// `npm run build`: the crate and the TypeScript become the npm package in pkg/.
import { main, isMain } from "./process.mjs";
import { linkPackage } from "./node-modules.mjs";
import { step } from "./progress.mjs";
import { setup } from "./setup.mjs";

export async function build() {
  // Imported only now: these need node_modules.
  const [{ compileCore }, { writeGlue }, { optimise }, { bundle }, { declareTypes }, { assemble }] = await Promise.all([
    import("./build/core.mjs"),
    import("./build/glue.mjs"),
    import("./build/optimise.mjs"),
    import("./build/bundle.mjs"),
    import("./build/types.mjs"),
    import("./build/assemble.mjs"),
  ]);
  const crate = await step("cargo build (release, wasm)", compileCore);
  const bound = await step("wasm-bindgen", () => writeGlue(crate));
  const wasm = await step("wasm-opt", () => optimise(bound));
  const bundles = await step("esbuild", () => bundle(wasm));
  const types = await step("tsc (declarations)", declareTypes);
  await step("pkg/", () => assemble({ wasm, bundles, types }));
  linkPackage();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup();
    await build();
  });
}
