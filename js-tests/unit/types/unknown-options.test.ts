// Every public function that has options refuses a misspelt name: left alone it would silently change nothing.
import "fake-indexeddb/auto";
import { addMessages, defineSchema, field, mergeTools, MessageList, Thread, type AgUiState } from "threadfold";
import * as index from "threadfold";
import * as agUi from "threadfold/ag-ui";
import * as agent from "threadfold/agent";
import * as backends from "threadfold/agent/backends";
import * as pii from "threadfold/agent/pii";
import * as skills from "threadfold/agent/skills";
import * as checkpoint from "threadfold/checkpoint";
import * as context from "threadfold/context";
import * as offload from "threadfold/context/offload";
import * as graph from "threadfold/graph";
import * as langgraph from "threadfold/langgraph";
import * as persist from "threadfold/persist";
import * as serve from "threadfold/serve";
import * as durableObject from "threadfold/serve/durable-object";
import * as postgres from "threadfold/serve/postgres";
import * as redis from "threadfold/serve/redis";
import { expect, test } from "vitest";

type Call = (options: never) => unknown;

const schema = defineSchema({ messages: field.messages() });
const builder = () => new graph.StateGraph(schema).addNode("a", () => ({})).addEdge(graph.START, "a");
const compiled = () => builder().compile({ checkpointer: new graph.MemorySaver() });
const place = { threadId: "t" };
const model = () => "Hi";
const thread = () => new Thread<AgUiState>({ threadId: "t" });
const run = () => (async function* () {})();
const storage = { getItem: () => null, setItem: () => {} };
const firstOf = (list: AsyncIterable<unknown>) => list[Symbol.asyncIterator]().next();
const state = { messages: [] };
/** The `ctx` of a Durable Object. */
const object = { storage: { sql: { exec: () => ({ toArray: () => [] }) } } };

