// A Redis and a Postgres of their own, each in a folder that goes when it stops, reached by a socket.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Where Debian and Ubuntu have Postgres, the latest first, and the PATH. */
function folders() {
  const installed = "/usr/lib/postgresql";
  const versions = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(installed, version, "bin")), ...(process.env.PATH ?? "").split(delimiter)];
}

/** Finds a program that is installed. */
const find = (...names) => folders().find((folder) => names.every((name) => existsSync(join(folder, name))));

export const hasRedis = find("redis-server") !== undefined;
export const hasPostgres = find("initdb", "postgres") !== undefined;

/** Tries for ten seconds. */
async function until(isReady, name) {
  for (let tries = 0; !isReady(); tries++) {
    if (tries === 100) throw new Error(`${name} did not start within 10 s.`);
    await sleep(100);
  }
}

/** Starts a process of its own group, which Ctrl-C does not reach; returns how to stop it and remove its folder. */
function started(folder, command, args, stopping) {
  const server = spawn(command, args, { stdio: "ignore", cwd: "/", detached: true });
  const ended = new Promise((resolve) => void server.once("exit", resolve));
  return async () => {
    stopping(server);
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Starts Redis. */
export async function startRedis() {
  if (!hasRedis) throw new Error("Redis is missing: install redis-server with apt-get, or redis with brew.");
  const folder = mkdtempSync(join(tmpdir(), "threadfold-redis-"));
  const path = join(folder, "redis.sock");
  const args = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder];
  const stop = started(folder, join(find("redis-server"), "redis-server"), args, (server) => server.kill("SIGKILL"));
  await until(() => existsSync(path), "Redis");
  return { path, stop };
}

/** Starts Postgres. It refuses to run as root, so root runs it as the user that its package makes. */
export async function startPostgres() {
  if (!hasPostgres) throw new Error("Postgres is missing: install postgresql with apt-get or brew.");
  const programs = find("initdb", "postgres");
  const folder = mkdtempSync(join(tmpdir(), "threadfold-pg-"));
  const as = (program, ...args) => {
    const command = join(programs, program);
    return process.getuid?.() === 0 ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args];
  };
  const run = (...command) => execFileSync(...as(...command), { stdio: "pipe", cwd: "/" });
  if (process.getuid?.() === 0) chmodSync(folder, 0o777);
  const data = join(folder, "data");
  run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync");
  const command = as("postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off");
  const stop = started(folder, ...command, () => run("pg_ctl", "-D", data, "-m", "immediate", "stop"));
  const isReady = () => {
    try {
      return run("pg_isready", "-h", folder, "-U", "postgres");
    } catch {
      return false;
    }
  };
  await until(isReady, "Postgres");
  return { url: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`, stop };
}
