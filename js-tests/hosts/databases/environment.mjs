// Sets up better-sqlite3, the clients of Redis, and miniflare with workerd, for the tests of this folder: compiled where no
// build can be downloaded. So the folder is not a workspace, and `npm test` skips it. Compiles the Rust program that
// continues the threads, too.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Complaint, run, watch } from "../../../scripts/process.mjs";

const folder = import.meta.dirname;

const HANDOVER = ["-p", "threadfold-checkpoint", "--example", "handover", "--all-features"];

/** Installs it, unless it is there. Its peers are those of the tests. */
export async function ensureDatabases() {
  await run("cargo", ["build", "--quiet", ...HANDOVER]);
  const needed = [".package-lock.json", join("redis", "package.json"), join("miniflare", "package.json")];
  if (needed.every((path) => existsSync(join(folder, "node_modules", path)))) return;
  const { code, output } = await watch("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, show: false });
  if (code !== 0) throw new Complaint(`The savers for databases could not be installed:\n${output}`);
}
