// One instance of a server for the test that kills it at each await on Redis and Postgres. It is given the socket of Redis,
// the URL of Postgres, and the await to die at (0 for none). The last argument is how often it looks for orphaned runs, in
// milliseconds. The first step of a request's path is the prefix of its runs. Each trial has one.
import { once } from "node:events";
import { createServer } from "node:http";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Client, Pool } from "pg";
import { createClient } from "redis";
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";
import { serveAgUi, toNodeListener } from "threadfold/serve";
import { RedisRuns } from "threadfold/serve/redis";

const [path, url, dieAt, looks] = process.argv.slice(2);

let awaits = 0;
function passes() {
  if (++awaits === Number(dieAt)) process.kill(process.pid, "SIGKILL");
}
/** An await has two places to die: before anything is sent, and with the answer. */
async function counted(call) {
  passes();
  const answer = await call();
  passes();
  return answer;
}

const connected = createClient({ socket: { path, tls: false } });
const world = connected.duplicate();
for (const one of [connected, world]) await one.on("error", () => {}).connect();
const client = {
  sendCommand: (args) => counted(() => connected.sendCommand(args)),
  duplicate: () => {
    const own = connected.duplicate();
    const subscribe = own.subscribe.bind(own);
    own.subscribe = (...args) => counted(() => subscribe(...args));
    return own;
  },
};
const { query } = Client.prototype;
Client.prototype.query = function (...args) {
  const call = () => query.apply(this, args);
  // The pool's own calls take a callback.
  if (typeof args.at(-1) !== "function") return counted(call);
  const answered = args.pop();
  args.push((...answer) => {
    passes();
    answered(...answer);
  });
  passes();
  return call();
};

/** Records in Redis that the node ran, then streams a text in two parts. */
const says = (name, text, last) => async (_state, context) => {
  await world.sendCommand(["RPUSH", `effects:${context.executionInfo.threadId}`, `${process.pid} ${name}`]);
  const id = crypto.randomUUID();
  const answer = last?.(context);
  context.message({ type: "AIMessageChunk", id, content: text.slice(0, 4) });
  if (name === "long" && !context.signal.aborted) await once(context.signal, "abort");
  context.message({ type: "AIMessageChunk", id, content: text.slice(4) });
  return { log: [answer ?? name], messages: [{ type: "ai", id, content: text }] };
};

const graph = new StateGraph(defineSchema({ log: field.append(), messages: field.messages() }))
  .addNode("model", says("model", "I order it."))
  .addNode(
    "ask",
    says("ask", "Ordered.", ({ interrupt }) => interrupt({ message: "Shall I?" }) && "ask"),
  )
  .addNode("long", says("long", "It takes long."))
  .addNode("last", says("last", "Done."))
  .addConditionalEdges(START, ({ messages }) => ({ order: "model", long: "long" })[messages.at(-1).content] ?? "last")
  .addEdge("model", "ask")
  .addEdge("ask", END)
  .addEdge("long", END)
  .addEdge("last", END)
  .compile({ checkpointer: new PostgresSaver(new Pool({ connectionString: url, max: 4 })) });

const METHODS = "begin claim renew append update end cancel send follow watch runs remove close".split(" ");
/** The store, with leases that last longer than the test: it ends those of the instance that it kills. */
function storeOf(prefix) {
  const store = new RedisRuns({ client, prefix, ttl: 600_000 });
  const methods = METHODS.map((name) => [name, (...args) => store[name](...args)]);
  return { ttl: 3 * Number(looks), ...Object.fromEntries(methods) };
}

const handlers = new Map();
const server = createServer((request, response) => {
  const [, prefix] = request.url.split("/");
  const listener =
    handlers.get(prefix) ?? toNodeListener(serveAgUi(graph, { runs: storeOf(`${prefix}:`), heartbeat: 0 }));
  handlers.set(prefix, listener);
  void listener(request, response);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
