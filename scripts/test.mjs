// `npm test` runs every test that needs no more than the package. The boundary's compile the core once more, those of a
// page's own state a team's wasm. The consumers install; real servers need Python.
// `node scripts/test.mjs rust node …` runs the groups you name; `npm run test:quick` the tests that say most in seconds.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ensureBrowser, requireBrowser } from "./browser.mjs";
import { build } from "./build.mjs";
import { ensureNodeModules, ensurePeers } from "./node-modules.mjs";
import { all, Complaint, isMain, main, root, watch } from "./process.mjs";
import { requireTools } from "./setup.mjs";
import { fromCargo, fromVitest, Tally } from "./tally.mjs";
import { IN_NODE, vitestIn } from "./vitest.mjs";
import { bind, OPTIMISED, SIDE_BY_SIDE, target, WASM } from "./rust.mjs";

const GROUPS = [
  "rust",
  "wasm",
  "page",
  "build",
  "node",
  "browser",
  "demo",
  "consumers",
  "servers",
  "databases",
  "quick",
  "growth",
];
const DEFAULT = ["rust", "build", "node", "browser"];
const NEEDS_BROWSER = ["wasm", "page", "browser", "demo", "consumers", "servers", "databases"];
const NEEDS_BUILD = ["node", "growth", "page", "browser", "demo", "consumers", "servers", "databases", "quick"];

/** The files of vitest's project `node` that are fast and fail first when something is wrong. */
const QUICK = [
  "peers/conformance/",
  "unit/thread/contract-cases",
  "unit/thread/pending",
  "unit/langgraph/fold-langgraph",
  "unit/ag-ui/streams",
  "unit/react/",
  "unit/runner/runner.test",
  "unit/graph/rules",
  "unit/agent/hooks",
];

/** In CI, all that there is to try. */
const THOROUGH = process.env.THREADFOLD_THOROUGH === "1";

/** The groups, and projects of vitest, whose tests wait for pages more than they compute. */
const WITH_PAGES = ["browser", "demo"];

/** The package in a browser, and the demo's chat. The rest of the demo takes a minute more, and waits for CI. */
const IN_BROWSER = ["hosts/browser/", "hosts/demo/shortest-chat"];

/** Files of tests in Node that take the processor for seconds: audits, bundles, records, lifetimes. They wait for CI, too. */
const IN_CI = [
  "unit/cli/{audit,init}.test.ts",
  "unit/graph/recorded/record.test.ts",
  "unit/langgraph/entries.test.ts",
  "properties/growth/half-a-gigabyte.test.ts",
  "unit/serve/checkpoint-walk.test.ts",
  "unit/checkpoint/interop.test.ts",
  "unit/tabs/shared-tabs.test.ts",
  "unit/types/**",
  "**/garbage.test.ts",
  "properties/memory/**",
];

/** Cargo's environment. */
const RUST = { ...SIDE_BY_SIDE, ...(THOROUGH && OPTIMISED) };

const BOUNDARY = ["-p", "threadfold-core-wasm", "--lib"];

/** Runs `cargo test`, and prints its output at the end: other tests may be printing meanwhile. */
async function cargoTest(...args) {
  const { code, output } = await watch("cargo", ["test", "--no-fail-fast", ...args], {
    env: RUST,
    show: false,
  });
  process.stdout.write(output);
  return { ...fromCargo(output), ok: code === 0 };
}

const LAWS = ["-p", "threadfold-page", "--test", "laws"];

/** How many words the laws of a state on both sides walk. */
const WORDS = process.env.THREADFOLD_RUNS ?? (THOROUGH ? "100000" : "2000");

/** Compiles tests in wasm, and binds them into a folder from which they can run. */
async function testsInWasm(chosen) {
  const args = ["test", "--no-run", "--message-format=json-render-diagnostics", "--target", WASM, ...chosen];
  const compiled = await watch("cargo", args, { env: RUST, show: false });
  if (compiled.code !== 0) throw new Complaint(compiled.output);
  const wasm = /"executable":("[^"]*\.wasm")/.exec(compiled.output)?.[1];
  if (!wasm) throw new Complaint("cargo did not say where it put the wasm of the tests.");
  const folder = mkdtempSync(join(target, "in-wasm-"));
  await bind("tests", JSON.parse(wasm), folder, "tests");
  return folder;
}

async function boundaryIn(host, folder, ...more) {
  const args = [join("js-tests", "hosts", "boundary", `in-${host}.mjs`), folder, ...more];
  const { code, output } = await watch(process.execPath, host === "node" ? ["--expose-gc", ...args] : args);
  return { ...fromCargo(output), ok: code === 0, digest: digestIn(output) };
}

/** Returns what the laws print of all words. */
const digestIn = (output) => /digest of \d+ words: \w+/.exec(output)?.[0];

/** Runs the laws of a state on both sides natively, in Node and in Chromium: all three print the same. */
async function laws(tally) {
  let folder;
  let native;
  const compiled = await tally.step("the laws of a page's state, natively", async () => {
    const env = { ...RUST, ...(THOROUGH && OPTIMISED), THREADFOLD_RUNS: WORDS };
    const { code, output } = await watch("cargo", ["test", ...LAWS, "--", "--nocapture"], { env, show: false });
    process.stdout.write(output);
    native = digestIn(output);
    folder = await testsInWasm(LAWS);
    return { ...fromCargo(output), ok: code === 0 && native !== undefined };
  });
  if (!compiled) return;
  for (const host of ["node", "chromium"]) {
    await tally.step(`the laws of a page's state in ${host}`, async () => {
      const setup = join(root, "js-tests", "hosts", "page", "laws.mjs");
      const { digest, ...result } = await boundaryIn(host, folder, setup, WORDS);
      if (digest !== native) console.log(`failed: natively "${native}", in ${host} "${digest}"`);
      return { ...result, ok: result.ok && digest === native };
    });
  }
  rmSync(folder, { recursive: true, force: true });
}

