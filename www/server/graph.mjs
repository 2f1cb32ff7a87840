// The demo's agent: a graph whose model is a script. Its context carries the deliberate faults.
import { setTimeout as sleep } from "node:timers/promises";
import { defineSchema, field, textOf } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { createTripAgent } from "./deep-agent.mjs";
import { CITIES, DONE, LONG, mailOf, SHORT, TODOS } from "./script.mjs";

const State = defineSchema({
  messages: field.messages(),
  todos: field.reducer((_, todos) => todos, { default: () => [] }),
  files: field.files(),
});

const question = ({ messages }) => {
  const asked = messages.findLast(({ type }) => type === "human");
  return (asked && textOf(asked)) || "something without words";
};

/** Says something word by word, the spaces with the words, and then the calls of tools, in pieces that know no words. */
async function say(ctx, id, text, calls = []) {
  const told = async (fields) => {
    ctx.signal.throwIfAborted();
    ctx.message({ type: "AIMessageChunk", id, content: "", tool_call_chunks: [], ...fields });
    if (ctx.context.tick > 0) await sleep(ctx.context.tick, undefined, { signal: ctx.signal });
  };
  for (const content of text.match(/\s*\S+\s*$|\s*\S+/gu) ?? []) await told({ content });
  for (const [index, { id: call, name, args }] of calls.entries()) {
    await told({ tool_call_chunks: [{ index, id: call, name, args: "" }] });
    for (const piece of JSON.stringify(args).match(/.{1,9}/gsu) ?? [])
      await told({ tool_call_chunks: [{ index, args: piece }] });
  }
  return { type: "ai", id, content: text, tool_calls: calls };
}

const answered = (call, content) => ({ type: "tool", id: `${call.id}-result`, tool_call_id: call.id, content });
const callsOf = ({ messages }) => messages.findLast(({ tool_calls }) => tool_calls?.length > 0).tool_calls;
const withStatus = (todos, ...statuses) => todos.map(({ content }, at) => ({ content, status: statuses[at] }));

/** The last part of an answer. The state may keep another text than was streamed: a server that changes its mind. */
async function answer(ctx, id, text) {
  const message = await say(ctx, id, text);
  return { messages: [ctx.context.rewrite ? { ...message, content: "I would rather not have said that." } : message] };
}

const newId = (name) => `${crypto.randomUUID()}-${name}`;

/** Returns the graph, with its threads in this program's memory. */
export function createGraph() {
  return new StateGraph(State)
    .addNode("plan", async (_, ctx) => {
      const todos = TODOS.map((content) => ({ content, status: "pending" }));
      const call = { id: newId("plan"), name: "write_todos", args: { todos } };
      return { todos, messages: [await say(ctx, newId("thought"), "Let me plan this first.", [call])] };
    })
    .addNode("note", ({ messages, todos }) => ({
      messages: [answered(callsOf({ messages })[0], `Noted ${todos.length} todos.`)],
      todos: withStatus(todos, "completed", "in_progress", "pending"),
    }))
    .addNode("answer", (state, ctx) => answer(ctx, newId("answer"), `You wrote “${question(state)}”. ${LONG}`))
    .addNode("keep", ({ messages, todos }) => ({
      todos: withStatus(todos, "completed", "completed", "completed"),
      files: { "/answer.md": { content: textOf(messages.at(-1)), encoding: "utf-8" } },
    }))
    .addNode("look", async (state, ctx) => {
      const asked = question(state).toLowerCase();
      const named = Object.keys(CITIES).filter((city) => asked.includes(city.toLowerCase()));
      const cities = [...new Set([...named, ...Object.keys(CITIES)])].slice(0, 2);
      const calls = cities.map((city) => ({ id: newId(city), name: "get_weather", args: { city, days: 1 } }));
      return { messages: [await say(ctx, newId("looking"), "", calls)] };
    })
    .addNode("found", (state) => ({ messages: callsOf(state).map((call) => answered(call, CITIES[call.args.city])) }))
    .addNode("compare", (state, ctx) => {
      const cities = callsOf(state).map(({ args }) => args.city);
      const found = cities.map((city) => `${city} it is ${CITIES[city]}`).join("; in ");
      return answer(ctx, newId("answer"), `In ${found}. Take a coat to one of them.`);
    })
    .addNode("draft", async (_, ctx) => {
      const call = { id: newId("mail"), name: "send_mail", args: mailOf("ada@example.com") };
      return { messages: [await say(ctx, newId("draft"), "I have a mail ready for Ada.", [call])] };
    })
    .addNode("send", (state, ctx) => {
      const [call] = callsOf(state);
      // A tool that may not run before an approval.
      const { approved } =
        ctx.interrupt({ message: `Send this mail to ${call.args.to}?`, tool_call_id: call.id }) ?? {};
      return { messages: [answered(call, approved === true ? DONE.sent : DONE.refused)] };
    })
    .addNode("done", ({ messages }, ctx) =>
      answer(ctx, newId("answer"), textOf(messages.at(-1)) === DONE.sent ? DONE.told : DONE.kept),
    )
    .addNode("long", (_, ctx) => answer(ctx, newId("answer"), Array.from({ length: 8 }, () => LONG).join("\n\n")))
    .addNode("short", (state, ctx) =>
      answer(
        ctx,
        newId("answer"),
        SHORT.replace("{question}", () => question(state)),
      ),
    )
    .addNode("trip", createTripAgent())
    .addConditionalEdges(START, way, ["plan", "look", "draft", "trip", "long", "short"])
    .addEdge("plan", "note")
    .addEdge("note", "answer")
    .addEdge("answer", "keep")
    .addEdge("look", "found")
    .addEdge("found", "compare")
    .addEdge("draft", "send")
    .addEdge("send", "done")
    .addEdge("keep", END)
    .addEdge("compare", END)
    .addEdge("done", END)
    .addEdge("trip", END)
    .addEdge("long", END)
    .addEdge("short", END)
    .compile({ checkpointer: new MemorySaver(), name: "demo" });
}

function way(state) {
  const asked = question(state).toLowerCase();
  if (/\bmail\b|\bwrite to\b/.test(asked)) return "draft";
  if (/weather|forecast/.test(asked)) return "look";
  if (/\btrip\b|\brome\b/.test(asked)) return "trip";
  if (/\blong\b|\btokens\b/.test(asked)) return "long";
  return /\bshort\b|^(hi|hello|hey)\b/.test(asked) ? "short" : "plan";
}
