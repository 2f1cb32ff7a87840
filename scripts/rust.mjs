// The Rust half of the toolchain: cargo, the wasm target, and the project's own program for wasm-bindgen (crates/xtask).
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { step } from "./progress.mjs";
import { ask, Complaint, find, root, run } from "./process.mjs";

export const WASM = "wasm32-unknown-unknown";

/** Cargo's target directory, wherever CARGO_TARGET_DIR or cargo's configuration has put it. */
export const target = targetDirectory();

function targetDirectory() {
  const metadata = ask("cargo", ["metadata", "--no-deps", "--format-version", "1"]);
  // Without cargo nothing is built; `ensureRust` reports that.
  return metadata ? JSON.parse(metadata).target_directory : resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
}

/** The crate's version: the npm package has the same. */
export function crateVersion() {
  return /^version\s*=\s*"([^"]+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
}

/** Returns the address of the repository, which Cargo.toml has for the crates. */
export function repository() {
  return /^repository = "([^"]+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];
}

export async function ensureRust() {
  if (!find("cargo")) {
    throw new Complaint(
      "cargo is not on the PATH. Install Rust with rustup (https://rustup.rs), then open a new terminal.",
    );
  }
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

const XTASK = ["--profile", "xtask", "-p", "xtask"];

/**
 * Compiles xtask ahead of its first use, with half of the processors: while it compiles, the core does too, whose last
 * crate takes one of them longest.
 */
export const compileXtask = () =>
  run("cargo", ["build", "--jobs", String(Math.max(1, availableParallelism() >> 1)), ...XTASK], { env: SIDE_BY_SIDE });

/** Lets wasm-bindgen write a wasm's files into a folder: `kind` is "package" or "tests". */
export const bind = (kind, wasm, folder, name) =>
  run("cargo", ["run", "--quiet", ...XTASK, "--", kind, wasm, folder, name]);

/** Optimises tests that try so much that it pays to compile longer. */
export const OPTIMISED = { CARGO_PROFILE_DEV_OPT_LEVEL: "1" };

/** For cargo when another one may run: two progress bars would write over each other. */
export const SIDE_BY_SIDE = { CARGO_TERM_PROGRESS_WHEN: "never" };
