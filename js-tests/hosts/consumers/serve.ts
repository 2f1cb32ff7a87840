// Servers of the tests: in this process, and programs of their own.
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  /** Without a slash at its end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Has the server listen on a free port. */
export async function listening(server: Server, port = 0): Promise<Served> {
  server.listen(port, "localhost");
  await new Promise((resolve) => server.once("listening", resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, stop };
}

/** Starts a program that serves the port it is given; returns once it answers. */
export async function started(
  program: string,
  args: (port: string) => string[],
  cwd: string,
  env: object,
): Promise<Served> {
  const port = String(await freePort());
  const child = spawn(program, args(port), {
    cwd,
    env: { ...(env as NodeJS.ProcessEnv), PORT: port },
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const url = `http://localhost:${port}`;
  try {
    await answering(url, child, () => output);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { url, stop: () => stop(child) };
}

async function freePort(): Promise<number> {
  const { url, stop } = await listening(createServer());
  await stop();
  return Number(new URL(url).port);
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

/** Ends the server and the processes that it started, through their process group. Its folder is free afterwards. */
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
