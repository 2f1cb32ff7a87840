// `npm test`: every test of the project but the consumers' and those on real servers, which need Python.
// `node scripts/test.mjs rust node …` runs some of them.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBrowser, webdriverEnvironment } from "./browser.mjs";
import { Complaint, isMain, main, root, watch } from "./process.mjs";
import { setup } from "./setup.mjs";
import { fromCargo, fromVitest, Tally } from "./tally.mjs";
import { target, WASM, wasmTestRunner } from "./rust.mjs";

const GROUPS = ["rust", "wasm", "build", "node", "browser", "consumers", "servers"];
const DEFAULT = ["rust", "wasm", "build", "node", "browser"];
const NEEDS_BROWSER = ["wasm", "browser", "consumers", "servers"];
const NEEDS_BUILD = ["node", "browser", "consumers", "servers"];

async function cargoTest(args, env = {}) {
  const { code, output } = await watch("cargo", ["test", "--no-fail-fast", ...args], { env });
  return { ...fromCargo(output), ok: code === 0 };
}

async function vitest(project) {
  const results = join(target, "vitest", `${project.replace("*", "")}.json`);
  rmSync(results, { force: true });
  mkdirSync(join(target, "vitest"), { recursive: true });
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const { code } = await watch(
    process.execPath,
    [
      program,
      "run",
      "--root",
      "js-tests",
      "--project",
      project,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${results}`,
    ],
    { keep: false },
  );
  return { ...fromVitest(results), ok: code === 0 };
}

export async function test(groups, tally) {
  await setup();
  const browser = groups.some((group) => NEEDS_BROWSER.includes(group)) ? await ensureBrowser() : undefined;
  const runner = { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: wasmTestRunner };

  const inWasm = ["--target", WASM, "--features", "bindings"];

  let built = true;
  const steps = {
    rust: () => tally.step("cargo test (native, with doc-tests)", () => cargoTest([])),
    wasm: async () => {
      await tally.step("wasm-bindgen tests in Node", () => cargoTest([...inWasm, "--test", "node"], runner));
      await tally.step("wasm-bindgen tests in Chromium", () =>
        cargoTest([...inWasm, "--test", "browser"], { ...runner, ...webdriverEnvironment(browser) }),
      );
    },
    build: async () => {
      built = await tally.step("npm run build", async () => (await import("./build.mjs")).build());
    },
    node: () => tally.step("vitest in Node", () => vitest("node*")),
    browser: () => tally.step("vitest with Chromium", () => vitest("browser")),
    consumers: () => tally.step("consumers", () => vitest("consumers")),
    servers: () =>
      tally.step("real servers", async () => {
        await (await import("../js-tests/servers/environment.mjs")).ensureEnvironment();
        return vitest("servers");
      }),
  };
  for (const group of groups) {
    if (!built && NEEDS_BUILD.includes(group)) tally.skip(group);
    else await steps[group]();
  }
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
