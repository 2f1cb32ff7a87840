// A Redis of its own for a test: in a folder, reached by a socket, stopped at the end.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

export interface RedisServer {
  /** The path of its socket. */
  readonly path: string;
  stop(): Promise<void>;
}

export const program = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "redis-server"))
  .find(existsSync);

export async function startRedis(): Promise<RedisServer> {
  if (program === undefined) throw new Error("Redis is missing: install the package redis-server.");
  const folder = mkdtempSync(join(tmpdir(), "threadfold-redis-"));
  const path = join(folder, "redis.sock");
  const server = spawn(program, ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder], {
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  for (let tries = 0; !existsSync(path); tries++) {
    if (tries === 100) throw new Error("Redis did not start within 10 s.");
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  const stop = async () => {
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { path, stop };
}
