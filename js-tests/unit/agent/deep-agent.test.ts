// A deep agent plans, writes files, delegates, asks for approval and survives restarts: all with a scripted model.
import { field } from "threadfold";
import { createDeepAgent, type FunctionModel, tool } from "threadfold/agent";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";

const calls = (...list: [name: string, args: object][]) => ({
  content: "",
  tool_calls: list.map(([name, args]) => ({ id: `${name}-${JSON.stringify(args).length}-${seen++}`, name, args })),
});
let seen = 0;

/**
 * Returns the next step by the messages it gets. It has no state of its own, so that it may be a new one after a
 * restart.
 */
const model: FunctionModel = (messages) => {
  const task = messages.find(({ type }) => type === "human")?.content as string;
  const results = messages.filter(({ type }) => type === "tool").map(({ content }) => String(content));
  if (task === "Write a trip to Rome.") {
    const todos = (status: string) => ({ todos: [{ content: "Research", status }] });
    if (results.length === 0)
      return calls(["write_todos", todos("in_progress")], ["write_file", { file_path: "/plan.md", content: "Rome" }]);
    if (results.length === 2) {
      return calls(
        ["task", { subagent_type: "general-purpose", description: "sights" }],
        ["task", { subagent_type: "general-purpose", description: "food" }],
      );
    }
    if (results.length === 4) return calls(["write_todos", todos("completed")], ["book", { hotel: "Roma" }]);
    return `Done: ${results.at(-1)}`;
  }
  // The sub-agents: one books something, which needs a yes, too.
  if (results.length === 0) return calls(["write_file", { file_path: `/${task}.md`, content: `about ${task}` }]);
  if (task === "food" && results.length === 1) return calls(["book", { hotel: "a table" }]);
  return `I wrote about ${task}.`;
};

const booked: string[] = [];
const book = tool({
  name: "book",
  run: ({ hotel }: { hotel: string }) => {
    booked.push(hotel);
    return `Booked ${hotel}.`;
  },
});

test("a deep agent, started anew from its checkpoints at each question", async () => {
  const checkpointer = new MemorySaver();
  const config = { threadId: "trip" };
  const start = () => createDeepAgent({ model, tools: [book], interruptOn: { book: true }, checkpointer });

  const first = await start().invoke({ messages: "Write a trip to Rome." }, config);
  const [question] = first[INTERRUPT] as { id: string; value: { action_requests: { name: string; args: object }[] } }[];
  expect(question?.value.action_requests).toMatchObject([{ name: "book", args: { hotel: "a table" } }]);
  expect(booked).toEqual([]);

  // Another process: a new agent on the saver's checkpoints. The sub-agent continues where it asked.
  const second = await start().invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
  expect(booked).toEqual(["a table"]);
  expect(Object.keys(second.files ?? {}).sort()).toEqual(["/food.md", "/plan.md", "/sights.md"]);
  const asked = second[INTERRUPT] as (typeof question)[];
  expect(asked?.[0]?.value.action_requests).toMatchObject([{ name: "book", args: { hotel: "Roma" } }]);

  const edit = { type: "edit", edited_action: { name: "book", args: { hotel: "Ostia" } } };
  const last = await start().invoke(new Command({ resume: { decisions: [edit] } }), config);
  expect(booked).toEqual(["a table", "Ostia"]);
  expect(last.todos).toEqual([{ content: "Research", status: "completed" }]);
  expect(String(last.messages.at(-1)?.content)).toContain("Booked Ostia.");
  expect(Object.keys(last.files ?? {}).sort()).toEqual(["/food.md", "/plan.md", "/sights.md"]);
});

test("sub-agents that write one file at the same time lose nothing", async () => {
  const both: FunctionModel = (messages) => {
    const task = messages.find(({ type }) => type === "human")?.content as string;
    const results = messages.filter(({ type }) => type === "tool");
    if (task !== "go") {
      return results.length === 0 ? calls(["write_file", { file_path: "/shared.md", content: task }]) : "Written.";
    }
    const one = (description: string) =>
      ["task", { subagent_type: "general-purpose", description }] as [string, object];
    return results.length === 0 ? calls(one("left"), one("right")) : "Both.";
  };
  const { files = {}, messages } = await createDeepAgent({ model: both }).invoke({ messages: "go" });
  const written = Object.values(files).map(({ content }) => content);
  expect(written.sort()).toEqual(["left", "right"]);
  expect(
    messages
      .filter(({ type }) => type === "tool")
      .map(({ content }) => content)
      .join(),
  ).toContain("merge the two");
});

