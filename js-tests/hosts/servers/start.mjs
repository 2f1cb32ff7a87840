// The real servers, each on a free port of the loopback interface. Run `node js-tests/hosts/servers/start.mjs` to
// start them manually.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMain, main } from "../../../scripts/process.mjs";
import { ensureEnvironment, javascript, python, sources } from "./environment.mjs";

const STARTS_WITHIN = 60_000;

/**
 * A server that answers, and `stop()`, after which neither it nor a process of its own is left.
 * @typedef {{ url: string, output: () => string, stop: () => Promise<void> }} Server
 */

/** @returns {Promise<Server>} ag_ui_langgraph on FastAPI: each graph at `/NAME`, what it holds at `/NAME/state/THREAD`. */
export const startAgUi = () => start("the AG-UI server", (port) => [python, "ag_ui_server.py", port]);

/** @returns {Promise<Server>} `langgraph dev`, Python's. */
export const startLangGraph = () =>
  start("the LangGraph server", (port) => [python, "-m", "langgraph_cli", ...dev(port), "--n-jobs-per-worker", "8"]);

/** @returns {Promise<Server>} `langgraphjs dev`: LangGraph's server in JavaScript, with graphs of its own. */
export const startLangGraphJs = () =>
  start(
    "LangGraph's JavaScript server",
    (port) => [process.execPath, join(modules, "@langchain", "langgraph-cli", "dist", "cli", "cli.mjs"), ...dev(port)],
    javascript,
  );

const dev = (port) => ["dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", port];

const modules = join(javascript, "node_modules");

/** All at once, in the environments that they need. */
export async function startServers() {
  await ensureEnvironment();
  const started = await Promise.allSettled([startAgUi(), startLangGraph(), startLangGraphJs()]);
  const stop = () => Promise.all(started.map(({ value }) => value?.stop()));
  const failed = started.find(({ status }) => status === "rejected");
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [agUi, langGraph, langGraphJs] = started.map(({ value }) => value.url);
  return { agUi, langGraph, langGraphJs, stop };
}

async function start(name, command, folder = sources) {
  // `langgraph dev` keeps its threads in the folder that it is started in: each start gets a new one.
  const home = mkdtempSync(join(tmpdir(), "threadfold-server-"));
  cpSync(folder, home, { recursive: true, filter: (path) => path !== modules });
  if (folder === javascript) symlinkSync(modules, join(home, "node_modules"), "junction");
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(python, [join(sources, "held.py"), home, ...command(new URL(url).port)], {
    env: {
      ...process.env,
      LANGSMITH_TRACING: "false",
      LANGGRAPH_CLI_NO_ANALYTICS: "1",
      NO_COLOR: "1",
      PYTHONUNBUFFERED: "1",
      PYTHONDONTWRITEBYTECODE: "1",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });
  // The pipe closes by itself if this process dies; closing it is also how the server is stopped.
  const stop = async () => {
    child.stdin.destroy();
    await ended;
  };
  try {
    await answering(`${url}/ok`, child);
  } catch (error) {
    await stop();
    throw new Error(`${name} ${error.message}:\n${output.slice(-4000)}`, { cause: error });
  }
  return { url, output: () => output, stop };
}

async function answering(url, child) {
  for (const deadline = Date.now() + STARTS_WITHIN; Date.now() < deadline;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("ended as it started");
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Nobody listens there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`does not answer after ${STARTS_WITHIN / 1000} seconds`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { agUi, langGraph, langGraphJs, stop } = await startServers();
    console.log(
      `AG-UI: ${agUi}/chat\nLangGraph: ${langGraph}\nLangGraph in JavaScript: ${langGraphJs}\nStop with Ctrl+C.`,
    );
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  });
}