async function vitest(projects, files = [], leftOut = []) {
  const results = join(target, "vitest", `${projects[0].replace("*", "")}.json`);
  rmSync(results, { force: true });
  mkdirSync(join(target, "vitest"), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  // By itself, vitest leaves one core free: of two, one. Tests that wait for pages leave it to others.
  const waits = projects.some((project) => WITH_PAGES.includes(project)) ? 1 : 0;
  const workers = `--maxWorkers=${Math.max(2, availableParallelism() - 1) + waits}`;
  const args = vitestIn(projects, workers, ...reporters, ...files);
  const env = { THREADFOLD_LEFT_OUT: leftOut.join(" ") };
  const { code } = await watch(process.execPath, args, { keep: false, env });
  return { ...fromVitest(results), ok: code === 0 };
}

export async function test(groups, tally) {
  await requireTools();
  const measuresGrowth = groups.includes("growth") || (THOROUGH && groups.includes("node"));
  const needs = (those) => groups.some((group) => those.includes(group));
  const chosen = (those) => groups.filter((group) => those.includes(group));
  if (needs(NEEDS_BUILD) && !groups.includes("build") && !existsSync(join(root, "pkg")))
    throw new Complaint("There is no pkg/ to test: run `npm run build` first.");
  if (needs(NEEDS_BROWSER)) requireBrowser();
  // Last, and alone.
  groups = groups.filter((group) => group !== "growth");

  let built = true;
  const modules = ensureNodeModules();
  const steps = {
    rust: () =>
      tally.step("cargo test (native, with doc-tests)", () => cargoTest("-p", "threadfold", "-p", "threadfold-derive")),
    wasm: async () => {
      let folder;
      const compiled = await tally.step("the tests in wasm, compiled", async () => {
        folder = await testsInWasm(BOUNDARY);
        return { passed: 0, failed: 0 };
      });
      if (!compiled) return;
      await tally.step("the boundary in Node", () => boundaryIn("node", folder));
      await tally.step("the boundary in Chromium", () => boundaryIn("chromium", folder));
      rmSync(folder, { recursive: true, force: true });
    },
    page: async () => {
      await laws(tally);
      await tally.step("a state of one's own in the page", () => vitest(["page"]));
    },
    build: async () => {
      built = await tally.step("npm run build", () => build(undefined, modules));
    },
    // The older versions of @ag-ui/client and React are projects of their own.
    node: async () => {
      if (THOROUGH) await ensurePeers("js-tests/peers/react-18");
      await tally.step("vitest in Node", () => vitest(THOROUGH ? ["node*"] : IN_NODE, [], THOROUGH ? [] : IN_CI));
    },
    browser: () => tally.step("vitest with Chromium", () => vitest(WITH_PAGES, THOROUGH ? [] : IN_BROWSER)),
    demo: () => tally.step("the demo in Chromium", () => vitest(["demo"])),
    consumers: () => tally.step("consumers", () => vitest(["consumers"])),
    servers: () =>
      tally.step("real servers", async () => {
        await (await import("../js-tests/hosts/servers/environment.mjs")).ensureEnvironment();
        return vitest(["servers"]);
      }),
    databases: () =>
      tally.step("databases", async () => {
        await (await import("../js-tests/hosts/databases/environment.mjs")).ensureDatabases();
        return vitest(["databases"]);
      }),
    quick: async () => {
      await tally.step("cargo test --lib", () => cargoTest("--lib"));
      await tally.step("vitest, the main files", () => vitest(IN_NODE, QUICK));
    },
  };
  const isRust = (group) => group === "rust" || group === "wasm";
  const inTurn = async (groups) => {
    for (const group of groups) {
      if (!built && NEEDS_BUILD.includes(group)) tally.skip(group);
      else await steps[group]();
    }
  };

  // Cargo compiles and tests the crate while npm installs, the package is built and vitest tests it. But two cargos would
  // wait for each other's target/debug.
  const ready = all([modules, needs(NEEDS_BROWSER) ? ensureBrowser() : undefined]);
  // A failure is reported where this is awaited, which may be minutes later.
  ready.catch(() => {});
  const javascript = async () => {
    // Cargo's part of the build waits for nothing.
    await inTurn(chosen(["build"]));
    await ready;
    // A page is waited for more than it computes: other tests have the cores meanwhile.
    await all([
      inTurn(chosen(WITH_PAGES)),
      inTurn(groups.filter((group) => !isRust(group) && group !== "build" && !WITH_PAGES.includes(group))),
    ]);
  };
  await all([
    inTurn(chosen(["rust"]))
      .then(() => ready)
      .then(() => inTurn(chosen(["wasm"]))),
    javascript(),
  ]);
  // Other tests would use the caches of the CPU that it measures.
  if (measuresGrowth && built) await tally.step("growth, with nothing beside it", () => vitest(["growth"]));
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const groups = process.argv.slice(2);
    const unknown = groups.find((group) => !GROUPS.includes(group));
    if (unknown) throw new Complaint(`There is no group of tests called ${unknown}; there are ${GROUPS.join(", ")}.`);
    const tally = new Tally();
    await test(groups.length > 0 ? groups : DEFAULT, tally);
    tally.report();
  });
}
