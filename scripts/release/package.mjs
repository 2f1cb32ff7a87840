// The npm package of a release.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, Complaint, root, run, watch } from "../process.mjs";
import { target } from "../rust.mjs";
import { pinnedPeers } from "../lint/peers.mjs";

const pkg = join(root, "pkg");
const CREATE = join(root, "pkg-template", "create");

/** The most KiB that a download of the package may have; docs/packaging.md says what is in it. */
const MOST = 1400;

/** Packs pkg/ and returns the tarball's path and files. */
export async function pack() {
  const folder = join(target, "release");
  mkdirSync(folder, { recursive: true });
  const { code, output } = await watch("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", folder], {
    cwd: pkg,
    show: false,
  });
  if (code !== 0) throw new Complaint(output);
  // npm 10 prints a list, npm 11 an object keyed by name.
  const [{ filename, files }] = Object.values(JSON.parse(output));
  return { path: join(folder, filename), files: files.map(({ path }) => path) };
}

/** Checks that each file that package.json names is packed, and nothing that weighs without a use. */
export function checkTarball({ path, files }) {
  const { exports, bin } = manifest();
  const named = [...JSON.stringify([exports, bin]).matchAll(/"(?:\.\/)?([\w/.-]+\.\w+)"/g)].map(([, file]) => file);
  for (const file of [...named, "README.md", "LICENSE", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt"])
    if (!files.includes(file)) throw new Complaint(`The tarball lacks ${file}.`);
  const stray = files.find((file) => /\.(?:map|log|tgz|tsbuildinfo)$|node_modules|(^|\/)\.env/.test(file));
  if (stray) throw new Complaint(`The tarball has ${stray}: leave it out by \`files\` in pkg-template/package.json.`);
  const size = Math.ceil(statSync(path).size / 1024);
  if (size > MOST) throw new Complaint(`The tarball has ${size} KiB; ${MOST} are allowed.`);
  console.log(`  ${size} KiB, ${files.length} files`);
}

const manifest = () => JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));

/** Installs the tarball with its peers in a folder outside of the tree, and uses each entry of it, in both formats. */
export async function checkInstalled({ path }) {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-release-"));
  try {
    const dependencies = { ...pinnedPeers(), threadfold: `file:${path}` };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], { cwd: folder });
    const entries = Object.keys(manifest().exports).filter((entry) => !/\.(?:wasm|json)$/.test(entry));
    writeFileSync(join(folder, "use.mjs"), use(entries.map((entry) => `threadfold${entry.slice(1)}`)));
    await run(process.execPath, ["use.mjs"], { cwd: folder });
    const { code, output } = await watch("npx", ["--no-install", "threadfold", "--help"], { cwd: folder, show: false });
    if (code !== 0 || !output.includes("threadfold")) throw new Complaint(`npx threadfold --help:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a program that imports and requires the entries, and folds a message by each copy of the core. */
const use = (entries) => `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
for (const entry of ${JSON.stringify(entries)}) {
  const [imported, required] = [await import(entry), require(entry)].map((module) =>
    Object.keys(module).filter((name) => name !== "default" && name !== "module.exports" && name !== "__esModule").sort().join(" "),
  );
  if (imported === "" || imported !== required)
    throw new Error(entry + ": import has [" + imported + "], require has [" + required + "].");
}
for (const { addMessages } of [await import("threadfold"), require("threadfold")]) {
  const list = addMessages([], [{ role: "user", content: "Hello" }]);
  if (list.length !== 1 || list[0].content !== "Hello") throw new Error(JSON.stringify(list));
}
console.log("  ${entries.length} entries, imported and required");
`;

/** The manifest of create-threadfold, for `npm create threadfold`: `npx threadfold init` as a package. */
export const createManifest = () => JSON.parse(readFileSync(join(CREATE, "package.json"), "utf8"));

/** Copies create-threadfold with its address, which provenance compares, and packs the copy. */
export async function packCreate() {
  const folder = join(target, "release", "create");
  rmSync(folder, { recursive: true, force: true });
  cpSync(CREATE, folder, { recursive: true });
  const { repository, homepage, bugs } = manifest();
  const complete = { ...createManifest(), repository, homepage, bugs };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(complete, undefined, 2)}\n`);
  await run("npm", ["pack", "--dry-run", "--loglevel=error"], { cwd: folder });
  return folder;
}

/** Publishes what was tried, unless npm has the version: an upload that broke off can be done again. */
export async function publishPackages(tarball, create) {
  for (const [{ name, version }, what] of [
    [manifest(), tarball.path],
    [createManifest(), create],
  ])
    if (!ask("npm", ["view", `${name}@${version}`, "version"]))
      await run("npm", ["publish", what, "--provenance", "--access", "public"]);
}
