import { combineSchemas, defineSchema, field, type Schema } from "threadfold";
import {
  type CompiledStateGraph,
  type Durability,
  END,
  isGraphBubbleUp,
  Send,
  START,
  StateGraph,
  type StopAt,
  type TraceListener,
} from "threadfold/graph";
import type { CheckpointSaver } from "../checkpoint/types.js";
import { ThreadfoldError } from "../errors.js";
import type { Fields as SchemaFields, StateOf, UpdatesOf } from "../schema.js";
import { type AgentCallbacks, callbacksOf } from "./callbacks.js";
import { afterModel } from "./decide.js";
import { checkNames } from "./known-options.js";
import { callsOf, type Fields, lastTurn } from "./message.js";
import { hookOf, named, schemaOf, withContext } from "./middleware.js";
import { modelCallLimitMiddleware } from "./middleware/model-call-limit.js";
import { modelNode } from "./model-node.js";
import type { AgentModel } from "./models.js";
import { type ResponseFormat, structuredOf } from "./structured.js";
import { toolNode } from "./tool-node.js";
import type { SystemPrompt } from "./system-message.js";
import { agentTool, type AgentTool, isProviderTool, type Tool } from "./tools.js";
import type {
  AgentState,
  BaseFields,
  JumpTarget,
  Middleware,
  NodeHook,
  StateForm,
  StateOfMiddlewares,
} from "./types.js";

/** What an agent is made of: {@link createAgent}. */
export interface AgentOptions<
  F extends SchemaFields = Record<never, never>,
  M extends readonly Middleware[] = readonly Middleware[],
> extends AgentCallbacks {
  /** The model: of `@langchain/core`, of the AI SDK, or a function. */
  readonly model: AgentModel;
  readonly tools?: readonly Tool[] | undefined;
  /** What the model is told first: a text, or a system message. It is not among the messages. */
  readonly systemPrompt?: SystemPrompt | undefined;
  /** What is around the loop. The first is the outermost. */
  readonly middleware?: M | undefined;
  /** Fields of the state besides those of the middlewares: a schema, or the fields of one. */
  readonly schema?: StateForm<F> | undefined;
  /** LangChain's name of `schema`. */
  readonly stateSchema?: StateForm<F> | undefined;
  /** The form of the answer: it is in `structuredResponse`. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** Keeps the threads: any saver of langgraph.js, or one of `threadfold/graph`. */
  readonly checkpointer?: CheckpointSaver | boolean | undefined;
  /** How often a run may call the model. It then ends with a message that says so. */
  readonly maxIterations?: number | undefined;
  /** For callbacks and traces. */
  readonly id?: string | undefined;
  /** The name of the graph, and of its messages' author. */
  readonly name?: string | undefined;
  /** Checks the `context` of a run: a zod object. */
  readonly contextSchema?: unknown;
  /** When checkpoints are saved, if a run does not say: `"async"`. */
  readonly durability?: Durability | undefined;
  /** What every run is given as `store`, unless it says another. */
  readonly store?: unknown;
  /** Stops every run that has no signal of its own. */
  readonly signal?: AbortSignal | undefined;
  readonly interruptBefore?: StopAt | undefined;
  readonly interruptAfter?: StopAt | undefined;
  /** Hears what happens in the graph, for tracing. */
  readonly on?: TraceListener | undefined;
}

/** The state of an agent. */
export type StateOfAgent<F, M> = StateOf<BaseFields> & StateOf<F> & StateOfMiddlewares<M>;
/** What updates it. */
export type UpdateOfAgent<F> = UpdatesOf<BaseFields> & UpdatesOf<F> & { readonly [field: string]: unknown };

/** An agent: a compiled graph. */
export type Agent<F = Record<never, never>, M = readonly Middleware[]> = CompiledStateGraph<
  StateOfAgent<F, M>,
  UpdateOfAgent<F>
>;

// Those of the last line are LangChain's.
const OPTIONS = [
  "model tools systemPrompt middleware schema stateSchema responseFormat checkpointer maxIterations id name contextSchema",
  "durability store signal interruptBefore interruptAfter on onModelStart onModelEnd onToolStart onToolEnd onError",
  "description includeAgentName version streamTransformers",
].flatMap((names) => names.split(" "));

/** What Python's agents have: enough for any loop that ends. */
const RECURSION_LIMIT = 9999;

const base = defineSchema({
  messages: field.messages(),
  jumpTo: field.ephemeral({ private: true }),
  structuredResponse: field.replace({ input: false }),
});

