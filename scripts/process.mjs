// Runs other programs, from the root of the project.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** An error with a complete message: it is printed without a stack. */
export class Complaint extends Error {}

/** Runs a program with its output on the terminal; a non-zero exit is a Complaint. */
export async function run(command, args, options = {}) {
  const { code } = await watch(command, args, { ...options, keep: false });
  if (code !== 0) throw new Complaint(`\`${[command, ...args].join(" ")}\` ended with code ${code}`);
}

/** Runs a program and returns its output and exit code. The output also goes to the terminal, unless `show` is false. */
export function watch(command, args, { cwd = root, env = {}, keep = true, show = true } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: keep ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    });
    let output = "";
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from?.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (show) to.write(text);
      });
    }
    child.on("error", (error) => reject(new Complaint(`cannot start \`${command}\`: ${error.message}`)));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** Like `Promise.all`, but rejects only once all have settled: no child process outlives the script. */
export async function all(works) {
  const results = await Promise.allSettled(works);
  for (const { status, reason } of results) if (status === "rejected") throw reason;
  return results.map(({ value }) => value);
}

/** Runs a program silently. Returns its output, or undefined if it is missing or fails. */
export function ask(command, args, { cwd = root } = {}) {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** Returns the path of the program of this name on the PATH, or undefined. */
export function find(name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const suffix of process.platform === "win32" ? [".exe", ".cmd", ""] : [""]) {
      const path = join(folder, name + suffix);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not in this folder
      }
    }
  }
  return undefined;
}

/** Runs a script: prints a Complaint as its sentence, any other error with its stack. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Complaint ? `\n✗ ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** True for the script that node was started with, false when it is only imported. */
export const isMain = (url) => process.argv[1] !== undefined && fileURLToPath(url) === realpathSync(process.argv[1]);
