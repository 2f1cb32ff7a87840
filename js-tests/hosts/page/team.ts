// Crates as a team has them, built by the tool that a team uses.
import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { target } from "../../../scripts/rust.mjs";

export const exec = promisify(execFile);
export const root = fileURLToPath(new URL("../../../", import.meta.url));
/** A folder for what these tests build; within the project, so that modules in it find `threadfold`. */
export const built = join(root, "target", "page");

/** Builds the crate in a folder; returns the folder with its module. */
export async function buildPage(
  crate: string,
  name: string,
  { lock = true, options = [] as string[] } = {},
): Promise<string> {
  await exec("cargo", ["build", "--quiet", "--profile", "xtask", "-p", "threadfold-page-cli"], { cwd: root });
  // The versions that this repository is tested with.
  if (lock) copyFileSync(join(root, "Cargo.lock"), join(crate, "Cargo.lock"));
  const out = join(built, name);
  const env = {
    ...process.env,
    CARGO_TARGET_DIR: join(target, "page-crates"),
    PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  };
  await exec(join(target, "xtask", "threadfold-page"), ["--out", out, ...options], { cwd: crate, env });
  return out;
}
