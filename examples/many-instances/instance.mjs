// One instance: an agent without a model, and the page. By itself it keeps all in its memory.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createClient } from "redis";
import { defineSchema, field, textOf } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveAgUi, toNodeListener } from "threadfold/serve";
import { RedisRuns } from "threadfold/serve/redis";

// It ends with the program that started it.
process.once("disconnect", () => process.exit());

const { REDIS, POSTGRES, PORT = 8000 } = process.env;

const redis = REDIS && createClient({ socket: { path: REDIS, tls: false } }).on("error", console.error);
await redis?.connect();
const runs = redis ? new RedisRuns({ client: redis, ttl: 2_000 }) : new MemoryRuns();
const checkpointer = POSTGRES ? PostgresSaver.fromConnString(POSTGRES) : new MemorySaver();

/** Says something word by word, as a model's answer comes. */
async function say(ctx, text) {
  const id = crypto.randomUUID();
  for (const content of text.match(/\s*\S+/g)) {
    ctx.message({ type: "AIMessageChunk", id, content });
    await sleep(50, undefined, { signal: ctx.signal });
  }
  return { messages: { type: "ai", id, content: text } };
}

const asked = ({ messages }) => textOf(messages.findLast(({ type }) => type === "human"));
const LONG = "I say so word by word, and whoever looks sees the same, on this page or on another one.";

const graph = new StateGraph(defineSchema({ messages: field.messages() }))
  .addNode("answer", (state, ctx) => say(ctx, `Instance ${process.pid} answers "${asked(state)}". ${LONG}`))
  .addNode("book", (_, ctx) => {
    const isBooked = ctx.interrupt({ message: "Book the table for two?" });
    return say(ctx, isBooked === true ? "Your table is booked." : "I booked nothing.");
  })
  .addConditionalEdges(START, (state) => (/book/i.test(asked(state)) ? "book" : "answer"), ["answer", "book"])
  .addEdge("answer", END)
  .addEdge("book", END)
  .compile({ checkpointer });

const agent = serveAgUi(graph, { runs });

/** Sends the page, and the modules that it imports. */
async function page(pathname) {
  const name = /^\/threadfold\/([\w-]+\.js)$/.exec(pathname)?.[1];
  const file = name ? new URL(name, import.meta.resolve("threadfold")) : new URL("index.html", import.meta.url);
  const type = name ? "text/javascript" : "text/html";
  return new Response(await readFile(file), { headers: { "content-type": type } });
}

async function handler(request) {
  const { pathname } = new URL(request.url);
  return pathname.startsWith("/agent") ? agent(request) : page(pathname);
}

const server = createServer(toNodeListener(handler)).listen(PORT, () => {
  const { port } = server.address();
  if (process.send) process.send({ port });
  else console.log(`Open http://localhost:${port} in several tabs.`);
});
