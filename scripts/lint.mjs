// `npm run lint`: formatting, clippy, strict types, the TypeScript linter, and lock files fit to publish.
// With `package`, instead: publint and attw over the built pkg/.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, Complaint, isMain, main, root, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { Tally } from "./tally.mjs";
import { WASM } from "./rust.mjs";

const inNode = (path, ...args) => run(process.execPath, [join(root, "node_modules", path), ...args]);

const TYPED = ["pkg-template", "js-tests", "www"];

async function lintSource(tally) {
  await tally.step("cargo fmt --check", () => run("cargo", ["fmt", "--all", "--check"]));
  await tally.step("clippy, native", () =>
    // xtask has dependencies that nothing else needs: CI looks at it.
    run("cargo", ["clippy", "--workspace", "--exclude", "xtask", "--all-targets", "--", "-D", "warnings"]),
  );
  await tally.step("clippy, wasm, as others compile it", () =>
    run("cargo", ["clippy", "--target", WASM, "--lib", "--", "-D", "warnings"]),
  );
  await tally.step("clippy, wasm, with the bindings", () =>
    run("cargo", [
      "clippy",
      "--workspace",
      "--target",
      WASM,
      "--lib",
      "--tests",
      "--features",
      "bindings",
      "--",
      "-D",
      "warnings",
    ]),
  );
  for (const folder of TYPED.filter((folder) => existsSync(join(root, folder, "tsconfig.json")))) {
    await tally.step(`tsc --noEmit, ${folder}`, () => inNode("typescript/bin/tsc", "--noEmit", "-p", folder));
  }
  await tally.step("the crate has its own files alone", crateFiles);
  await tally.step("prettier --check", () => inNode("prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."));
  await tally.step("oxlint", () => inNode("oxlint/bin/oxlint", "--deny-warnings"));
  await tally.step("lock files name no host", lockFiles);
}

/** What `cargo publish` would take along. */
function crateFiles() {
  const files = ask("cargo", ["package", "-p", "threadfold", "--list", "--allow-dirty"]);
  if (!files?.includes("src/lib.rs")) throw new Complaint("cargo package --list gave no list of files.");
  const strange = files.split("\n").find((file) => !/^(src|examples)[\\/]|^[^\\/]+$/.test(file));
  if (strange)
    throw new Complaint(
      `The crate would be published with ${strange}: let Cargo.toml's include begin its patterns with a slash.`,
    );
}

/** Whoever installs chooses the registry, so the lock file must not. */
function lockFiles() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, { resolved, link }] of Object.entries(packages)) {
    if (resolved && !link) {
      throw new Complaint(
        `package-lock.json gives a download address for ${path}: npm config set omit-lockfile-registry-resolved true, then install anew.`,
      );
    }
  }
}

async function lintPackage(tally) {
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
    ),
  );
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const tally = new Tally();
    await setup();
    await (process.argv[2] === "package" ? lintPackage(tally) : lintSource(tally));
    tally.report();
  });
}
