// What the tests of this folder need besides: better-sqlite3, which is compiled where no build of it can be downloaded. So
// it is no workspace, and `npm test` does without it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Complaint, watch } from "../../../scripts/process.mjs";

const folder = import.meta.dirname;

/** Installs it, unless it is there. Its peers are those of the tests. */
export async function ensureDatabases() {
  if (existsSync(join(folder, "node_modules", ".package-lock.json"))) return;
  const { code, output } = await watch("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, show: false });
  if (code !== 0) throw new Complaint(`The savers for databases could not be installed:\n${output}`);
}
