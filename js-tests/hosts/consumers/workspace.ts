// Folders outside of the repository, with the packed tarball installed in them as its users have it.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const exec = promisify(execFile);
const pkg = fileURLToPath(new URL("../../../pkg/", import.meta.url));

// Tools behave as at a user's, not as inside a test run: and none of them phones home.
const { NODE_ENV: _nodeEnv, VITEST: _vitest, NODE_OPTIONS: _nodeOptions, ...inherited } = process.env;
export const environment = {
  ...inherited,
  NEXT_TELEMETRY_DISABLED: "1",
  COPILOTKIT_TELEMETRY_DISABLED: "true",
  SCARF_ANALYTICS: "false",
  CI: "1",
  NO_COLOR: "1",
} as unknown as NodeJS.ProcessEnv;

/** A folder outside of the repository, so that nothing resolves to the workspace's node_modules. */
export const emptyFolder = () => mkdtempSync(join(tmpdir(), "threadfold-consumers-"));

/** `npm pack`; returns the tarball's path. */
export async function pack(into: string, folder = pkg): Promise<string> {
  const args = ["pack", "--json", "--pack-destination", into];
  const { stdout } = await exec("npm", args, { cwd: folder, env: environment });
  const packed: unknown = JSON.parse(stdout);
  // npm 10 prints a list, npm 11 an object keyed by name.
  const [first] = Object.values(packed as Record<string, { filename: string }>);
  if (!first) throw new Error(`npm pack packed nothing: ${stdout}`);
  return join(into, first.filename);
}

interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  overrides?: Record<string, string>;
}

/** Installs a copy of a project, and the tarball in it. */
export async function install(folder: string, project: string, tarball: string): Promise<void> {
  await npmInstall(copy(project, folder, tarball));
}

/** Installs copies of these projects, and the tarball in each, in one go: shared packages are there once. */
export async function installTogether(folder: string, projects: readonly string[], tarball: string): Promise<void> {
  for (const project of projects) copy(project, folder, tarball);
  const workspaces = projects.map((project) => basename(project));
  // npm ignores the overrides of a workspace's own manifest.
  const overrides = Object.assign({}, ...workspaces.map((name) => manifestIn(join(folder, name)).overrides));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", workspaces, overrides }));
  await npmInstall(folder);
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Returns the copy's folder. */
function copy(project: string, into: string, tarball: string): string {
  const folder = join(into, basename(project));
  cpSync(project, folder, { recursive: true, filter: (path) => !/[\\/](node_modules|dist|\.next)$/.test(path) });
  const manifest = manifestIn(folder);
  // A workspace called vite would be installed as vite.
  manifest.name ??= `consumer-${basename(project)}`;
  manifest.dependencies = { ...manifest.dependencies, threadfold: `file:${tarball}` };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

async function npmInstall(folder: string): Promise<void> {
  // A fresh machine downloads some hundred megabytes here, so the registry may falter once.
  const retries = ["--fetch-retries", "5", "--fetch-retry-mintimeout", "2000"];
  const install = () =>
    exec("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...retries], {
      cwd: folder,
      env: environment,
      maxBuffer: 1 << 26,
      timeout: 8 * 60_000,
    });
  // npm itself has been seen to wait for ever, all downloads done.
  await install().catch(install);
}

/** Runs a program of the project's own packages (or node, or npm) in its folder, and returns its output. */
export async function run(folder: string, program: string, args: readonly string[], env: object = {}): Promise<string> {
  try {
    const { stdout } = await exec(program, args, { cwd: folder, env: withPrograms(folder, env), maxBuffer: 1 << 26 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** An environment in which the programs of a project and of its workspace are found. */
export function withPrograms(folder: string, env: object = {}): NodeJS.ProcessEnv {
  const bin = (place: string) => join(folder, place, "node_modules", ".bin");
  return { ...environment, PATH: [bin("."), bin(".."), environment["PATH"]].join(delimiter), ...env };
}

/** The last line of a program's output that looks like JSON, parsed. */
export function printed(output: string): unknown {
  const line = output.split("\n").findLast((text) => text.trim().startsWith("{"));
  if (!line) throw new Error(`no answer in: ${output}`);
  return JSON.parse(line);
}
