// A Postgres of its own for a test: in a folder, reached by a socket, stopped at the end.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** Where Debian and Ubuntu install it, and the PATH. */
function findPrograms(): string | undefined {
  const installed = "/usr/lib/postgresql";
  const versions = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(installed, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

const isRoot = process.getuid?.() === 0;
export const programs = findPrograms();

/** Starts it. Postgres refuses to run as root, so root runs it as the user that the package makes. */
export async function startPostgres(): Promise<Postgres> {
  if (programs === undefined) throw new Error("There is no Postgres here.");
  const folder = mkdtempSync(join(tmpdir(), "threadfold-pg-"));
  const as = (program: string, ...args: string[]): [string, string[]] => {
    const command = join(programs, program);
    return isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args];
  };
  const run = (program: string, ...args: string[]) =>
    execFileSync(...as(program, ...args), { stdio: "pipe", cwd: "/" });
  if (isRoot) {
    chmodSync(folder, 0o777);
  }
  const data = join(folder, "data");
  run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync");
  const options = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
  const [command, args] = as("postgres", ...options);
  const server = spawn(command, args, { stdio: "ignore", cwd: "/" });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async () => {
    run("pg_ctl", "-D", data, "-m", "immediate", "stop");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; ; tries++) {
    try {
      run("pg_isready", "-h", folder, "-U", "postgres");
      return { url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`, stop };
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  }
}
