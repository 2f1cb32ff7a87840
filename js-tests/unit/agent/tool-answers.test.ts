// The result of a tool and the message to the model, by the rules of LangGraph's ToolNode for Python.
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent, tool } from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { scripted } from "./records.js";

const calls = (...names: string[]) => [
  { content: "", tool_calls: names.map((name, at) => ({ id: `c${at + 1}`, name, args: {} })) },
];
const agentWith = (run: () => unknown) =>
  createAgent({
    model: scripted(calls("act")),
    tools: [tool({ name: "act", run })],
    checkpointer: new MemorySaver(),
  });
const commanded = async (messages: unknown) => {
  const agent = agentWith(() => new Command({ update: { messages } }));
  return (await agent.invoke({ messages: "go" }, { threadId: "t" })).messages.slice(2, -1);
};
const answer = { type: "tool", content: "Done.", tool_call_id: "c1" } as const;

test("the message that answers the call has the tool's name", async () => {
  expect(await commanded([answer])).toMatchObject([{ name: "act", content: "Done." }]);
  expect(await commanded([{ ...answer, name: "other" }])).toMatchObject([{ name: "act" }]);
  expect(await commanded(answer)).toMatchObject([{ name: "act" }]);
  expect(await commanded([{ role: "tool", content: "Done.", tool_call_id: "c1" }])).toMatchObject([{ name: "act" }]);
});

test("other messages stay as they are, and so does what the tool made", async () => {
  const given = [Object.freeze({ ...answer }), { type: "human", content: "And?", id: "h1" }];
  const [first, second] = await commanded(given);
  expect([first?.name, second]).toEqual(["act", { type: "human", content: "And?", id: "h1" }]);
  const elsewhere = { ...answer, tool_call_id: "c9", name: "there" };
  expect((await commanded([answer, elsewhere])).map(({ name }) => name)).toEqual(["act", "there"]);
});

test("an instance of LangChain's is named, too, and saved with its name", async () => {
  const agent = agentWith(
    () => new Command({ update: { messages: [new ToolMessage({ content: "Done.", tool_call_id: "c1" })] } }),
  );
  const { messages } = await agent.invoke({ messages: "go" }, { threadId: "t" });
  expect(messages[2]).toBeInstanceOf(ToolMessage);
  expect(JSON.parse(JSON.stringify(messages[2]))).toMatchObject({ kwargs: { name: "act" } });
});

test.for<[string, unknown]>([
  ["no message", undefined],
  ["an answer to another call", [{ ...answer, tool_call_id: "c2" }]],
  ["a message of the model's", [new AIMessage("Done.")]],
])("a command with %s fails the run: models refuse a call without a result", async ([, messages]) => {
  const update = messages === undefined ? { jumpTo: undefined } : { messages };
  const running = agentWith(() => new Command({ update })).invoke({ messages: "go" }, { threadId: "t" });
  await expect(running).rejects.toThrow(/^Expected to have a matching ToolMessage in Command.update for tool 'act'/);
});

test("a command that removes all messages needs no answer", async () => {
  const remove = { type: "remove", id: "__remove_all__" };
  const agent = agentWith(() => new Command({ update: { messages: [remove] } }));
  const { messages } = await agent.invoke({ messages: "go" }, { threadId: "t" });
  expect(messages.map(({ content }) => content)).toEqual(["done"]);
});

const block = { type: "text", text: "hi" };
const image = { type: "image_url", image_url: { url: "data:," } };
test.for<[unknown, unknown]>([
  [[], []],
  [
    [block, image],
    [block, image],
  ],
  [[{ type: "circle", radius: 1 }], '[{"type":"circle","radius":1}]'],
  [[block, { type: "circle" }], '[{"type":"text","text":"hi"},{"type":"circle"}]'],
  [["x", "y"], '["x","y"]'],
  [[1, "a"], '[1,"a"]'],
  [{ a: [null, true] }, '{"a":[null,true]}'],
  [5, "5"],
  [null, "null"],
])("of %j a model is told %j: a list is content if all of it are blocks of content", async ([returned, told]) => {
  const { messages } = await agentWith(() => returned).invoke({ messages: "go" }, { threadId: "t" });
  expect(messages[2]?.content).toEqual(told);
});
