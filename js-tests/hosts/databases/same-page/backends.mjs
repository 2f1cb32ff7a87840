// The three places in which the runs of one page are kept. Each starts its programs and returns its `port`, how to `stop`,
// and how to `kill` the instance of a name that runs a thread.
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { build } from "esbuild";
import { Miniflare, Response as WorkerResponse } from "miniflare";
import { toNodeListener } from "threadfold/serve";
import { balance } from "../../../../examples/many-instances/balancer.mjs";
import { startPostgres, startRedis } from "../../../../examples/many-instances/databases.mjs";
import { fileOf } from "./files.mjs";

const pkg = join(import.meta.dirname, "..", "..", "..", "..", "pkg");

/** Starts an instance over the Redis and the Postgres that are given. */
export async function startInstance(...args) {
  const child = fork(join(import.meta.dirname, "instance.mjs"), args);
  const [{ port }] = await once(child, "message");
  return { child, port };
}

export async function ended(child) {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

export async function memory(model) {
  const { child, port } = await startInstance(model);
  return { port, stop: () => ended(child) };
}

/** Two instances and a balancer. One that is killed is replaced. */
export async function redisAndPostgres(model) {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const saver = PostgresSaver.fromConnString(postgres.url);
  await saver.setup();
  await saver.end();
  const start = () => startInstance(model, redis.path, postgres.url);
  const instances = await Promise.all([start(), start()]);
  const addressOf = ({ port }) => `http://127.0.0.1:${port}`;
  const addresses = instances.map(addressOf);
  const balancer = createServer(toNodeListener(balance(addresses))).listen(0, "127.0.0.1");
  await once(balancer, "listening");
  return {
    port: balancer.address().port,
    async kill(instance) {
      const at = instances.findIndex(({ child }) => String(child.pid) === instance);
      await ended(instances[at].child);
      instances[at] = await start();
      addresses[at] = addressOf(instances[at]);
    },
    async stop() {
      balancer.closeAllConnections();
      balancer.close();
      await Promise.all(instances.map(({ child }) => ended(child)));
      await Promise.all([redis.stop(), postgres.stop()]);
    },
  };
}

export async function durableObjects(model) {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-same-page-"));
  await build({
    entryPoints: [join(import.meta.dirname, "worker.mjs")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["*.wasm"],
  });
  const wasms = ["threadfold_bg.wasm", "threadfold_agent_bg.wasm"];
  for (const wasm of wasms) cpSync(join(pkg, wasm), join(folder, wasm));
  const server = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, "worker.js") },
      ...wasms.map((path) => ({ type: "CompiledWasm", path: join(folder, path) })),
    ],
    compatibilityDate: "2025-06-01",
    durableObjects: { THREADS: { className: "AgentThread", useSQLite: true } },
    bindings: { MODEL: model },
    serviceBindings: { FILES: ({ url }) => new WorkerResponse(...fileOf(new URL(url).pathname)) },
    // Made up, not downloaded: without it Miniflare asks workers.cloudflare.com where we are.
    cf: false,
    // It reports each object that a test aborts.
    handleRuntimeStdio: (...outputs) => outputs.forEach((output) => output.resume()),
  });
  const { origin, port } = await server.ready;
  return {
    port: Number(port),
    async kill(_instance, threadId) {
      await fetch(`${origin}/agent/threads/${threadId}/abort`, { method: "POST" }).catch(() => {});
    },
    async stop() {
      await server.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