/** By entry: for each function or class with options a call, and the words in which its error names it. */
const CALLS: readonly (readonly [name: string, entry: object, calls: Readonly<Record<string, Call>>])[] = [
  [
    "threadfold",
    index,
    {
      "new Thread": (options) => new Thread(options),
      "optimistic()": (options) => thread().optimistic({}, options),
      "Thread.fromJSON": (options) => Thread.fromJSON(new Thread().toJSON(), options),
      "new MessageList": (options) => new MessageList([], options),
      addMessages: (options) => addMessages([], [], options),
      mergeTools: (options) => mergeTools([], [], options),
      "field.messages": (options) => field.messages(options),
    },
  ],
  [
    "threadfold/ag-ui",
    agUi,
    {
      "new AgUiRunner": (options) => new agUi.AgUiRunner(thread(), { url: "/a", ...(options as object) }),
      openAgUi: (options) => agUi.openAgUi({ url: "/a", ...(options as object) }),
      foldAgUi: (options) => agUi.foldAgUi(thread(), [], options),
      runInput: (options) => agUi.runInput(thread(), options),
      httpTransport: (options) => agUi.httpTransport({ url: "/a", ...(options as object) }),
      graphTransport: (options) => agUi.graphTransport(compiled(), options),
      langGraphDefaultMergeState: (options) => agUi.langGraphDefaultMergeState(state, [], {}, options),
    },
  ],
  [
    "threadfold/langgraph",
    langgraph,
    {
      "new LangGraphRunner": (options) =>
        new langgraph.LangGraphRunner(new Thread(), { apiUrl: "/a", assistantId: "a", ...(options as object) }),
      openLangGraph: (options) => langgraph.openLangGraph({ apiUrl: "/a", assistantId: "a", ...(options as object) }),
      foldLangGraph: (options) => langgraph.foldLangGraph(new Thread(), [], options),
      foldGraph: (options) => langgraph.foldGraph(new Thread(), run(), options),
      apiTransport: (options) => langgraph.apiTransport({ apiUrl: "/a", assistantId: "a", ...(options as object) }),
      clientTransport: (options) =>
        langgraph.clientTransport({ threads: {}, runs: {} } as never, { assistantId: "a", ...(options as object) }),
    },
  ],
  [
    "threadfold/persist",
    persist,
    {
      persist: (options) => persist.persist(thread(), { name: "a", storage, ...(options as object) }),
      forgetThread: (options) => persist.forgetThread({ name: "a", storage, ...(options as object) }),
      loadThread: (options) => persist.loadThread({ name: "a", storage, ...(options as object) }),
    },
  ],
  [
    "threadfold/checkpoint",
    checkpoint,
    {
      "new IndexedDBSaver": (options) => new checkpoint.IndexedDBSaver(options),
      "IndexedDBSaver.list": (options) => firstOf(new checkpoint.IndexedDBSaver().list({}, options)),
      "MemorySaver.list": (options) => firstOf(new checkpoint.MemorySaver().list({}, options)),
    },
  ],
  [
    "threadfold/graph",
    graph,
    {
      "new StateGraph": (options) => new graph.StateGraph(schema, options),
      addNode: (options) => builder().addNode("b", () => ({}), options),
      "Node `b`: retryPolicy": (options) => builder().addNode("b", () => ({}), { retryPolicy: options }),
      "Node `b`: timeout": (options) => builder().addNode("b", () => ({}), { timeout: options }),
      setNodeDefaults: (options) => builder().setNodeDefaults(options),
      compile: (options) => builder().compile(options),
      withConfig: (options) => compiled().withConfig(options),
      invoke: (options) => compiled().invoke({}, { ...place, ...(options as object) }),
      stream: (options) => firstOf(compiled().stream({}, { ...place, ...(options as object) })),
      getState: (options) => compiled().getState(place, options),
      getStateHistory: (options) => firstOf(compiled().getStateHistory(place, options)),
      getGraph: (options) => compiled().getGraph(options),
      drawMermaid: (options) => compiled().drawMermaid(options),
      "new Command": (options) => new graph.Command(options),
      "new Send": (options) => new graph.Send("a", {}, options),
    },
  ],
  [
    "threadfold/agent",
    agent,
    {
      createAgent: (options) => agent.createAgent({ model, ...(options as object) }),
      createDeepAgent: (options) => agent.createDeepAgent({ model, ...(options as object) }),
      tool: (options) => agent.tool({ name: "a", run: () => "", ...(options as object) }),
      toolStrategy: (options) => agent.toolStrategy({}, options),
      "The middleware 'a'": (options) => agent.createMiddleware({ name: "a", ...(options as object) }),
      "The sub-agent 'a'": (options) =>
        agent.createSubAgentMiddleware({
          defaultModel: model,
          subagents: [{ name: "a", description: "", systemPrompt: "", ...(options as object) }],
        }),
      createSubAgentMiddleware: (options) =>
        agent.createSubAgentMiddleware({ defaultModel: model, ...(options as object) }),
      createFilesystemMiddleware: (options) => agent.createFilesystemMiddleware(options),
      contextEditingMiddleware: (options) => agent.contextEditingMiddleware(options),
      clearToolUses: (options) => new agent.ClearToolUsesEdit(options),
      humanInTheLoopMiddleware: (options) => agent.humanInTheLoopMiddleware(options),
      "humanInTheLoopMiddleware: interruptOn.a": (options) =>
        agent.humanInTheLoopMiddleware({
          interruptOn: { a: { allowedDecisions: ["approve"], ...(options as object) } },
        }),
      modelCallLimitMiddleware: (options) => agent.modelCallLimitMiddleware({ runLimit: 1, ...(options as object) }),
      toolCallLimitMiddleware: (options) => agent.toolCallLimitMiddleware({ runLimit: 1, ...(options as object) }),
      modelRetryMiddleware: (options) => agent.modelRetryMiddleware(options),
      toolRetryMiddleware: (options) => agent.toolRetryMiddleware(options),
      toolErrorMiddleware: (options) => agent.toolErrorMiddleware({ onError: () => undefined, ...(options as object) }),
      scratchpadMiddleware: (options) => agent.scratchpadMiddleware(options),
      summarizationMiddleware: (options) => agent.summarizationMiddleware({ model, ...(options as object) }),
      todoListMiddleware: (options) => agent.todoListMiddleware(options),
    },
  ],
  [
    "threadfold/context",
    context,
    {
      "new Context": (options) => new context.Context(options),
      clearToolUses: (options) => context.clearToolUses([], options),
      countTokens: (options) => context.countTokens([], options),
      messageTokens: (options) => context.messageTokens("Hi", options),
      toolTokens: (options) => context.toolTokens([], options),
      estimateMessageTokens: (options) => context.estimateMessageTokens("Hi", options),
      scanMessage: (options) => context.scanMessage("Hi", options),
      slidingWindow: (options) => context.slidingWindow(options),
      langChainSummarization: (options) => context.langChainSummarization(options),
      deepAgentsSummarization: (options) => context.deepAgentsSummarization(options),
      patchToolCalls: (options) => context.patchToolCalls([], options),
      repairToolCalls: (options) => context.repairToolCalls([], options),
      trimMessages: (options) => context.trimMessages([], { maxTokens: 1, ...(options as object) } as never),
      truncateToolArgs: (options) => context.truncateToolArgs([], options),
    },
  ],
  [
    "threadfold/context/offload",
    offload,
    { offload: (options) => offload.offload([], options), offloading: (options) => offload.offloading(options) },
  ],
  [
    "threadfold/agent/backends",
    backends,
    { createMemoryMiddleware: (options) => backends.createMemoryMiddleware({ sources: [], ...(options as object) }) },
  ],
  [
    "threadfold/agent/skills",
    skills,
    { createSkillsMiddleware: (options) => skills.createSkillsMiddleware({ sources: [], ...(options as object) }) },
  ],
  ["threadfold/agent/pii", pii, { piiMiddleware: (options) => pii.piiMiddleware("email", options) }],
  [
    "threadfold/serve",
    serve,
    {
      serveAgUi: (options) => serve.serveAgUi(compiled(), options),
      serveLangGraph: (options) => serve.serveLangGraph(compiled(), options),
      "new MemoryRuns": (options) => new serve.MemoryRuns(options),
    },
  ],
  [
    "threadfold/serve/durable-object",
    durableObject,
    {
      "new DurableObjectRuns": (options) => new durableObject.DurableObjectRuns(object as never, options),
      threadIdOf: (options) => durableObject.threadIdOf(new Request("http://localhost/threads/t"), options),
    },
  ],
  [
    "threadfold/serve/postgres",
    postgres,
    {
      "new PostgresRuns": (options) =>
        new postgres.PostgresRuns({
          pool: { query: async () => ({ rows: [] }), connect: () => null as never },
          ...(options as object),
        }),
    },
  ],
  [
    "threadfold/serve/redis",
    redis,
    {
      "new RedisRuns": (options) =>
        new redis.RedisRuns({
          client: { call: async () => null, duplicate: () => null as never },
          ...(options as object),
        }),
    },
  ],
];

