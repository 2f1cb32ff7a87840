// The page's tools come with a run's input: createAgent gives them to its model, and the page answers their calls.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { createAgent, createDeepAgent, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/checkpoint";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

const clock = {
  name: "clock",
  description: "The page's time.",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
};
const weather = tool({ name: "weather", run: () => "Sunny." });

interface Seen {
  readonly tools: readonly { name: string; description: string; parameters: unknown }[];
}

/** Calls these tools in its first turn; then says the results. */
const calling = (names: readonly string[], seen: Seen[]) =>
  (async (messages: readonly { type: string; content: unknown }[], { tools }: Seen) => {
    seen.push({ tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) });
    const results = messages.filter(({ type }) => type === "tool").map(({ content }) => content);
    if (results.length >= names.length) return `They say: ${results.join(" ")}`;
    return { content: "", tool_calls: names.map((name) => ({ id: `c-${name}`, name, args: {} })) };
  }) as never;

const runnerOf = (agent: never, options: Partial<AgUiRunnerOptions> = {}) => {
  const handler = serveAgUi(agent);
  return new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
    url: "http://made/agent",
    fetch: async (url, init) => handler(new Request(url, init)),
    tools: [clock],
    ...options,
  });
};

const texts = ({ thread }: AgUiRunner) =>
  thread.getState().messages.map(({ role, content }) => `${role}: ${String(content ?? "")}`);

test.each([
  ["alone", [], ["clock"]],
  ["beside a tool of the agent's", [weather], ["clock"]],
  ["called with a tool of the agent's", [weather], ["weather", "clock"]],
])("a tool of the page, %s: the run ends with its call, and the next one has the result", async (_, tools, names) => {
  const seen: Seen[] = [];
  const agent = createAgent({ model: calling(names, seen), tools, checkpointer: new MemorySaver() });
  const runner = runnerOf(agent as never);
  const { status, pendingToolCallIds } = await runner.sendMessage("What time is it?");
  expect([status, pendingToolCallIds]).toEqual(["finished", ["c-clock"]]);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.tools).toContainEqual(clock);
  const end = await runner.sendMessage({ role: "tool", toolCallId: "c-clock", content: "Noon." });
  expect(end).toMatchObject({ status: "finished", pendingToolCallIds: [] });
  const results = names.map((name) => (name === "clock" ? "Noon." : "Sunny."));
  expect(texts(runner).at(-1)).toBe(`assistant: They say: ${results.join(" ")}`);
  expect(seen).toHaveLength(2);
});

test("without the page's tools the model has none, and a later run may bring others", async () => {
  const seen: Seen[] = [];
  const agent = createAgent({ model: calling([], seen), checkpointer: new MemorySaver() });
  let tools: object[] = [];
  const runner = runnerOf(agent as never, { tools: () => tools as never });
  await runner.sendMessage("Hi");
  tools = [clock, { name: "alert", description: "" }];
  await runner.sendMessage("Hi again");
  expect(seen.map(({ tools: given }) => given.map(({ name }) => name))).toEqual([[], ["clock", "alert"]]);
  expect(runner.thread.getState()).not.toHaveProperty("tools");
});

test("a tool of the agent counts before the page's of its name", async () => {
  const seen: Seen[] = [];
  const agent = createAgent({ model: calling(["weather"], seen), tools: [weather] });
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: graphTransport(agent),
    tools: [{ name: "weather", description: "Mine.", parameters: {} }],
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ pendingToolCallIds: [] });
  expect(texts(runner).at(-1)).toBe("assistant: They say: Sunny.");
  expect(seen[0]?.tools.map(({ description }) => description)).toEqual([""]);
});

test("a middleware sees the page's tools and may leave them out; a sub-agent has none", async () => {
  const seen: Seen[] = [];
  const asked: string[][] = [];
  const agent = createDeepAgent({
    model: (async (messages: readonly { type: string }[], { tools }: Seen) => {
      seen.push({ tools });
      return messages.some(({ type }) => type === "tool")
        ? "Done."
        : {
            content: "",
            tool_calls: [{ id: "c1", name: "task", args: { description: "x", subagent_type: "helper" } }],
          };
    }) as never,
    subagents: [{ name: "helper", description: "Helps.", systemPrompt: "Help.", model: calling([], seen) }],
    middleware: [
      {
        name: "looks",
        wrapModelCall: (request: { tools: readonly { name: string }[] }, handler: (given: never) => never) => {
          asked.push(request.tools.map(({ name }) => name));
          return handler({ ...request, tools: request.tools.filter(({ name }) => name !== "alert") } as never);
        },
      } as never,
    ],
  });
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: graphTransport(agent as never),
    tools: [clock, { name: "alert", description: "", parameters: {} }],
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  const has = seen.map(({ tools }) => ["clock", "alert"].filter((name) => tools.some((one) => one.name === name)));
  expect(has).toEqual([["clock"], [], ["clock"]]);
  expect(asked[0]).toEqual(expect.arrayContaining(["clock", "alert"]));
});
