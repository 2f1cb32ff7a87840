// Puts pkg/ together beside the old one, then swaps it in: nobody finds half a package.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../process.mjs";
import { crateVersion, repository, target } from "../rust.mjs";
import { withFingerprint } from "./fingerprint.mjs";

/** The folders and files that installing and building an example leaves in its folder. */
const MADE = /[\\/](node_modules|dist|build|target|\.\w+|next-env\.d\.ts|package-lock\.json)$/;

export function assemble({ wasms, bundles, types, notices }) {
  const pkg = join(root, "pkg");
  const staging = join(target, `pkg-${process.pid}`);
  const old = join(target, `pkg-${process.pid}-old`);
  const write = (path, content) => {
    mkdirSync(dirname(join(staging, path)), { recursive: true });
    writeFileSync(join(staging, path), content);
  };

  const manifest = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
  const { name, ...rest } = manifest;
  const address = repository();
  const places = {
    repository: { type: "git", url: `git+${address}.git` },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
  write("package.json", `${JSON.stringify({ name, version: crateVersion(), ...places, ...rest }, undefined, 2)}\n`);
  write("threadfold_bg.wasm", withFingerprint(readFileSync(wasms.core)));
  write("threadfold_agent_bg.wasm", readFileSync(wasms.agent));
  for (const [path, text] of Object.entries(bundles)) write(path, text);
  for (const [path, text] of Object.entries(types)) write(join("types", path), text);
  write("THIRD-PARTY-NOTICES.txt", notices);
  for (const page of ["README.md", "LICENSE"]) {
    const own = [join(root, "pkg-template", page), join(root, page)].find(existsSync);
    if (own) copyFileSync(own, join(staging, page));
  }
  // The pages that the README links to.
  for (const page of ["DESIGN.md", "CHANGELOG.md"]) copyFileSync(join(root, page), join(staging, page));
  mkdirSync(join(staging, "docs"));
  for (const page of readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md")))
    copyFileSync(join(root, "docs", page), join(staging, "docs", page));
  // `threadfold init` writes apps of both.
  cpSync(join(root, "pkg-template", "templates"), join(staging, "templates"), { recursive: true });
  cpSync(join(root, "examples"), join(staging, "examples"), {
    recursive: true,
    filter: (path) => !MADE.test(path.slice(root.length)),
  });

  if (existsSync(pkg)) renameSync(pkg, old);
  renameSync(staging, pkg);
  rmSync(old, { recursive: true, force: true });

  const kib = (...contents) =>
    `${(contents.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0) / 1024).toFixed(1)} KiB`;
  const of = (...files) => kib(...files.map((file) => bundles[file]));
  console.log(
    `  gzipped: the wasm ${kib(readFileSync(wasms.core))}, index.js ${of("index.js")}, slim.js ${of("slim.js")}`,
  );
  console.log(
    `  gzipped: the agent's wasm ${kib(readFileSync(wasms.agent))}, agent-core.js with it ${of("agent-core.js")}, context.js ${of("context.js")}`,
  );
}