const refusal = (call: string) =>
  expect.objectContaining({
    code: "UNKNOWN_OPTION",
    message: expect.stringMatching(
      new RegExp(`^${call.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")}: unknown option 'zzz'\\. `),
    ),
  });

test.each(
  CALLS.flatMap(([entry, , calls]) => Object.entries(calls).map(([call, make]) => [entry, call, make] as const)),
)("%s: %s", async (_, call, make) => {
  const made = async () => make({ zzz: 1 } as never);
  await expect(made()).rejects.toEqual(refusal(call));
  // An option that is undefined is one that is left out.
  await Promise.resolve(make({ zzz: undefined } as never));
});

/** Functions and classes without options, or with the names above for them: `compile`, `IndexedDBSaver.list`. */
const WITHOUT = new Set(
  `PIIDetectionError compositeBackend storeBackend folderBackend Schema ThreadfoldError applyPatch checkTodoCalls combineSchemas defineSchema
   mergeFiles overwrite removeMessage replaceTodos textOf toAgUi
   toLangChain agentTransport concatChunk BaseCheckpointSaver GraphInterrupt GraphRecursionError
   InvalidUpdateError NodeTimeoutError isGraphBubbleUp isGraphInterrupt isInterrupted createPatchToolCallsMiddleware steeringMiddleware
   mcpTools modelFallbackMiddleware contextMessages estimateTokens fullMessages safeCuts
   scanTokens toNodeListener DurableObjectSaver
   CompiledStateGraph IndexedDBSaver MemorySaver ClearToolUsesEdit createMiddleware`.split(/\s+/),
);

test.each(CALLS)("%s: every function with options is above", (_, entry, calls) => {
  const named = Object.keys(calls).flatMap((call) => call.split(/\W+/));
  const functions = Object.entries(entry).flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  expect(functions.filter((name) => !named.includes(name) && !WITHOUT.has(name))).toEqual([]);
});

test("options of langgraph.js that are not offered are refused, not passed over", async () => {
  const refused = (name: string) => expect.objectContaining({ message: expect.stringContaining(`'${name}'`) });
  const options = { ...place, outputKeys: ["messages"] };
  await expect(compiled().invoke(state, options as never)).rejects.toEqual(refused("outputKeys"));
  for (const name of ["cache", "transformers"])
    expect(() => builder().compile({ [name]: {} } as never)).toThrow(refused(name) as never);
  expect(() => builder().addNode("b", () => ({}), { cachePolicy: {} } as never)).toThrow(
    refused("cachePolicy") as never,
  );
});
