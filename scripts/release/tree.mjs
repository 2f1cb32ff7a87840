// Checks the tree before a release: its commit, versions, changelog, address and workflows.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Complaint, root } from "../process.mjs";
import { repository } from "../rust.mjs";
import { crates } from "./crates.mjs";
import { createManifest } from "./package.mjs";

const read = (...path) => readFileSync(join(root, ...path), "utf8");
const manifest = () => JSON.parse(read("pkg", "package.json"));

export function checkCommitted() {
  const changed = ask("git", ["status", "--porcelain"]);
  if (changed === undefined) throw new Complaint("This folder is not a git clone: release from one.");
  if (changed !== "") throw new Complaint(`These files are not committed:\n${changed}`);
}

/** Checks that all that is published has one version, which the tag names if there is one. */
export function checkVersions(tag) {
  const all = crates();
  const { version } = all[0];
  const others = [
    ...all.map((crate) => [`the crate ${crate.name}`, crate.version]),
    ...all.flatMap((crate) =>
      crate.dependencies
        .filter(({ name, kind }) => kind !== "dev" && all.some((other) => other.name === name))
        .map(({ name, req }) => [`${crate.name}'s dependency ${name}`, req.replace(/^=/, "")]),
    ),
    ["pkg/package.json", manifest().version],
    ["create-threadfold", createManifest().version],
    ["create-threadfold's dependency threadfold", createManifest().dependencies.threadfold.replace(/^\^/, "")],
    ...(tag === undefined ? [] : [[`the tag ${tag}`, tag.replace(/^v/, "")]]),
  ];
  for (const [what, found] of others)
    if (found !== version) throw new Complaint(`Expected version ${version}, got ${found}: ${what}.`);
  if (ask("cargo", ["metadata", "--locked", "--no-deps", "--format-version", "1"]) === undefined)
    throw new Complaint("Cargo.lock is older than Cargo.toml: run `cargo check`, and commit it.");
  console.log(`  ${version}, at ${others.length} places`);
}

/** Checks that the changelog has an entry for the version, with its day if the release is real. */
export function checkChangelog(isStrict) {
  const { version } = crates()[0];
  const [, section] = read("CHANGELOG.md").split(`\n## ${version} `);
  const [head = "", ...lines] = section?.split(/\n(?=## )/)[0].split("\n") ?? [];
  if (!lines.some((line) => line.startsWith("- "))) throw new Complaint(`CHANGELOG.md has no entry for ${version}.`);
  if (/^\(\d{4}-\d\d-\d\d\)$/.test(head)) return;
  const remedy = `CHANGELOG.md: write the day of the release after ${version}, not "${head}".`;
  if (isStrict) throw new Complaint(remedy);
  console.log(`  Before the release: ${remedy}`);
}

/** Checks that Cargo.toml names the repository, and the package the same. */
export function checkAddress(isStrict) {
  const address = repository();
  const { repository: { url } = {}, homepage, bugs } = manifest();
  const expected = [`git+${address}.git`, `${address}#readme`, `${address}/issues`].join(" ");
  const found = [url, homepage, bugs?.url].join(" ");
  if (found !== expected) throw new Complaint(`pkg/package.json: expected ${expected}, got ${found}. Build it again.`);
  if (!address.includes("/OWNER/")) return;
  const remedy = `Cargo.toml has a placeholder for the repository's address, ${address}: write the real one.`;
  if (isStrict) throw new Complaint(remedy);
  console.log(`  Before the release: ${remedy}`);
}

/** Checks that GitHub can read its files, and that each script that a workflow starts is in the tree. */
export async function checkForms() {
  const { parse } = await import("yaml");
  const folders = ["workflows", "ISSUE_TEMPLATE"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, ".github", folder)).map((name) => `${folder}/${name}`),
  );
  for (const file of files) {
    const content = parse(read(".github", file));
    for (const { steps } of Object.values(content.jobs ?? {}))
      for (const { run } of steps) if (run) checkCommand(file, run);
    const isForm = file.startsWith("ISSUE_TEMPLATE") && !file.endsWith("config.yml");
    if (isForm && !(content.name && content.description && content.body.length > 0))
      throw new Complaint(`.github/${file}: an issue form needs name, description and body.`);
  }
  console.log(`  ${files.length} files`);
}

function checkCommand(file, command) {
  const [program, argument] = command.split(" ");
  const script = program === "node" ? argument : program;
  const isKnown =
    program === "npm"
      ? JSON.parse(read("package.json")).scripts[argument] !== undefined
      : program === "rustup" || existsSync(join(root, script));
  if (!isKnown) throw new Complaint(`.github/${file} runs \`${command}\`, which the tree does not have.`);
}
