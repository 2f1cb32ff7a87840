// The three places in which the runs of one page are kept: each starts its programs.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { build } from "esbuild";
import { Miniflare, Response as WorkerResponse } from "miniflare";
import { toNodeListener } from "threadfold/serve";
import { balance } from "../../../../examples/many-instances/balancer.mjs";
import { root } from "../../../unit/examples/blocks.js";
import { startPostgres, startRedis } from "../stores.js";
import { fileOf } from "./files.mjs";

export interface Backend {
  readonly port: number;
  /** Ends the instance of this name, which runs the thread, without a word. */
  kill?(instance: string, threadId: string): Promise<void>;
  stop(): Promise<void>;
}

interface Instance {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startInstance(...args: string[]): Promise<Instance> {
  const child = fork(join(import.meta.dirname, "instance.mjs"), args);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

export async function memory(model: string): Promise<Backend> {
  const { child, port } = await startInstance(model);
  return { port, stop: () => ended(child) };
}

/** Two instances and a balancer. One that is killed is replaced. */
export async function redisAndPostgres(model: string): Promise<Backend> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const saver = PostgresSaver.fromConnString(postgres.url);
  await saver.setup();
  await saver.end();
  const start = () => startInstance(model, redis.path, postgres.url);
  const instances = await Promise.all([start(), start()]);
  const addressOf = ({ port }: Instance) => `http://127.0.0.1:${port}`;
  const addresses = instances.map(addressOf);
  const balancer = createServer(toNodeListener(balance(addresses))).listen(0, "127.0.0.1");
  await once(balancer, "listening");
  return {
    port: (balancer.address() as AddressInfo).port,
    async kill(instance) {
      const at = instances.findIndex(({ child }) => String(child.pid) === instance);
      await ended((instances[at] as Instance).child);
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

export async function durableObjects(model: string): Promise<Backend> {
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
  for (const wasm of wasms) cpSync(join(root, "pkg", wasm), join(folder, wasm));
  const server = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, "worker.js") },
      ...wasms.map((path) => ({ type: "CompiledWasm" as const, path: join(folder, path) })),
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
