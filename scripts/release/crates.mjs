// The crates of a release.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ask, Complaint, run, watch } from "../process.mjs";

let known;

/** Returns cargo's description of each crate that is published, threadfold first. */
export function crates() {
  if (!known) {
    const { packages } = JSON.parse(ask("cargo", ["metadata", "--no-deps", "--format-version", "1"]));
    known = packages.filter(({ publish }) => publish === null || publish.length > 0);
    known.sort((a, b) => a.name.localeCompare(b.name));
  }
  return known;
}

/** Checks each crate's page: a README in its own folder, and the fields that a reader searches and follows. */
export function checkMetadata() {
  for (const crate of crates()) {
    const fields = ["description", "license", "repository", "rust_version", "readme"];
    const missing = fields.filter((field) => !crate[field]);
    for (const field of ["keywords", "categories"])
      if (crate[field].length === 0 || crate[field].length > 5) missing.push(field);
    if (missing.length > 0) throw new Complaint(`${crate.name}: add ${missing.join(", ")} to its Cargo.toml.`);
    const folder = dirname(crate.manifest_path);
    if (crate.readme.startsWith("..") || !existsSync(join(folder, crate.readme)))
      throw new Complaint(`${crate.name}: its README must be in ${folder}.`);
    const hasFeatures = Object.keys(crate.features).length > 0;
    if (hasFeatures && crate.metadata?.docs?.rs?.["all-features"] !== true)
      throw new Complaint(`${crate.name}: add [package.metadata.docs.rs] with all-features = true to its Cargo.toml.`);
  }
  console.log(
    `  ${crates()
      .map(({ name }) => name)
      .join(", ")}`,
  );
}

/** Packs the crates in the order in which they depend on each other; `verify` also compiles what is packed. */
export async function tryCrates({ verify }) {
  const { code, output } = await watch(
    "cargo",
    ["publish", "--workspace", "--dry-run", ...(verify ? [] : ["--no-verify"])],
    { show: false },
  );
  const uploads = [...output.matchAll(/^ *Uploading (\S+) v/gm)].map(([, name]) => name);
  if (code !== 0) throw new Complaint(output);
  const missing = crates().find(({ name }) => !uploads.includes(name));
  if (missing) throw new Complaint(`cargo would not upload ${missing.name}:\n${output}`);
  console.log(`  ${uploads.join(", ")}`);
}

/** Publishes the crates that the registry lacks: an upload that broke off can be done again. */
export async function publishCrates() {
  const missing = crates().filter(({ name, version }) => !isPublished(name, version));
  if (missing.length === 0) return;
  await run("cargo", ["publish", ...missing.flatMap(({ name }) => ["-p", name])]);
}

/** Asks from a folder in which cargo does not find the crate itself. */
const isPublished = (name, version) =>
  ask("cargo", ["info", "--quiet", `${name}@${version}`], { cwd: tmpdir() }) !== undefined;
