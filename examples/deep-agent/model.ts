// Replaces a model that costs money: a script, which goes by the conversation so far.
import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "threadfold";
import type { FunctionModel } from "threadfold/agent";

const calls = (...list: [name: string, args: object][]) => ({
  content: "",
  tool_calls: list.map(([name, args]) => ({ id: crypto.randomUUID(), name, args })),
});
const todos = (...status: string[]) => ({
  todos: ["Find out what there is", "Book"].map((content, at) => ({ content, status: status[at] })),
});

export const model: FunctionModel = async (messages) => {
  await sleep(100); // so that you see the sub-agents work
  const task = textOf(messages.find(({ type }) => type === "human") as object);
  const results = messages.filter(({ type }) => type === "tool").map(textOf);
  const [, topic] = /^Find (\w+)/.exec(task) ?? [];
  if (topic) {
    if (results.length === 0) return calls(["write_file", { file_path: `/${topic}.md`, content: `The best ${topic}` }]);
    return `They are in /${topic}.md.`;
  }
  const find = (what: string): [string, object] => [
    "task",
    { subagent_type: "general-purpose", description: `Find ${what} in Rome, and write them down.` },
  ];
  if (results.length === 0)
    return calls(["write_todos", todos("in_progress", "pending")], find("sights"), find("food"));
  if (results.length === 3) {
    const plan = { file_path: "/plan.md", content: "Saturday: sights. Sunday: food." };
    return calls(["write_todos", todos("completed", "in_progress")], ["write_file", plan]);
  }
  if (results.length === 5) return calls(["book_hotel", { hotel: "Albergo Roma" }]);
  return results.at(-1)?.startsWith("Booked") ? "Your weekend is booked: see /plan.md." : "As you like: no hotel.";
};
