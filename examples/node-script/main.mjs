// `node main.mjs "What is the weather in Rome?"` asks the agent and prints the answer as it comes. The conversation is
// kept in thread.json, and the next call continues it. The agent's questions are asked here.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { textOf, Thread } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";

const url = process.env.AGENT_URL ?? "http://localhost:8000";
const thread = load() ?? new Thread();
const agent = new AgUiRunner(thread, { url });

let printed = "";
function show({ messages }) {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const text = textOf(last);
  process.stdout.write(text.startsWith(printed) ? text.slice(printed.length) : `\n${text}`);
  printed = text;
}

thread.subscribe(show);
if (agent.interrupts.length === 0) await agent.sendMessage(process.argv[2] ?? "Hello");
while (agent.interrupts.length > 0) await agent.resume(await answers(agent.interrupts));
show(thread.getState()); // listeners hear of what comes in one piece a task later
process.stdout.write("\n");
if (agent.error) throw agent.error;
writeFileSync("thread.json", JSON.stringify(thread));

async function answers(interrupts) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const decisions = [];
  for (const { id, message } of interrupts) {
    const answer = await terminal.question(`\n${message ?? "Go on?"} (yes or no) `);
    decisions.push({ id, value: { approved: answer.startsWith("y") } });
  }
  terminal.close();
  return decisions;
}

function load() {
  try {
    return Thread.fromJSON(JSON.parse(readFileSync("thread.json", "utf8")));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