/**
 * Makes an agent: a graph that asks the model, runs the tools that it calls, and asks again, until it calls none. The names
 * are LangChain's; the hooks of the middlewares are nodes, in LangChain's order.
 *
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for options of the wrong kind or of unknown names, and for two middlewares
 *   of one name.
 *
 * @example
 * ```ts
 * import { createAgent, tool } from "threadfold/agent";
 *
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city.",
 *   schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   run: ({ city }: { city: string }) => `Sunny in ${city}.`,
 * });
 * // In place of a model of LangChain or the AI SDK: calls the tool, then says what it said.
 * const model = async (messages: readonly { type: string; content: unknown }[]) =>
 *   messages.at(-1)?.type === "tool"
 *     ? String(messages.at(-1)?.content)
 *     : { content: "", tool_calls: [{ id: "c1", name: "weather", args: { city: "Rome" } }] };
 *
 * const agent = createAgent({ model, tools: [weather], systemPrompt: "Be brief." });
 * const { messages } = await agent.invoke({ messages: "What is the weather in Rome?" });
 * console.log(messages.map(({ type }) => type).join(", ")); // human, ai, tool, ai
 * console.log(messages.at(-1)?.content); // Sunny in Rome.
 * ```
 */
export function createAgent<
  const F extends SchemaFields = Record<never, never>,
  const M extends readonly Middleware[] = readonly [],
>(options: AgentOptions<F, M>): Agent<F, M> {
  const {
    model,
    systemPrompt,
    responseFormat,
    maxIterations,
    name,
    schema: own = options?.stateSchema,
  } = options ?? ({} as AgentOptions<F, M>);
  checkNames(options, ...OPTIONS);
  if (!model) throw new ThreadfoldError("INVALID_VALUE", "`model` option is required to create an agent.");
  const middleware = list(options.middleware, "middleware").map((one) => named(one as Middleware));
  if (maxIterations !== undefined)
    middleware.unshift({ ...modelCallLimitMiddleware({ runLimit: maxIterations }), name: "maxIterations" });
  const names = new Set(middleware.map((one) => one.name));
  if (names.size < middleware.length)
    throw new ThreadfoldError("INVALID_VALUE", "Please remove duplicate middleware instances.");

  const schemas = middleware.flatMap(({ stateSchema }) => (stateSchema ? [schemaOf(stateSchema)] : []));
  const all = [...schemas, base, ...(own ? [schemaOf(own)] : [])] as readonly Schema<SchemaFields>[];
  const schema = combineSchemas(...all) as Schema<SchemaFields>;
  const given = [...middleware.flatMap(({ tools = [] }) => tools), ...list(options.tools, "tools")].map(agentTool);
  const tools = new Map(given.flatMap((tool) => (isProviderTool(tool.source) ? [] : [[tool.name, tool]])));
  const ofProvider = given.filter(({ source }) => isProviderTool(source));
  const structured = structuredOf(responseFormat);
  const callbacks = callbacksOf(options, isGraphBubbleUp);
  const hasTools = tools.size > 0 || middleware.some(({ wrapToolCall }) => wrapToolCall);

  const graph = new StateGraph(schema as Schema<never>, {
    ...(options.contextSchema !== undefined && { context: options.contextSchema }),
  }) as unknown as Builder;
  graph.addNode(
    "model",
    modelNode({
      model,
      name,
      systemPrompt,
      tools: [...tools.values(), ...ofProvider],
      middleware,
      structured,
      format: responseFormat,
      structuredOf,
      callbacks,
    }),
  );
  if (hasTools) {
    const metadata = tools.size > 0 ? { __tools: [...tools.keys()].join(", ") } : undefined;
    graph.addNode("tools", toolNode(tools, middleware, schema, callbacks), { metadata });
  }
  addWays(graph, middleware, tools, structured?.tools, hasTools);

  const { checkpointer, durability, interruptBefore, interruptAfter, on, store, signal } = options;
  const most = {
    checkpointer,
    durability,
    interruptBefore,
    interruptAfter,
    on,
    name,
    recursionLimit: RECURSION_LIMIT,
  };
  const settled = Object.fromEntries(Object.entries(most).filter(([, value]) => value !== undefined));
  const agent = graph.compile(settled) as unknown as Agent<F, M>;
  if (store === undefined && signal === undefined) return agent;
  return agent.withConfig({ ...(store !== undefined && { store }), ...(signal && { signal }) }) as Agent<F, M>;
}

/** @throws {@link ThreadfoldError} for what is no list. */
function list<T>(given: readonly T[] | undefined, what: string): readonly T[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given as T[];
  throw new ThreadfoldError("INVALID_VALUE", `The ${what} of an agent should be a list.`);
}

/** The builder, without the types of a state that is known only now. */
interface Builder {
  addNode(name: string, node: unknown, options?: object): unknown;
  addEdge(from: string, to: string): unknown;
  addConditionalEdges(from: string, path: (state: AgentState & Fields) => unknown, ends: readonly string[]): unknown;
  compile(options: object): unknown;
}

const NODES = {
  beforeAgent: "before_agent",
  beforeModel: "before_model",
  afterModel: "after_model",
  afterAgent: "after_agent",
};

/** A hook, as a node of the graph. */
interface HookNode {
  readonly node: string;
  readonly canJumpTo: readonly JumpTarget[];
}

