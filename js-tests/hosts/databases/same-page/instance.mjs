// One instance: the agent over Redis and Postgres, over Postgres alone, or in its memory. It ends with the program that started it.
import { createServer } from "node:http";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Pool } from "pg";
import { createClient } from "redis";
import { MemorySaver } from "threadfold/graph";
import { MemoryRuns, serveAgUi, toNodeListener } from "threadfold/serve";
import { PostgresRuns } from "threadfold/serve/postgres";
import { RedisRuns } from "threadfold/serve/redis";
import { fileOf } from "./files.mjs";
import { graphOf } from "./graph.mjs";

process.once("disconnect", () => process.exit());

const [model, redis, postgres] = process.argv.slice(2);

async function openRuns() {
  if (!redis) return postgres ? new PostgresRuns({ pool: new Pool({ connectionString: postgres }) }) : new MemoryRuns();
  const client = createClient({ socket: { path: redis, tls: false } });
  await client.on("error", () => {}).connect();
  return new RedisRuns({ client, ttl: 2_000 });
}

const graph = graphOf(
  model,
  String(process.pid),
  postgres ? PostgresSaver.fromConnString(postgres) : new MemorySaver(),
);
const agent = serveAgUi(graph, { runs: await openRuns() });

async function handler(request) {
  const { pathname } = new URL(request.url);
  return pathname.startsWith("/agent") ? agent(request) : new Response(...fileOf(pathname));
}

const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1", () => {
  process.send({ port: server.address().port });
});
