// Several calls of one turn change shared state: files, and fields that add up.
import { Annotation } from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { createDeepAgent, createFilesystemMiddleware, todoListMiddleware, tool } from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { describe, expect, test } from "vitest";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}
type Turns = readonly (string | readonly Call[])[];

const call = (id: string, name: string, args: object = {}): Call => ({ id, name, args });
const write = (id: string, content: string) => call(id, "write_file", { file_path: "/same", content });
const task = (id: string, description: string) => call(id, "task", { description, subagent_type: "general-purpose" });

/** A model whose turns depend on the user's message: "Go" to the agent, a task's description to a sub-agent. */
const scripted =
  (turns: Record<string, Turns>) =>
  async (messages: readonly { readonly type?: string; readonly content: unknown }[]) => {
    const asked = String(messages.findLast(({ type }) => type === "human")?.content);
    const turn = turns[asked]?.[messages.filter(({ type }) => type === "ai").length];
    return typeof turn === "string" ? turn : { content: "", tool_calls: [...(turn ?? [])] };
  };

const ask = tool({ name: "ask", run: (_, { interrupt }) => interrupt("Go on?") as string });

/** Runs the turns to their end, with "yes" to each question. Returns the files, and the calls' results. */
async function filesOf(turns: Record<string, Turns>, options: object = {}) {
  const agent = createDeepAgent({
    model: scripted(turns),
    tools: [ask],
    checkpointer: new MemorySaver(),
    ...options,
  } as Parameters<typeof createDeepAgent>[0]);
  const config = { configurable: { thread_id: "t" } };
  let end = (await agent.invoke({ messages: "Go" }, config)) as Record<string, unknown>;
  for (let more = 0; more < 5 && end["__interrupt__"]; more++) {
    const [{ id, value }] = end["__interrupt__"] as [{ id: string; value: unknown }];
    const answer = value === "Go on?" ? "yes" : { decisions: [{ type: more === 0 ? "reject" : "approve" }] };
    end = (await agent.invoke(new Command({ resume: { [id]: answer } }) as never, config)) as never;
  }
  const files = Object.entries(end["files"] as Record<string, { content: string }>);
  const results = (end["messages"] as { type: string; content: string }[]).filter(({ type }) => type === "tool");
  return {
    files: Object.fromEntries(files.map(([path, { content }]) => [path, content])),
    notes: results.filter(({ content }) => content.includes("merge the two")).length,
  };
}

const BOTH: Turns = [[task("t1", "One"), task("t2", "Two")], "Done."];
const one: Turns = [[write("w1", "one")], "Wrote."];
const two: Turns = [[write("w2", "two")], "Wrote."];

describe("two sub-agents of a turn that write one file differently lose nothing", () => {
  const second = { "/same": "one", "/same.t2": "two" };
  const first = { "/same.t1": "one", "/same": "two" };
  test.each<[string, Record<string, Turns>, Record<string, string>]>([
    ["when nobody asks", { Go: BOTH, One: one, Two: two }, second],
    ["when the second asks first", { Go: BOTH, One: one, Two: [[call("a", "ask")], ...two] }, second],
    ["when the first asks first", { Go: BOTH, One: [[call("a", "ask")], ...one], Two: two }, first],
    [
      "when the second asks behind it",
      { Go: BOTH, One: one, Two: [[write("w2", "two")], [call("a", "ask")], "Wrote."] },
      second,
    ],
    [
      "when another call asks",
      { Go: [[...(BOTH[0] as Call[]), call("a", "ask")], "Done."], One: one, Two: two },
      second,
    ],
    [
      "when the agent itself writes it, too",
      { Go: [[write("w0", "main"), task("t1", "One")], "Done."], One: [[call("a", "ask")], ...one] },
      { "/same": "main", "/same.t1": "one" },
    ],
  ])("%s", async (_, turns, files) => {
    expect(await filesOf(turns)).toEqual({ files, notes: 1 });
  });

  test("when one of them fails, and the run continues", async () => {
    let isDown = true;
    const turns = scripted({ Go: BOTH, One: one, Two: two });
    const model = async (messages: Parameters<typeof turns>[0]) => {
      if (isDown && messages.some(({ content }) => content === "Two")) throw new Error("503");
      return turns(messages);
    };
    const agent = createDeepAgent({ model: model as never, checkpointer: new MemorySaver(), on: () => {} });
    const config = { configurable: { thread_id: "t" } };
    await expect(agent.invoke({ messages: "Go" }, config)).rejects.toThrow("503");
    isDown = false;
    const { files } = await agent.invoke(null, config);
    expect(Object.entries(files ?? {}).map(([path, file]) => [path, file?.content])).toEqual(Object.entries(second));
  });
});

