// An empty project somewhere else, with the packed tarball and one fixture's files in it.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const exec = promisify(execFile);
const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));
const pkg = fileURLToPath(new URL("../../pkg/", import.meta.url));

// Tools behave as at a user's, not as inside a test run: and none of them phones home.
const { NODE_ENV: _nodeEnv, VITEST: _vitest, NODE_OPTIONS: _nodeOptions, ...inherited } = process.env;
const env: NodeJS.ProcessEnv = {
  ...inherited,
  NEXT_TELEMETRY_DISABLED: "1",
  COPILOTKIT_TELEMETRY_DISABLED: "true",
  SCARF_ANALYTICS: "false",
  CI: "1",
  NO_COLOR: "1",
} as NodeJS.ProcessEnv;

/** A folder outside of the repository, so that nothing resolves to the workspace's node_modules. */
export const workplace = () => mkdtempSync(join(tmpdir(), "threadfold-consumers-"));

/** `npm pack` of pkg/; returns the tarball's path. */
export async function pack(into: string): Promise<string> {
  const { stdout } = await exec("npm", ["pack", "--json", "--pack-destination", into], { cwd: pkg, env });
  const packed: unknown = JSON.parse(stdout);
  // npm 10 prints a list, npm 11 an object keyed by name.
  const [first] = Object.values(packed as Record<string, { filename: string }>);
  if (!first) throw new Error(`npm pack packed nothing: ${stdout}`);
  return join(into, first.filename);
}

export class Project {
  private constructor(readonly folder: string) {}

  /** `shared`: another fixture's files, which this one uses, too. */
  static async install(fixture: string, tarball: string, workplace: string, shared?: string): Promise<Project> {
    const folder = join(workplace, fixture);
    if (shared) cpSync(join(fixtures, shared), folder, { recursive: true });
    cpSync(join(fixtures, fixture), folder, { recursive: true });
    const answer = readFileSync(join(fixtures, "answer.js"), "utf8");
    writeFileSync(join(folder, "answer.js"), answer);
    writeFileSync(
      join(folder, "answer.cjs"),
      answer.replace("export function answer", "exports.answer = function answer"),
    );
    // A fresh machine downloads some hundred megabytes here: a registry that falters once is no failure of ours.
    const retries = ["--fetch-retries", "5", "--fetch-retry-mintimeout", "2000"];
    await exec("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...retries, tarball], {
      cwd: folder,
      env,
    });
    return new Project(folder);
  }

  /** Runs a program of the project's own packages (or node) and returns what it printed. */
  async run(program: string, ...args: string[]): Promise<string> {
    try {
      const { stdout } = await exec(this.#program(program), args, { cwd: this.folder, env, maxBuffer: 1 << 26 });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  /** Starts a server, gives `work` its address once it answers, and stops it. */
  async serve<T>(program: string, args: (port: string) => string[], work: (url: string) => Promise<T>): Promise<T> {
    const port = String(await freePort());
    const child = spawn(this.#program(program), args(port), { cwd: this.folder, env, detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
    try {
      const url = `http://localhost:${port}/`;
      await answering(url, child, () => output);
      return await work(url);
    } finally {
      await stop(child);
    }
  }

  #program(name: string): string {
    return name === "node" ? process.execPath : join(this.folder, "node_modules", ".bin", name);
  }
}

/** The JSON on the last line of what a program printed that looks like it. */
export function printed(output: string): unknown {
  const line = output.split("\n").findLast((text) => text.trim().startsWith("{"));
  if (!line) throw new Error(`no answer in: ${output}`);
  return JSON.parse(line);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "localhost");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answering(url: string, child: ChildProcess, output: () => string): Promise<void> {
  let failure: Error | undefined;
  child.once("error", (error) => (failure = error));
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    if (failure) throw failure;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended: ${output()}`);
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`the server does not answer: ${output()}`);
}

/** Ends the server with the processes that it started: it leads a group of its own. What comes next may use its folder. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
  await ended;
}
