// The stream of an agent, by the rules of langchain and langgraph for Python.
import {
  createAgent,
  createPatchToolCallsMiddleware,
  humanInTheLoopMiddleware,
  type Middleware,
  tool,
} from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { type Reply, scripted } from "./records.js";

const echo = tool({ name: "echo", run: ({ x }: { x: string }) => `echo:${x}` });
const agentOf = (replies: readonly Reply[], ...middleware: readonly Middleware[]) =>
  createAgent({ model: scripted(replies), tools: [echo], middleware, checkpointer: new MemorySaver() });
const thread = { threadId: "t" };

test("a node that writes the history again streams only what is new in it", async () => {
  const open = { type: "ai", content: "", tool_calls: [{ id: "c1", name: "echo", args: { x: "1" } }] } as const;
  const agent = agentOf([], createPatchToolCallsMiddleware() as never);
  const streamed = async (messages: readonly object[]) => {
    const seen: unknown[] = [];
    for await (const [message] of await agent.stream({ messages } as never, { ...thread, streamMode: "messages" })) {
      const { type, tool_call_id } = message as { type: string; tool_call_id?: string };
      seen.push(tool_call_id ?? type);
    }
    return seen;
  };
  // The user's messages have ids, or not.
  expect(
    await streamed([
      { role: "user", content: "one" },
      { ...open, id: "a1" },
      { role: "user", content: "two" },
    ]),
  ).toEqual(["c1", "ai"]);
  const next = { ...open, tool_calls: [{ id: "c2", name: "echo", args: { x: "2" } }] };
  expect(await streamed([next, { role: "user", content: "three" }])).toEqual(["c2", "ai"]);
});

test("an approval keeps its edits until the model calls tools again", async () => {
  const replies = [{ content: "", tool_calls: [{ id: "c1", name: "echo", args: { x: "1" } }] }];
  const agent = agentOf(replies, humanInTheLoopMiddleware({ interruptOn: { echo: true } }) as never);
  await agent.invoke({ messages: "go" }, thread);
  const edit = { type: "edit", edited_action: { name: "echo", args: { x: "2" } } };
  const updates: unknown[] = [];
  for await (const update of await agent.stream(new Command({ resume: { decisions: [edit] } }), {
    ...thread,
    streamMode: "updates",
  }))
    updates.push(
      Object.entries(update as object).map(([node, wrote]) => [node, Object.keys((wrote ?? {}) as object)])[0],
    );
  expect(updates).toEqual([
    ["HumanInTheLoopMiddleware.after_model", ["messages", "hitlEditedToolCalls"]],
    ["tools", ["messages"]],
    ["model", ["messages"]],
    ["HumanInTheLoopMiddleware.after_model", []],
  ]);
});
