// `node scripts/release.mjs --dry-run` tries everything of a release but the uploads, from a clean clone.
// `node scripts/release.mjs --publish v0.1.0` is the release: the same checks, strictly, then the uploads.
// .github/workflows/release.yml runs it for a tag.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensureNodeModules } from "./node-modules.mjs";
import { Complaint, isMain, main, root } from "./process.mjs";
import { requireTools } from "./setup.mjs";
import { Tally } from "./tally.mjs";
import { checkMetadata, publishCrates, tryCrates } from "./release/crates.mjs";
import { checkInstalled, checkTarball, pack, packCreate, publishPackages } from "./release/package.mjs";
import { checkAddress, checkChangelog, checkCommitted, checkForms, checkVersions } from "./release/tree.mjs";

/** Publishes the version of this tag; without one, tries all but that. */
async function release(tag) {
  await requireTools();
  await ensureNodeModules();
  const tally = new Tally();
  let isGood = true;
  const step = async (name, work) => {
    isGood = (await tally.step(name, work)) && isGood;
  };
  const isStrict = tag !== undefined;

  await step("the tree is committed", checkCommitted);
  if (isStrict || !existsSync(join(root, "pkg"))) await step("npm run build", () => build());
  await step("one version, of all crates and both npm packages", () => checkVersions(tag));
  await step("CHANGELOG.md has the version", () => checkChangelog(isStrict));
  await step("the address of the repository", () => checkAddress(isStrict));
  await step("workflows and issue forms can be read, and run scripts of the tree", checkForms);
  await step("each crate has its README and metadata", checkMetadata);
  // In CI, cargo has compiled the same files before.
  await step("cargo publish --dry-run, all crates in order", () => tryCrates({ verify: isStrict }));
  let tarball;
  await step("npm pack", async () => {
    tarball = await pack();
    checkTarball(tarball);
  });
  if (tarball) await step("the packed package, installed elsewhere", () => checkInstalled(tarball));
  let create;
  await step("npm pack, create-threadfold", async () => {
    create = await packCreate();
  });
  if (isStrict && isGood) {
    await step("cargo publish", publishCrates);
    if (isGood) await step("npm publish", () => publishPackages(tarball, create));
  }
  tally.report();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [mode, tag, ...more] = process.argv.slice(2);
    const isDry = mode === "--dry-run" && tag === undefined;
    if (!isDry && (mode !== "--publish" || !tag || more.length > 0))
      throw new Complaint("Usage: node scripts/release.mjs --dry-run | --publish TAG");
    await release(tag);
  });
}
