// THIRD-PARTY-NOTICES.txt: the licences of the code by others that the package contains, copied from their own files.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ask, Complaint, root } from "../process.mjs";
import { WASM } from "../rust.mjs";

/** Names of licence files, the preferred ones first: of several licences to choose from, MIT. */
const PREFERRED = [/^LICEN[CS]E-MIT\b/i, /^LICEN[CS]E(\.\w+)?$/i, /^LICEN[CS]E/i, /^COPYING/i];

const HEAD = `threadfold contains code of the packages below, under their licences.
`;
const RULE = `\n${"-".repeat(80)}\n\n`;

/** The text, from the modules of node_modules that are in the bundles and the crates that are in the wasm. */
export function notices(modules) {
  const parts = [rust(), ...crates(), ...npmPackages(modules)];
  // Many packages share one text.
  const byText = new Map();
  for (const { name, license, text } of parts) {
    const names = byText.get(text) ?? [];
    byText.set(text, names.concat(`${name} (${license})`));
  }
  const sections = [...byText].map(([text, names]) => `${names.sort().join("\n")}\n\n${text}\n`);
  return [HEAD, ...sections.sort()].join(RULE);
}

/** Rust's standard library is in the wasm too, and no crate has its licence. */
const rust = () => ({
  name: "The Rust Standard Library",
  license: "MIT OR Apache-2.0",
  text: `Copyright (c) The Rust Project Contributors\n\n${mitTerms()}`,
});

/** The terms of every MIT licence after the name of its owner, as in this package's own. */
function mitTerms() {
  const text = readFileSync(join(root, "LICENSE"), "utf8");
  const terms = text.slice(text.indexOf("Permission is hereby granted")).trim();
  if (!terms.startsWith("Permission")) throw new Complaint("LICENSE is no longer the MIT licence: see notices.mjs.");
  return terms;
}

/** The crates that are compiled into the wasm: neither those that run while it is compiled nor our own. */
function crates() {
  const tree = ask(
    "cargo",
    ["tree", "-p", "threadfold-core-wasm", "-p", "threadfold-agent-wasm", "--target", WASM].concat(
      ["-e", "normal,no-proc-macro", "--prefix", "none"],
      ["--format", "{p}"],
    ),
  );
  const metadata = ask("cargo", ["metadata", "--format-version", "1", "--filter-platform", WASM]);
  if (!tree || !metadata)
    throw new Complaint("`cargo tree` and `cargo metadata` do not say which crates are in the wasm.");
  const { packages } = JSON.parse(metadata);
  const linked = new Set(tree.split("\n").map((line) => line.split(" ").slice(0, 2).join(" ")));
  return packages
    .filter(({ name, version, source }) => source !== null && linked.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path: manifest }) =>
      notice(name, version, license?.replace("/", " OR "), dirname(manifest)),
    );
}

function npmPackages(modules) {
  const folders = new Set(modules.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]));
  return [...folders].filter(Boolean).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return notice(manifest.name, manifest.version, manifest.license, join(root, folder));
  });
}

function notice(name, version, license, folder) {
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const file = PREFERRED.map((pattern) => files.find((file) => pattern.test(file))).find(Boolean);
  // A crate may have left the file in the repository that it comes from.
  if (!file && !/\bMIT\b/.test(license ?? ""))
    throw new Complaint(`${basename(folder)} has no file with its licence, ${license}, to put into the notices.`);
  const more = (license ?? "").split(" AND ").slice(1);
  const also = more.map((term) =>
    files.find((file) => new RegExp(`^LICEN[CS]E-${term.split("-")[0]}`, "i").test(file)),
  );
  if (also.includes(undefined))
    throw new Complaint(`${basename(folder)} has no file with each of its licences, ${license}, for the notices.`);
  const text = file
    ? [file, ...also].map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n")
    : `Copyright (c) the authors of ${name}\n\n${mitTerms()}`;
  return { name: `${name} ${version}`, license, text: text.replaceAll("\r\n", "\n") };
}
