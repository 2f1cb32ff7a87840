// `npm run lint` checks formatting, clippy, types, the TypeScript linter, the structure, and that the lock file names no host.
// `node scripts/lint.mjs package` checks the built pkg/ instead, by publint, attw and its recorded types; `node scripts/lint.mjs structure language`
// the checks of these names alone.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Complaint, isMain, main, root, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { Tally } from "./tally.mjs";
import { checkLanguage } from "./lint/language.mjs";
import { checkPeers } from "./lint/peers.mjs";
import { checkPublicApi } from "./lint/public-api.mjs";
import { checkPublicTypes } from "./lint/public-types.mjs";
import { checkStructure } from "./lint/structure.mjs";
import { WASM } from "./rust.mjs";

const inNode = (path, ...args) => run(process.execPath, [join(root, "node_modules", path), ...args]);

const TYPED = ["pkg-template", "pkg-template/cli", "js-tests", "www"];

/** The crates that are published as libraries. */
const LIBRARIES = ["threadfold", "threadfold-derive", "threadfold-page", "threadfold-checkpoint"];

/** The crates whose dependencies nothing else needs: two programs over wasm-bindgen, and SQLite in C. CI checks them. */
const OTHERS = ["xtask", "threadfold-page-cli", "threadfold-checkpoint"].flatMap((name) => ["--exclude", name]);

async function lintSource(tally) {
  await tally.step("cargo fmt --check", () => run("cargo", ["fmt", "--all", "--check"]));
  await tally.step("clippy, native", () =>
    run("cargo", ["clippy", "--workspace", ...OTHERS, "--all-targets", "--", "-D", "warnings"]),
  );
  await tally.step("clippy, wasm, as others compile it", () =>
    run("cargo", ["clippy", "--target", WASM, "--lib", "--", "-D", "warnings"]),
  );
  await tally.step("clippy, wasm, with the npm package's", () =>
    run("cargo", [
      ...["clippy", "--workspace", "--exclude", "threadfold-checkpoint"],
      ...["--target", WASM, "--lib", "--tests", "--", "-D", "warnings"],
    ]),
  );
  await tally.step("cargo check, with each feature alone", eachFeature);
  await tally.step("cargo check, by the oldest Rust that the crates name", oldestRust);
  await tally.step("rustdoc without a warning", () =>
    run("cargo", ["doc", "--no-deps", ...LIBRARIES.flatMap((name) => ["-p", name])], {
      env: { RUSTDOCFLAGS: "-D warnings" },
    }),
  );
  for (const folder of TYPED.filter((folder) => existsSync(join(root, folder, "tsconfig.json")))) {
    await tally.step(`tsc --noEmit, ${folder}`, () => inNode("typescript/bin/tsc", "--noEmit", "-p", folder));
  }
  await tally.step("the crate has its own files alone", crateFiles);
  await tally.step("prettier --check", () => inNode("prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."));
  await tally.step("oxlint", () => inNode("oxlint/bin/oxlint", "--deny-warnings"));
  await tally.step("typedoc", () => run(process.execPath, [join(root, "docs", "build.mjs"), "--check"]));
  await tally.step("lock files name no host", lockFiles);
  await tally.step("no address of a package registry", registries);
  for (const name of Object.keys(BY_NAME)) await tally.step(...BY_NAME[name]);
}

/** The checks that can be run alone, by their names. */
const BY_NAME = {
  structure: ["no circle of imports", checkStructure],
  language: ["the house style", checkLanguage],
  peers: ["the table of peers has the tested versions", checkPeers],
  "public-api": ["no public name of the crates changed unnoticed", checkPublicApi],
};

/** As above, of the built package. */
const OF_PACKAGE = { "public-types": ["no public type of the npm package changed unnoticed", checkPublicTypes] };

async function lintNamed(tally, names) {
  const known = { ...BY_NAME, ...OF_PACKAGE, "oldest-rust": ["cargo check, by the oldest Rust", oldestRust] };
  for (const name of names) {
    if (!known[name]) throw new Complaint(`Unknown check '${name}'. Known: package, ${Object.keys(known).join(", ")}.`);
    await tally.step(...known[name]);
  }
}

/** Features only add: the crate compiles with none, and with each alone. */
async function eachFeature() {
  const { packages } = JSON.parse(ask("cargo", ["metadata", "--no-deps", "--format-version", "1"]));
  const features = Object.keys(packages.find(({ name }) => name === "threadfold").features);
  for (const feature of ["", ...features])
    await run("cargo", ["check", "--quiet", "-p", "threadfold", "--no-default-features", "--features", feature]);
}

/** Compiles the crates by the `rust-version` of their Cargo.toml, where rustup has that toolchain. */
async function oldestRust() {
  const [, oldest] = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  const toolchain = ask("rustup", ["toolchain", "list"])?.match(new RegExp(`^${oldest}\\S*`, "m"))?.[0];
  if (toolchain)
    return run("cargo", [`+${toolchain}`, "check", "--quiet", ...LIBRARIES.flatMap((name) => ["-p", name])]);
  console.log(`Not checked: rustup has no ${oldest}. \`rustup toolchain install ${oldest}\` adds it.`);
}

/** Checks which files `cargo publish` would upload. */
function crateFiles() {
  const files = ask("cargo", ["package", "-p", "threadfold", "--list", "--allow-dirty"]);
  if (!files?.includes("src/lib.rs")) throw new Complaint("`cargo package --list` printed no list of files.");
  const strange = files.split("\n").find((file) => !/^(src|examples)[\\/]|^docs[\\/][\w-]+\.md$|^[^\\/]+$/.test(file));
  if (strange)
    throw new Complaint(
      `The crate would be published with ${strange}: start the patterns of \`include\` in Cargo.toml with a slash.`,
    );
}

/** Checks that the lock file leaves the choice of a registry to the user. */
function lockFiles() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, { resolved, link }] of Object.entries(packages)) {
    if (resolved && !link) {
      throw new Complaint(
        `package-lock.json has a download address for ${path}: run \`npm config set omit-lockfile-registry-resolved true\`, then \`npm install\`.`,
      );
    }
  }
}

/** Checks that no file names the host of a package registry: another machine may have another. */
function registries() {
  const hosts = ["registry[.]npmjs", "npmjs[.]com", "crates[.]io/", "pypi[.]org"].join("|");
  // Exit code 1: nothing found. Cargo writes the name of its index into its lock files.
  const found = ask("git", ["grep", "-nE", hosts, "--", ".", ":!*Cargo.lock"]);
  if (found) throw new Complaint(`The address of a package registry stands in the tree:\n${found}`);
}

async function lintPackage(tally) {
  for (const step of Object.values(OF_PACKAGE)) await tally.step(...step);
  await tally.step("publint", () => inNode("publint/src/cli.js", "run", "pkg", "--strict"));
  await tally.step("attw", () =>
    inNode(
      "@arethetypeswrong/cli/dist/index.js",
      "--pack",
      "pkg",
      "--profile",
      "node16",
      "--exclude-entrypoints",
      "./threadfold_bg.wasm",
      "./threadfold_agent_bg.wasm",
    ),
  );
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const tally = new Tally();
    const names = process.argv.slice(2);
    await setup();
    if (names[0] === "package") await lintPackage(tally);
    else await (names.length > 0 ? lintNamed(tally, names) : lintSource(tally));
    tally.report();
  });
}
