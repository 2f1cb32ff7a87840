// `npm run build`: the crate and the TypeScript become the npm package in pkg/.
import { compileAgent, compileCore } from "./build/core.mjs";
import { all, main, isMain } from "./process.mjs";
import { ensureNodeModules, linkPackage } from "./node-modules.mjs";
import { step } from "./progress.mjs";
import { compileXtask } from "./rust.mjs";
import { requireTools } from "./setup.mjs";

/**
 * Installs missing dependencies, for all workspaces or for some, and builds pkg/. Cargo needs nothing of npm's, so the
 * two work side by side. `installed` is a promise of a node_modules installed elsewhere.
 */
export async function build(workspaces, installed = undefined) {
  await requireTools();
  const tools = all([
    step("cargo build (xtask: wasm-bindgen)", compileXtask),
    installed ?? ensureNodeModules(workspaces),
  ]).then(withModules);
  const core = step("cargo build (release, wasm)", compileCore);
  const agent = core.then(() => step("cargo build (release, the agent's wasm)", compileAgent));
  // The core is the larger: wasm-opt makes a start with it while the agent half is being compiled.
  const coreBound = all([tools, core]).then(([{ emptyGenerated, writeCore }, wasm]) => {
    emptyGenerated();
    return step("wasm-bindgen", () => writeCore(wasm));
  });
  const agentBound = all([tools, agent, coreBound]).then(([{ writeAgent }, wasm]) =>
    step("wasm-bindgen, the agent's wasm", () => writeAgent(wasm)),
  );
  const [{ bundle, holdsWasm, writeTexts, notices, assemble }, coreWasm, agentWasm, types, others] = await all([
    tools,
    all([tools, coreBound]).then(([{ optimiseCore }, bound]) => step("wasm-opt", () => optimiseCore(bound))),
    all([tools, agentBound]).then(([{ optimiseAgent }, bound]) =>
      step("wasm-opt, the agent's wasm", () => optimiseAgent(bound)),
    ),
    all([tools, agentBound]).then(([{ declareTypes }]) => step("tsc (declarations)", declareTypes)),
    all([tools, coreBound]).then(([{ bundle, holdsWasm }]) =>
      step("esbuild, all but the wasms", () => bundle((file) => !holdsWasm(file))),
    ),
  ]);
  const wasms = { core: coreWasm, agent: agentWasm };
  writeTexts(wasms);
  const holders = await step("esbuild, the wasms", () => bundle(holdsWasm));
  const bundles = { ...others.files, ...holders.files };
  const modules = [...others.modules, ...holders.modules];
  await step("pkg/", () => assemble({ wasms, bundles, types, notices: notices(modules) }));
  linkPackage();
}

/** The steps that need node_modules: imported only once they are there. */
async function withModules() {
  const names = ["glue", "optimise", "bundle", "types", "notices", "assemble"];
  return Object.assign({}, ...(await Promise.all(names.map((name) => import(`./build/${name}.mjs`)))));
}

if (isMain(import.meta.url)) await main(() => build());
