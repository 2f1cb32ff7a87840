// Turns of an agent with many calls.
import { createAgent, createDeepAgent, type FunctionModel, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { times } from "./lists.js";
import type { Case } from "./measure.js";

/** Calls a tool `n` times in its first turn. */
const calling =
  (n: number, name: string, args: (at: number) => Record<string, unknown>): FunctionModel =>
  (messages) =>
    messages.at(-1)?.type === "tool"
      ? "Done."
      : { content: "", tool_calls: times(n, (at) => ({ id: `c${at}`, name, args: args(at) })) };

const worker = createAgent({ model: () => "Done." });

export const agents: Case[] = [
  {
    name: "agent: n tool calls in one answer, over a MemorySaver",
    most: 400,
    prepare: (n) => {
      const look = tool({ name: "look", run: ({ at }: { at: number }) => `${at}` });
      const model = calling(n, "look", (at) => ({ at }));
      const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver() });
      return () => agent.invoke({ messages: "go" }, { threadId: "t" });
    },
  },
  {
    name: "agent: n files written in one turn",
    most: 400,
    prepare: (n) => {
      const model = calling(n, "write_file", (at) => ({ file_path: `/${at}`, content: "x" }));
      const agent = createDeepAgent({ model });
      return () => agent.invoke({ messages: "go" });
    },
  },
  {
    name: "agent: n sub-agents in one turn",
    most: 200,
    prepare: (n) => {
      const model = calling(n, "task", () => ({ subagent_type: "worker", description: "work" }));
      const subagents = [{ name: "worker", description: "works", runnable: worker }];
      const agent = createDeepAgent({ model, subagents: subagents as never });
      return () => agent.invoke({ messages: "go" });
    },
  },
];
