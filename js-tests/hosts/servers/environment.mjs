// The environments of the servers. Python's is target/servers-python, made from python/requirements.txt when that has
// changed; that of LangGraph's JavaScript server is javascript/node_modules.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePeers } from "../../../scripts/node-modules.mjs";
import { ask, Complaint, root, watch } from "../../../scripts/process.mjs";
import { step } from "../../../scripts/progress.mjs";

export const sources = fileURLToPath(new URL("python/", import.meta.url));
export const javascript = fileURLToPath(new URL("javascript", import.meta.url));
const folder = join(root, "target", "servers-python");
export const python = join(folder, "bin", "python");

const requirements = join(sources, "requirements.txt");
const stamp = join(folder, "made-from");

/** Makes both environments, unless they are there already. */
export async function ensureEnvironment() {
  await ensurePeers(relative(root, javascript));
  await ensurePython();
}

/** Makes Python's, unless it was made from the same requirements by the same Python. */
async function ensurePython() {
  const version = ask("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
  if (!version) {
    throw new Complaint(
      "There is no python3, which the real servers need: install Python 3.11 or newer. `npm test` does without.",
    );
  }
  if (Number(version.split(".")[1]) < 11) {
    throw new Complaint(
      `python3 is ${version}, and the real servers need Python 3.11 or newer. \`npm test\` does without.`,
    );
  }
  const made = `${version} ${createHash("sha256").update(readFileSync(requirements)).digest("hex")}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === made) return;

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await step("a Python environment in target/servers-python", async () => {
    const { status, stdout, stderr } = spawnSync("python3", ["-m", "venv", folder], { encoding: "utf8" });
    if (status !== 0) {
      throw new Complaint(
        `\`python3 -m venv\` failed; on Debian and Ubuntu it is the package python3-venv:\n${stdout}${stderr}`,
      );
    }
  });
  await step("the servers' Python packages (about a minute)", async () => {
    const install = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--no-input",
      "-r",
      requirements,
    ];
    const { code } = await watch(python, install);
    if (code !== 0)
      throw new Complaint("pip could not install js-tests/hosts/servers/python/requirements.txt: see above.");
  });
  writeFileSync(stamp, made);
}