describe("a sub-agent's file is where it was written if no other call has changed it", () => {
  const missing = { file_path: "/same", old_string: "a", new_string: "b" };
  test.each<[string, readonly Call[], object?]>([
    ["an edit that fails", [call("e", "edit_file", missing), task("t1", "One")]],
    ["an edit that fails behind it", [task("t1", "One"), call("e", "edit_file", missing)]],
    ["a delete that fails", [call("d", "delete", { file_path: "/same" }), task("t1", "One")]],
    ["a write of the same", [write("w0", "one"), task("t1", "One")]],
    [
      "a write that is rejected",
      [write("w0", "main"), task("t1", "One")],
      { interruptOn: { write_file: { allowedDecisions: ["approve", "reject"] } } },
    ],
  ])("%s", async (_, turn, options) => {
    expect(await filesOf({ Go: [turn, "Done."], One: one }, options)).toEqual({ files: { "/same": "one" }, notes: 0 });
  });
});

test.each([
  [
    "an Annotation.Root",
    Annotation.Root({
      cost: Annotation({ reducer: (a: number, b: number) => a + b, default: () => 0 }),
      said: Annotation({ reducer: (a: string, b: string) => a + b, default: () => "" }),
      most: Annotation({ reducer: (a: number, b: number) => Math.max(a, b), default: () => 0 }),
      log: Annotation({ reducer: (a: number[], b: number[]) => [...a, ...b], default: () => [] as number[] }),
    }),
  ],
  [
    "a schema",
    defineSchema({
      cost: field.reducer((a: number | undefined, b: number) => (a ?? 0) + b),
      said: field.reducer((a: string | undefined, b: string) => (a ?? "") + b),
      most: field.reducer((a: number | undefined, b: number) => Math.max(a ?? 0, b)),
      log: field.append<number>(),
    }),
  ],
])("what two sub-agents add to fields that add up is added once: %s", async (_, stateSchema) => {
  const spend = tool({
    name: "spend",
    run: ({ n }: { n: number }, { toolCallId }) => {
      const messages = [{ type: "tool", content: "Spent.", tool_call_id: toolCallId }];
      return new Command({ update: { cost: n, said: `${n}`, most: 100 + n, log: [n], messages } });
    },
  });
  const turns = {
    Go: BOTH,
    One: [[call("a", "spend", { n: 1 })], "Did."],
    Two: [[call("b", "spend", { n: 2 })], "Did."],
  };
  const agent = createDeepAgent({ model: scripted(turns), tools: [spend], stateSchema: stateSchema as never });
  const given = { messages: "Go", cost: 100, said: "a", most: 100, log: [100] };
  expect(await agent.invoke(given as never)).toMatchObject({ cost: 103, said: "a12", most: 102, log: [100, 1, 2] });
});

test("a middleware of a deep agent's own takes the place of the built-in one of its name", async () => {
  const told: string[] = [];
  const agent = createDeepAgent({
    model: async (messages) => {
      told.push(String(messages[0]?.content));
      return "Done.";
    },
    middleware: [
      createFilesystemMiddleware({ systemPrompt: "Files are dear." }),
      todoListMiddleware({ systemPrompt: "Plan less." }),
    ],
  });
  await agent.invoke({ messages: "Go" });
  expect(told[0]).toContain("Files are dear.");
  expect(told[0]).toContain("Plan less.");
  expect(told[0]?.indexOf("Plan less.")).toBeLessThan(told[0]?.indexOf("Files are dear.") as number);
});