test.each([
  [
    "the same in the next turn",
    [
      ["c", "d"],
      ["c", "d"],
    ],
    ["/n", "/n.d", "/n.d-2"],
  ],
  ["no name of a file", [["c", "../../x"]], ["/n", "/n.______x"]],
])("nor do those whose calls have ids that are %s", async (_, turns, paths) => {
  const given = { content: "mine", encoding: "utf-8", created_at: "", modified_at: "" };
  let count = 0;
  const model: FunctionModel = (messages) => {
    const results = messages.filter(({ type }) => type === "tool").length;
    if (messages.find(({ type }) => type === "human")?.content !== "go")
      return results === 0 ? calls(["write_file", { file_path: "/n", content: `text ${count++}` }]) : "Written.";
    const ids = turns[results / 2];
    const args = { subagent_type: "general-purpose", description: "write" };
    return ids ? { content: "", tool_calls: ids.map((id) => ({ id, name: "task", args })) } : "Done.";
  };
  const { files = {} } = await createDeepAgent({ model }).invoke({ messages: "go" });
  expect(Object.keys(files)).toEqual(paths);
  const kept = await createDeepAgent({ model }).invoke({ messages: "go", files: { [paths[1] as string]: given } });
  expect(kept.files?.[paths[1] as string]?.content).toBe("mine");
});

test("nor do those whose calls have one id in a turn: the second gets its own", async () => {
  let count = 0;
  const model: FunctionModel = (messages) => {
    if (messages.find(({ type }) => type === "human")?.content !== "go")
      return messages.some(({ type }) => type === "tool")
        ? "Written."
        : calls(["write_file", { file_path: "/n", content: `text ${count++}` }]);
    const args = { subagent_type: "general-purpose", description: "write" };
    const both = { content: "", tool_calls: [1, 2].map(() => ({ id: "c", name: "task", args })) };
    return messages.some(({ type }) => type === "tool") ? "Done." : both;
  };
  const { files = {}, messages } = await createDeepAgent({ model }).invoke({ messages: "go" });
  const ids = messages
    .flatMap((message) => (message.type === "ai" ? (message.tool_calls ?? []) : []))
    .map(({ id }) => id);
  expect(ids[0]).toBe("c");
  expect(Object.keys(files)).toEqual(["/n", `/n.${ids[1]}`]);
});

test("nor does what the agent writes itself in the same turn", async () => {
  const both: FunctionModel = (messages) => {
    const task = messages.find(({ type }) => type === "human")?.content as string;
    const results = messages.filter(({ type }) => type === "tool");
    const write = (content: string): [string, object] => ["write_file", { file_path: "/shared.md", content }];
    if (task !== "go") return results.length === 0 ? calls(write("theirs")) : "Written.";
    const delegate: [string, object] = ["task", { subagent_type: "general-purpose", description: "write" }];
    return results.length === 0 ? calls(write("own"), delegate) : "Both.";
  };
  const { files = {} } = await createDeepAgent({ model: both }).invoke({ messages: "go" });
  expect(files["/shared.md"]?.content).toBe("own");
  expect(Object.values(files).map(({ content }) => content)).toContain("theirs");
});

test("the model's request: prompts, tools, and no private fields in a run's result", async () => {
  const shown: unknown[] = [];
  const agent = createDeepAgent({
    model: (messages, { tools }) => {
      shown.push([messages[0]?.type, tools.map(({ name }) => name)]);
      return "Hi.";
    },
    systemPrompt: "You are Ada.",
    subagents: [{ name: "critic", description: "Criticizes.", model: () => "Bad." }],
  });
  const result = await agent.invoke({ messages: "Hello" });
  expect(Object.keys(result).sort()).toEqual(["files", "messages", "todos"]);
  expect(shown).toEqual([
    ["system", ["write_todos", "ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "task"]],
  ]);
});

test("sub-agents share the fields of the agent's own schema", async () => {
  const seen: unknown[] = [];
  const call = (name: string, args: object) => ({ content: "", tool_calls: [{ id: name, name, args }] });
  const rename = tool({
    name: "rename",
    run: (_, { state, toolCall: { id } }) => {
      seen.push(state["topic"]);
      const messages = [{ type: "tool" as const, content: "Renamed.", tool_call_id: id as string }];
      return new Command({ update: { topic: "tea", messages } });
    },
  });
  const script = [call("task", { description: "Rename it.", subagent_type: "helper" }), "Done."];
  const subagents = [
    {
      name: "helper",
      description: "Renames.",
      tools: [rename],
      model: (messages: readonly object[]) => (messages.length > 2 ? "Renamed it." : call("rename", {})),
    },
  ];
  const schema = { topic: field.replace<string>() };
  const result = await createDeepAgent({ model: () => script.shift() as never, schema, subagents }).invoke({
    messages: "go",
    topic: "coffee",
  });
  expect([seen, result.topic]).toEqual([["coffee"], "tea"]);
});
