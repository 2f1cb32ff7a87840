// The crate and its bindings, compiled to wasm: once for the core, once for the agent half.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ask, root, run } from "../process.mjs";
import { SIDE_BY_SIDE, target, WASM } from "../rust.mjs";

/** Returns the path of cargo's .wasm. Whether anything needs compiling is cargo's business. */
export const compileCore = () => compile("threadfold-core-wasm");

/** The same for the agent half. */
export const compileAgent = () => compile("threadfold-agent-wasm");

/** Cargo's environment for the wasm profile: code compiled with another has nothing in common with it. */
export function wasmEnvironment() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const library = join(ask("rustc", ["--print", "sysroot"]) ?? "", "lib", "rustlib", "src", "rust");
  return {
    ...SIDE_BY_SIDE,
    // Names of source files end up in the binary: let them be the same on every machine.
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: [
      [cargoHome, "cargo"],
      [resolve(root), "threadfold"],
      [library, "rust"],
    ]
      .map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
      // slots.js restores it after a call from which no frame of the core returned.
      .concat("-Clink-arg=--export=__stack_pointer")
      .join(" "),
  };
}

async function compile(crate) {
  await run("cargo", ["build", "--profile", "wasm", "-p", crate, "--target", WASM], { env: wasmEnvironment() });
  return join(target, WASM, "wasm", `${crate.replaceAll("-", "_")}.wasm`);
}