/** Adds the nodes of the hooks, and the edges between them, the model and the tools. */
function addWays(
  graph: Builder,
  middleware: readonly Middleware[],
  tools: ReadonlyMap<string, AgentTool>,
  answers: ReadonlyMap<string, unknown> = new Map(),
  hasTools: boolean,
): void {
  const [beforeAgent, beforeModel, afterModels, afterAgent] = hookNodes(graph, middleware);
  /** Where each turn begins, and where the run ends. */
  const entry = beforeModel[0]?.node ?? "model";
  const exit = afterAgent[0]?.node ?? END;
  const targets: Readonly<Record<JumpTarget, string>> = { end: exit, tools: "tools", model: entry };
  const target = (jump: unknown): string | undefined => targets[jump as JumpTarget];

  /** The way behind a hook: to the next, or where it may jump to. */
  const leave = ({ node, canJumpTo }: HookNode, next: string) => {
    if (canJumpTo.length === 0) {
      graph.addEdge(node, next);
      return;
    }
    const jump = (to: JumpTarget) => (to === "model" && node === entry ? "model" : targets[to]);
    const known = (Object.keys(targets) as JumpTarget[]).filter((to) => canJumpTo.includes(to));
    graph.addConditionalEdges(
      node,
      ({ jumpTo }) => (canJumpTo.includes(jumpTo as JumpTarget) ? jump(jumpTo as JumpTarget) : next),
      unique(next, ...known.map(jump)),
    );
  };
  const chain = (nodes: readonly HookNode[], last: string) =>
    nodes.forEach((one, at) => leave(one, nodes[at + 1]?.node ?? last));

  const next = ({ messages, jumpTo, structuredResponse }: AgentState & Fields): unknown => {
    const { ai, results } = lastTurn(messages);
    const calls = ai && callsOf(ai);
    const isStructured = structuredResponse !== undefined && structuredResponse !== null;
    const decided = afterModel({ jumpTo, calls, results, isAnswer: (name) => answers.has(name), isStructured });
    if (typeof decided === "string") return targets[decided];
    return Array.from(decided, (at) => new Send("tools", [calls?.[at]]));
  };

  /** Whether what the tools said is the agent's answer. */
  const isAnswered = ({ messages }: AgentState): boolean => {
    const { ai, results } = lastTurn(messages);
    if (!ai) return false;
    // The name of the result counts: an approval may have put another tool in the place of the one that was called.
    const ran = new Map(results.flatMap(({ tool_call_id: id, name = "" }) => (tools.has(name) ? [[id, name]] : [])));
    const known = callsOf(ai).flatMap(({ id, name }) => tools.get(ran.get(id as string) ?? name) ?? []);
    if (known.length > 0 && known.every(({ returnDirect }) => returnDirect)) return true;
    return results.some(({ name = "", status }) => answers.has(name) && status !== "error");
  };

  graph.addEdge(START, beforeAgent[0]?.node ?? entry);
  const last = afterModels.at(-1);
  const from = last?.node ?? "model";
  if (hasTools) {
    const ends = answers.size > 0 || [...tools.values()].some(({ returnDirect }) => returnDirect);
    graph.addConditionalEdges(
      "tools",
      ends ? (state) => (isAnswered(state) ? exit : entry) : () => entry,
      ends ? [entry, exit] : [entry],
    );
    const again = last || answers.size > 0 || middleware.some(({ wrapModelCall }) => wrapModelCall) ? [entry] : [];
    graph.addConditionalEdges(from, next, unique("tools", exit, ...again));
  } else if (answers.size > 0) {
    const decide = ({ jumpTo, structuredResponse }: AgentState & Fields) =>
      target(jumpTo) ?? (structuredResponse === undefined || structuredResponse === null ? entry : exit);
    graph.addConditionalEdges(from, decide, [entry, exit]);
  } else if (last) leave(last, exit);
  else graph.addEdge("model", exit);
  chain(beforeAgent, entry);
  chain(beforeModel, "model");
  // The last behind the model is where the loop decides.
  if (last) graph.addEdge("model", (afterModels[0] as HookNode).node);
  chain(afterModels.slice(0, -1), from);
  chain(afterAgent, END);
}

const unique = <T>(...all: readonly T[]): T[] => [...new Set(all)];

/** Adds the hooks' nodes. Returns those of each kind, in the order in which they run. */
function hookNodes(
  graph: Builder,
  middleware: readonly Middleware[],
): [HookNode[], HookNode[], HookNode[], HookNode[]] {
  const nodes = { beforeAgent: [], beforeModel: [], afterModel: [], afterAgent: [] } as Record<
    keyof typeof NODES,
    HookNode[]
  >;
  for (const one of middleware) {
    for (const hook of Object.keys(NODES) as (keyof typeof NODES)[]) {
      const given: NodeHook | undefined = one[hook];
      if (!given) continue;
      const { run, canJumpTo } = hookOf(given);
      const node = `${one.name}.${NODES[hook]}`;
      const told = (state: never, runtime: never) => run(state, withContext(one, { runtime }).runtime);
      graph.addNode(node, one.contextSchema ? told : run);
      // What is after runs from the last middleware to the first.
      if (hook.startsWith("after")) nodes[hook].unshift({ node, canJumpTo });
      else nodes[hook].push({ node, canJumpTo });
    }
  }
  return [nodes.beforeAgent, nodes.beforeModel, nodes.afterModel, nodes.afterAgent];
}
