// The crate in another program's wasm: nothing of the npm package is in it.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bind, target as cargoTarget, WASM } from "../../../scripts/rust.mjs";

const exec = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const project = join(root, "js-tests", "hosts", "rust", "outside");
const target = join(cargoTarget, "outside");

/** Compiles the program, with the versions that this repository is tested with. */
async function compile(feature: string, rustflags = ""): Promise<string> {
  copyFileSync(join(root, "Cargo.lock"), join(project, "Cargo.lock"));
  const options = ["build", "--release", "--target", WASM, "--target-dir", target, "--features", feature];
  await exec("cargo", options, { cwd: project, env: { ...process.env, RUSTFLAGS: rustflags } });
  return join(target, WASM, "release", "outside.wasm");
}

/** The program's own exports, and the memory that every program has. */
const OWN = ["allocations", "fold", "memory"];

async function look(path: string) {
  const module = await WebAssembly.compile(readFileSync(path));
  const names = (described: { name: string }[]) => described.map(({ name }) => name).sort();
  const linked = new Set(["__data_end", "__heap_base"]);
  const exports = names(WebAssembly.Module.exports(module)).filter((name) => !linked.has(name));
  return { module, exports, imports: names(WebAssembly.Module.imports(module)) };
}

test("a program without JavaScript has its own exports alone, imports nothing, and uses its own allocator", async () => {
  const { module, exports, imports } = await look(await compile("bare", `--cfg getrandom_backend="custom"`));
  expect(exports).toEqual(["__getrandom_v03_custom", ...OWN]);
  expect(imports).toEqual([]);
  const { fold, allocations } = (await WebAssembly.instantiate(module)).exports as unknown as {
    fold(): number;
    allocations(): number;
  };
  expect(fold()).toBe(2);
  expect(allocations()).toBeGreaterThan(0);
}, 300_000);

test("a program for a page has its own exports and those of wasm-bindgen's own", async () => {
  const raw = await compile("js");
  // wasm-bindgen's tool takes its descriptions out, as for every page.
  const out = mkdtempSync(join(target, "bound-"));
  await bind("package", raw, out, "outside");
  const { exports, imports } = await look(join(out, "outside_bg.wasm"));
  const runtime = /^__(wbindgen|externref|abort_handler$|instance_terminated$)/;
  expect(exports.filter((name) => !runtime.test(name))).toEqual(OWN);
  // Ids are random; nothing else of JavaScript's is asked for.
  expect(imports.filter((name) => !name.startsWith("__wbindgen_"))).toEqual([
    expect.stringMatching(/^__wbg_getRandomValues_/),
  ]);
}, 300_000);
