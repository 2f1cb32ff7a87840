// Installs the packed tarball once for all tests of this folder. The fixtures and the examples share a workspace, but
// for a few that stand alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { emptyFolder, install, installTogether, pack } from "./workspace.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the projects are: `copilotkit`, `workspace/vite`. */
    consumers: string;
  }
}

const exampleFolder = fileURLToPath(new URL("../../../examples/", import.meta.url));
const fixtureFolder = fileURLToPath(new URL("fixtures/", import.meta.url));

/** CopilotKit has 1,000 packages of its own; a page without a build wants node_modules beside it. */
const ALONE = ["copilotkit", "plain-page"];

const projectsOf = (folder: string) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((project) => existsSync(join(project, "package.json")));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = emptyFolder();
  // CopilotKit alone installs 750 MB, in 60,000 files: vitest continues meanwhile.
  const clean = () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  try {
    const tarball = await pack(folder);
    const projects = [...projectsOf(fixtureFolder), ...projectsOf(exampleFolder)];
    const isAlone = (project: string) => ALONE.includes(basename(project));
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    const together = installTogether(
      workspace,
      projects.filter((project) => !isAlone(project)),
      tarball,
    );
    await Promise.all([together, ...projects.filter(isAlone).map((project) => install(folder, project, tarball))]);
    // The questions that each fixture asks the package, next to the fixtures.
    const answer = readFileSync(join(fixtureFolder, "answer.js"), "utf8");
    writeFileSync(join(workspace, "answer.js"), answer);
    writeFileSync(
      join(workspace, "answer.cjs"),
      answer.replace("export function answer", "exports.answer = function answer"),
    );
  } catch (error) {
    await clean();
    throw error;
  }
  project.provide("consumers", folder);
  return clean;
}
