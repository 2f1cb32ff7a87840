// The Rust half of the toolchain: cargo, the wasm target, and wasm-bindgen's programs.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { step } from "./progress.mjs";
import { ask, Complaint, find, root, run } from "./process.mjs";

export const WASM = "wasm32-unknown-unknown";
export const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");

const tools = join(root, "target", "tools");
const program = (name) => join(tools, "bin", process.platform === "win32" ? `${name}.exe` : name);
export const wasmBindgen = program("wasm-bindgen");
export const wasmTestRunner = program("wasm-bindgen-test-runner");

const manifest = (...folder) => readFileSync(join(root, ...folder, "Cargo.toml"), "utf8");

/** The crate's version: the npm package has the same. */
export function crateVersion() {
  return /^version\s*=\s*"([^"]+)"/m.exec(manifest())[1];
}

/** The exact wasm-bindgen that bindings/Cargo.toml pins; its programs must be of the same version. */
export function wasmBindgenVersion() {
  const pin = /^wasm-bindgen\s*=\s*(?:\{.*?version\s*=\s*)?"=([^"]+)"/m.exec(manifest("bindings"));
  if (!pin) throw new Complaint('bindings/Cargo.toml must pin wasm-bindgen to one exact version, like "=1.2.3".');
  return pin[1];
}

export async function ensureRust() {
  if (!find("cargo")) {
    throw new Complaint(
      "cargo is not on the PATH. Install Rust with rustup (https://rustup.rs), then open a new terminal.",
    );
  }
  await ensureTarget();
  await ensureWasmBindgen();
}

async function ensureTarget() {
  const installed = ask("rustup", ["target", "list", "--installed"])?.split(/\s+/);
  if (installed?.includes(WASM)) return;
  if (!installed) {
    // A Rust without rustup: fine if its owner added the target.
    const libraries = ask("rustc", ["--print", "target-libdir", "--target", WASM]);
    if (libraries && existsSync(libraries)) return;
    throw new Complaint(
      `rustup is not on the PATH and this Rust has no ${WASM} target. Install Rust with rustup (https://rustup.rs).`,
    );
  }
  await step(`rustup target add ${WASM}`, () => run("rustup", ["target", "add", WASM]));
}

async function ensureWasmBindgen() {
  const version = wasmBindgenVersion();
  if (existsSync(wasmTestRunner) && ask(wasmBindgen, ["--version"]) === `wasm-bindgen ${version}`) return;
  const install = (...more) =>
    run("cargo", ["install", ...more, "--force", "--root", tools, "wasm-bindgen-cli", "--version", `=${version}`]);
  await step(`cargo install wasm-bindgen-cli ${version} into target/tools (once, 3 to 5 minutes)`, async () => {
    try {
      await install("--locked");
    } catch {
      // Its lock file may name a release that this machine's registry does not offer (yet, or any more).
      console.log("  its own lock file cannot be used here: resolving its dependencies anew");
      await install();
    }
  });
}
