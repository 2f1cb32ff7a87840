// One run of a graph on SQLite, in a process that a test kills. Arguments: the database, the file that nodes write to
// when they run, the durability, and the number of the await to die at. With 0 it survives and prints the number of
// awaits.
import { createHook } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { defineSchema, field } from "threadfold";
import { Send, START, StateGraph } from "threadfold/graph";

const [database, effects, durability, dieAt] = process.argv.slice(2);

/** Runs: its effect is in the world before its result is anywhere. */
const node = (name) => async () => {
  await setImmediate();
  appendFileSync(effects, `${name}\n`);
  await Promise.resolve();
  return { log: [name], messages: [{ type: "ai", id: name, content: name }] };
};

const schema = defineSchema({ log: field.append(), messages: field.messages() });
const saver = SqliteSaver.fromConnString(database);
const graph = new StateGraph(schema)
  .addNode("a", node("a"))
  .addNode("b", node("b"))
  .addNode("join", node("join"))
  .addNode("work", ({ item }) => node(`work ${item}`)())
  .addNode("end", node("end"), { defer: true })
  .addEdge(START, "a")
  .addEdge(START, "b")
  .addEdge(["a", "b"], "join")
  .addConditionalEdges("join", () => [1, 2].map((item) => new Send("work", { item })), ["work"])
  .addEdge("work", "end")
  .compile({ checkpointer: saver });

let awaits = 0;
const hook = createHook({
  // Before the code after an await continues.
  before() {
    if (++awaits === Number(dieAt)) process.kill(process.pid, "SIGKILL");
  },
});
// Asks for the hooks of promises.
hook.enable();
const config = { threadId: "1", durability };
const exists = await saver.getTuple({ configurable: { thread_id: "1" } });
await graph.invoke(exists ? null : { log: ["in"] }, config);
hook.disable();
console.log(awaits);
