// An agent without a model, as a server: a graph, over AG-UI at /, at /live for clients that join runs, and with LangGraph's API at
// /langgraph.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { defineSchema, field, textOf } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, toNodeListener } from "threadfold/serve";

const FORECAST =
  "It is 21 °C and sunny in Rome, with a light wind from the sea. The evening stays warm, and no rain is expected before Thursday.";

/** Says something word by word, and calls tools, as a model's answer comes. */
async function say(ctx, text, calls = []) {
  const id = crypto.randomUUID();
  for (const content of text.match(/\s*\S+/g) ?? []) {
    ctx.message({ type: "AIMessageChunk", id, content });
    await sleep(30, undefined, { signal: ctx.signal });
  }
  return { messages: { type: "ai", id, content: text, tool_calls: calls } };
}

const asked = ({ messages }) => textOf(messages.findLast(({ type }) => type === "human"));

const graph = new StateGraph(defineSchema({ messages: field.messages() }))
  .addNode("model", ({ messages }, ctx) => {
    if (messages.at(-1).type === "tool") return say(ctx, FORECAST);
    if (!/weather/i.test(asked({ messages }))) return say(ctx, `You said: ${asked({ messages })}`);
    return say(ctx, "", [{ id: crypto.randomUUID(), name: "get_weather", args: { city: "Rome" } }]);
  })
  .addNode("tools", ({ messages }) => ({
    messages: messages.at(-1).tool_calls.map(({ id }) => ({ type: "tool", tool_call_id: id, content: "21 °C, sunny" })),
  }))
  .addNode("book", (_, ctx) => {
    const answer = ctx.interrupt({ message: "Book the table for two?" });
    return say(ctx, answer === true || answer?.approved ? "Your table is booked." : "I booked nothing.");
  })
  .addConditionalEdges(START, (state) => (/book/i.test(asked(state)) ? "book" : "model"), ["book", "model"])
  .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls.length > 0 ? "tools" : END))
  .addEdge("tools", "model")
  .addEdge("book", END)
  .compile({ checkpointer: new MemorySaver() });

const agUi = serveAgUi(graph, { cors: true });
const live = serveAgUi(graph, { cors: true, resumable: true });
const langGraph = serveLangGraph(graph, { basePath: "/langgraph", cors: true });

/** Asked to "fail", it does so once for each message: for the page's retry. */
const failed = new Set();
async function handler(request) {
  const { messages, input } = request.method === "POST" ? await request.clone().json() : {};
  const last = (messages ?? input?.messages ?? []).at(-1);
  if (last && /fail/i.test(textOf(last)) && !failed.has(last.id)) {
    failed.add(last.id);
    return new Response("The agent is busy.", { status: 503, headers: { "access-control-allow-origin": "*" } });
  }
  const [, path] = new URL(request.url).pathname.split("/");
  return ({ langgraph: langGraph, live }[path] ?? agUi)(request);
}

createServer(toNodeListener(handler)).listen(Number(process.env.PORT ?? 8000));
