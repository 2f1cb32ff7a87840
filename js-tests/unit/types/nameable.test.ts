// Exported graphs and agents of a user have types that TypeScript can name in a declaration (`declaration: true`).
import { expect, test } from "vitest";
import { complaints, DECLARING, IN_A_PAGE } from "./compiler.js";

const PROGRAM = `
import { defineSchema, field } from "threadfold";
import * as agents from "threadfold/agent";
import * as graphs from "threadfold/graph";
import { z } from "zod";

export const schema = defineSchema({
  messages: field.messages(),
  n: field.replace<number>(),
  todos: field.todos({ input: false }),
  spent: field.reducer((a: number, b: number) => a + b, { default: () => 0, private: true }),
});
export const builder = new graphs.StateGraph(schema).addNode("a", () => ({ n: 1 })).addEdge(graphs.START, "a");
export const graph = builder.compile();
export const ofZod = new graphs.StateGraph(z.object({ n: z.number() })).addSequence({ a: () => ({ n: 1 }) }).compile();
export const configured = graph.withConfig({ recursionLimit: 5 });
export const run = () => graph.invoke({ n: 1 });
export const stream = () => graph.stream({ n: 1 }, { streamMode: ["values", "messages"] });
export const state = () => graph.getState({ threadId: "t" });
export const history = () => graph.getStateHistory({ threadId: "t" });
export const update = () => graph.updateState({ threadId: "t" }, {});
export const command = new graphs.Command({ goto: [new graphs.Send("a", { n: 1 })], update: { n: 1 } });
export const asked = async () => {
  const result = await graph.invoke({});
  return graphs.isInterrupted(result) ? result[graphs.INTERRUPT] : [];
};
export const node = (state: graphs.StateFrom<typeof schema>, ctx: graphs.NodeContext) => [state.n, ctx.interrupt("x")];
export const handler = (_: object, error: graphs.NodeError) => ({ n: error.error.message.length });

export const typed = agents.tool({ name: "typed", schema: z.object({ a: z.number() }), run: ({ a }) => a });
export const plain = agents.tool({ name: "plain", run: () => 1 });
export const ofServer = () => agents.mcpTools({ listTools: async () => ({ tools: [] }), callTool: async () => ({}) });
export const own = agents.createMiddleware({
  name: "own",
  stateSchema: { count: field.replace<number>() },
  wrapModelCall: (request, next) => next(request),
  wrapToolCall: (request, next) => next(request),
});
export const approval = agents.humanInTheLoopMiddleware({ interruptOn: { typed: true } });
export const todos = agents.todoListMiddleware();
export const files = agents.createFilesystemMiddleware();
export const delegation = agents.createSubAgentMiddleware({ defaultModel: () => "x" });
export const summaries = agents.summarizationMiddleware({ model: () => "x", trigger: { tokens: 5 }, keep: { messages: 2 } });
export const editing = agents.contextEditingMiddleware();
export const notes = agents.scratchpadMiddleware();
export const patching = agents.createPatchToolCallsMiddleware();
export const calls = agents.modelCallLimitMiddleware({ runLimit: 5 });
export const toolCalls = agents.toolCallLimitMiddleware({ runLimit: 5 });
export const retries = [agents.modelRetryMiddleware(), agents.toolRetryMiddleware(), agents.modelFallbackMiddleware(() => "x")];
export const errors = agents.toolErrorMiddleware({ onError: () => "x" });
export const strategy = agents.toolStrategy(z.object({ n: z.number() }));

const model = () => "x";
export const agent = agents.createAgent({ model });
export const agentOfAll = agents.createAgent({
  model,
  tools: [typed, plain],
  middleware: [own, approval, todos, files, delegation, summaries, editing, notes, patching, calls, toolCalls, errors],
});
export const answering = agents.createAgent({ model, schema: { shop: field.replace<string>() }, responseFormat: strategy });
export const answeringZod = agents.createAgent({ model, stateSchema: z.object({ shop: z.string() }), responseFormat: z.object({ n: z.number() }) });
export const deep = agents.createDeepAgent({ model, subagents: [{ name: "one", description: "Does it." }] });
export const runAgent = () => agentOfAll.invoke({ messages: "x" });
export const values = async () => (await deep.getState({ threadId: "t" })).values;
export const scratchpad = async () => (await agentOfAll.getState({ threadId: "t" })).values.scratchpad;
export const within = new graphs.StateGraph(schema).addNode("agent", agent).addEdge(graphs.START, "agent").compile();
`;

const compiled = (program: string) => complaints({ "program.ts": program }, { ...DECLARING, lib: IN_A_PAGE });

test("every export of a user's graphs and agents can be named", () => {
  expect(compiled(PROGRAM)).toBe("");
});

test("an export whose type has no public name is found", () => {
  const program =
    'import type { AgentOptions } from "threadfold/agent";\nexport let tool: NonNullable<AgentOptions["tools"]>[number];\nexport const all = [tool!];\n';
  expect(compiled(program)).toContain("cannot be named");
});
