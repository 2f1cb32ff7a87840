// One instance of a server, for the test that kills it: its runs are in Redis, its threads in Postgres.
// Arguments: the socket of Redis, the URL of Postgres, and "hangs" if its second node says half and never ends.
import { createServer } from "node:http";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createClient } from "redis";
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";
import { serveAgUi, toNodeListener } from "threadfold/serve";
import { RedisRuns } from "threadfold/serve/redis";

const [path, url, hangs] = process.argv.slice(2);
const client = createClient({ socket: { path, tls: false } });
client.on("error", () => {});
await client.connect();

const graph = new StateGraph(defineSchema({ messages: field.messages() }))
  .addNode("first", () => ({ messages: [{ type: "ai", id: "a", content: "First" }] }))
  .addNode("second", async (_state, { writer }) => {
    writer({ name: "half", value: process.pid });
    if (hangs) await new Promise(() => {});
    return { messages: [{ type: "ai", id: `b${process.pid}`, content: "Second" }] };
  })
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END)
  .compile({ checkpointer: PostgresSaver.fromConnString(url) });

const handler = serveAgUi(graph, { runs: new RedisRuns({ client, ttl: 500 }) });
const server = createServer(toNodeListener(handler)).listen(0, "127.0.0.1", () => {
  process.stdout.write(`${server.address().port}\n`);
});
