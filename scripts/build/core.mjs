// The crate, compiled to wasm.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { root, run } from "../process.mjs";
import { target, WASM } from "../rust.mjs";

/** Returns the path of cargo's .wasm. Whether anything needs compiling is cargo's business. */
export async function compileCore() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  await run("cargo", ["build", "--profile", "wasm", "--lib", "--target", WASM], {
    env: {
      // Names of source files end up in the binary: let them be the same on every machine.
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS:
        `--remap-path-prefix=${cargoHome}=cargo --remap-path-prefix=${resolve(root)}=threadfold`,
    },
  });
  return join(target, WASM, "wasm", "threadfold.wasm");
}
