// An argument of the wrong form throws at once, and calls with one id stay apart.
import {
  createAgent,
  createMiddleware,
  createSubAgentMiddleware,
  humanInTheLoopMiddleware,
  tool,
} from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";

const model = () => "Hi";
const look = () => tool({ name: "look", run: () => "" });

test.each([
  [
    "createAgent: expected a text or a system message as systemPrompt.",
    () => createAgent({ model, systemPrompt: 5 as never }),
  ],
  [
    "createAgent: expected a text or a system message as systemPrompt.",
    () => createAgent({ model, systemPrompt: {} as never }),
  ],
  [
    "canJumpTo: expected a list of 'model', 'tools' and 'end'.",
    () => {
      const beforeModel = { canJumpTo: ["modl" as "model"], hook: () => undefined };
      return createAgent({ model, middleware: [createMiddleware({ name: "one", beforeModel })] });
    },
  ],
  [
    "createAgent: two tools are named 'look'. Rename one: the model calls them by name.",
    () => createAgent({ model, tools: [look(), look()] }),
  ],
  [
    "createAgent: two tools are named 'look'. Rename one: the model calls them by name.",
    () => createAgent({ model, tools: [look()], middleware: [createMiddleware({ name: "one", tools: [look()] })] }),
  ],
  [
    "createSubAgentMiddleware: a sub-agent has no name. The model calls it by its name.",
    () => createSubAgentMiddleware({ defaultModel: model, subagents: [{ description: "Looks" } as never] }),
  ],
])("%s", (message, make) => {
  expect(make).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT", message }));
});

test("an option that is misspelt is refused with the nearest name", () => {
  expect(() => createAgent({ model, sytemPrompt: "Be brief." } as never)).toThrow(
    "createAgent: unknown option 'sytemPrompt'. Did you mean 'systemPrompt'?",
  );
});

test("a stream mode that there is not is refused before anything runs", async () => {
  const agent = createAgent({
    model: () => {
      throw new Error("runs");
    },
  });
  const take = async () => {
    for await (const part of agent.stream({ messages: "go" }, { streamMode: "bogus" as "values" })) void part;
  };
  await expect(take()).rejects.toThrow("There is no stream mode 'bogus'.");
});

function sender(...calls: { name: string; args: object; id: string }[]) {
  const log: string[] = [];
  const tools = ["send", "look"].map((name) =>
    tool({ name, run: ({ to }: { to: string }) => `the ${log.push(`${name} ${to}`)}th` }),
  );
  const agent = createAgent({
    model: (messages) => (messages.length > 1 ? "Done." : { content: "", tool_calls: calls }),
    tools,
    middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
    checkpointer: new MemorySaver(),
  });
  return { agent, log };
}

test("calls with one id get ids of their own: a decision is about one of them", async () => {
  const { agent, log } = sender(
    { name: "send", args: { to: "a" }, id: "c" },
    { name: "look", args: { to: "b" }, id: "c" },
    { name: "send", args: { to: "c" }, id: "c" },
  );
  const config = { threadId: "t" };
  const { [INTERRUPT]: asked } = await agent.invoke({ messages: "go" }, config);
  expect(asked).toHaveLength(1);
  const edited = { type: "edit", edited_action: { name: "send", args: { to: "d" } } };
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [edited, { type: "reject" }] } }), config);
  expect(log.sort()).toEqual(["look b", "send d"]);
  const answered = messages.filter(({ type }) => type === "tool");
  expect(new Set(answered.map((message) => (message as { tool_call_id: string }).tool_call_id)).size).toBe(3);
});

test("an answer of a human's without a message is refused, and can be given again", async () => {
  const { agent, log } = sender({ name: "send", args: { to: "a" }, id: "c" });
  const config = { threadId: "t" };
  await agent.invoke({ messages: "go" }, config);
  const answer = (decision: object) => agent.invoke(new Command({ resume: { decisions: [decision] } }), config);
  await expect(answer({ type: "respond" })).rejects.toThrow(
    'Tool call response for "send" must be a string, got undefined',
  );
  const { messages } = await answer({ type: "respond", message: "Not now." });
  expect(messages.find(({ type }) => type === "tool")?.content).toBe("Not now.");
  expect(log).toEqual([]);
});
