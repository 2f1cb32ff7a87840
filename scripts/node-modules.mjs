// Installs node_modules when it is missing or differs from the lock file, and links `threadfold` into it.
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { step } from "./progress.mjs";
import { Complaint, root, run } from "./process.mjs";

const lock = join(root, "package-lock.json");
const installed = join(root, "node_modules", ".package-lock.json");
export const npm = process.platform === "win32" ? "npm.cmd" : "npm";

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Complaint(`Node ${process.versions.node} is too old: install Node 20.19 or later.`);
  }
}

/** Installs the packages of all workspaces, or those of the root and `some` of them: a quarter of the time. */
export async function ensureNodeModules(some) {
  const reason = whyInstall(some);
  if (reason) {
    const command = existsSync(lock) && !existsSync(installed) ? "ci" : "install";
    const only = some ? ["--include-workspace-root", ...some.flatMap((workspace) => ["--workspace", workspace])] : [];
    // The lock file names no address, so npm asks for one a package: packages in its cache need not be asked for again.
    await step(`npm ${command} (${reason})`, () =>
      run(npm, [command, "--prefer-offline", "--no-audit", "--no-fund", ...only]),
    );
  }
  linkPackage();
}

/** Installs the packages of a folder outside the workspaces: they would displace the other tests' versions. */
export async function ensurePeers(folder) {
  const there = join(root, folder);
  const present = join(there, "node_modules", ".package-lock.json");
  const same =
    existsSync(present) &&
    Object.entries(packages(join(there, "package-lock.json"))).every(
      ([path, { version, optional }]) => !path || optional || packages(present)[path]?.version === version,
    );
  if (same) return;
  await step(`npm ci (${folder})`, () =>
    run(npm, ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: there }),
  );
}

/** Returns why node_modules must be installed, or undefined if it matches the lock file. */
function whyInstall(some) {
  if (!existsSync(lock)) return "there is no lock file";
  if (!existsSync(installed)) return "node_modules is missing";
  const wanted = packages(lock);
  const present = packages(installed);
  const needed = some && new Set(["", ...some].flatMap((path) => Object.keys(wanted[path]?.devDependencies ?? {})));
  for (const [path, { version, link, optional, devOptional, peer }] of Object.entries(wanted)) {
    if (!path.startsWith("node_modules/") || link || optional || devOptional || peer) continue;
    const name = path.slice("node_modules/".length);
    if (needed && !needed.has(name) && !present[path]) continue;
    if (!present[path]) return `${name} is not installed`;
    if (present[path].version !== version) return `${name} is not the locked ${version}`;
  }
  // A workspace whose package.json has dependencies that the lock file lacks.
  for (const [path, { dependencies, devDependencies }] of Object.entries(wanted)) {
    const own = join(root, path, "package.json");
    if (path.includes("node_modules/") || !existsSync(own)) continue;
    const now = JSON.parse(readFileSync(own, "utf8"));
    const same =
      JSON.stringify([sorted(now.dependencies), sorted(now.devDependencies)]) ===
      JSON.stringify([sorted(dependencies), sorted(devDependencies)]);
    if (!same) return `${path || "the root"}'s package.json changed`;
  }
  for (const workspace of JSON.parse(readFileSync(join(root, "package.json"), "utf8")).workspaces) {
    if (!wanted[workspace] && existsSync(join(root, workspace, "package.json"))) return `${workspace} is new`;
  }
  return undefined;
}

const packages = (path) => JSON.parse(readFileSync(path, "utf8")).packages ?? {};
const sorted = (ranges = {}) => Object.entries(ranges).sort();

/** Makes `import "threadfold"` in tests, benches and the page resolve to pkg/, as it does for a user. */
export function linkPackage() {
  const link = join(root, "node_modules", "threadfold");
  const destination = join("..", "pkg");
  const present = lstatSync(link, { throwIfNoEntry: false });
  if (present?.isSymbolicLink() && readlinkSync(link) === destination) return;
  rmSync(link, { recursive: true, force: true });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  symlinkSync(destination, link, "junction");
}
