// One instance of a server, for the tests that kill or stop it: its threads are in Postgres, its runs there or in Redis.
// Arguments: the URL of Postgres, the socket of Redis or "", and "hangs" if its second node never ends by itself.
import { createServer } from "node:http";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Pool } from "pg";
import { createClient } from "redis";
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";
import { serveAgUi, toNodeListener } from "threadfold/serve";
import { PostgresRuns } from "threadfold/serve/postgres";
import { RedisRuns } from "threadfold/serve/redis";

const [url, path, hangs] = process.argv.slice(2);

async function runsIn(options) {
  if (!path) return new PostgresRuns({ pool: new Pool({ connectionString: url }), ...options });
  const client = createClient({ socket: { path, tls: false } });
  client.on("error", () => {});
  await client.connect();
  return new RedisRuns({ client, ...options });
}

const graph = new StateGraph(defineSchema({ messages: field.messages() }))
  .addNode("first", () => ({ messages: [{ type: "ai", id: "a", content: "First" }] }))
  .addNode("second", async (_state, { writer, signal }) => {
    writer({ name: "half", value: process.pid });
    if (hangs)
      while (!signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        writer({ name: "half", value: process.pid });
      }
    if (signal?.aborted) process.stdout.write("aborted\n");
    return { messages: [{ type: "ai", id: `b${process.pid}`, content: "Second" }] };
  })
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END)
  // The second node begins when the checkpoint is written: an instance stopped there holds no lock of the saver.
  .compile({ checkpointer: PostgresSaver.fromConnString(url), durability: "sync" });

const handler = serveAgUi(graph, { runs: await runsIn({ ttl: 500 }) });
const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1", () => {
  process.stdout.write(`${server.address().port}\n`);
});
