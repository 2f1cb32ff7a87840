import { field } from "../state/fields.js";
import {
  combineSchemas,
  defineSchema,
  type Schema,
  type Fields as SchemaFields,
  type StateOf,
  type UpdatesOf,
} from "../state/schema.js";
import type { CompiledStateGraph } from "../graph/compiled-graph.js";
import { isGraphBubbleUp } from "../graph/build/graph-errors.js";
import type { Durability, StopAt } from "../graph/given/run-config.js";
import { StateGraph } from "../graph/state-graph.js";
import { delegatesOf, delegating } from "../shared/delegates.js";
import type { TraceListener } from "../graph/given/trace.js";
import type { CheckpointSaver } from "../checkpoint/types.js";
import { defined } from "../context/options.js";
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions } from "../shared/options.js";
import { type AgentCallbacks, CALLBACKS, callbacksOf } from "./callbacks.js";
import { overBackend } from "./stack-files.js";
import { addLoop, type Builder } from "./loop.js";
import { checked, schemaOf, steeringFirst } from "./middleware/middleware.js";
import { modelCallLimitMiddleware } from "./middleware/model-call-limit.js";
import { modelNode } from "./model-node.js";
import type {
  AgentModel,
  AgentTool,
  AiSdkModel,
  BaseFields,
  FieldsOf,
  Middleware,
  ResponseFormat,
  StateForm,
  StateOfMiddlewares,
  StructuredOf,
  ToolLike,
} from "./types.js";
import { specificationOf } from "./model/ai-sdk.js";
import { structuredOf } from "./model/structured.js";
import { toolNode } from "./tool-node.js";
import type { SystemPrompt } from "./model/system-message.js";
import { agentTool, isProviderTool } from "./tools/tools.js";

/** The options of {@link createAgent}. */
export interface AgentOptions<
  S extends StateForm<SchemaFields> = Record<never, never>,
  M extends readonly Middleware[] = readonly Middleware[],
  R extends ResponseFormat = ResponseFormat,
> extends AgentCallbacks {
  /** The model: of `@langchain/core`, of the AI SDK, or a function. */
  readonly model: AgentModel;
  readonly tools?: readonly ToolLike[] | undefined;
  /** The first instructions to the model: a text, or a system message. It is not among the messages. */
  readonly systemPrompt?: SystemPrompt | undefined;
  /** The middleware around the loop. The first is the outermost. */
  readonly middleware?: M | undefined;
  /** Fields of the state besides those of the middlewares: a schema, or the fields of one. */
  readonly schema?: S | undefined;
  /** LangChain's name of `schema`. */
  readonly stateSchema?: S | undefined;
  /** The form of the answer: it is in `structuredResponse`. */
  readonly responseFormat?: R | undefined;
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
  /** The `store` of every run that does not set its own. */
  readonly store?: unknown;
  /** Stops every run that has no signal of its own. */
  readonly signal?: AbortSignal | undefined;
  readonly interruptBefore?: StopAt | undefined;
  readonly interruptAfter?: StopAt | undefined;
  /** Receives the graph's events, for tracing. */
  readonly on?: TraceListener | undefined;
}

/** The state of an agent. */
type StateOfAgent<F, M, R = ResponseFormat> = StateOf<BaseFields> &
  StateOf<F> &
  StateOfMiddlewares<M> & { readonly structuredResponse?: StructuredOf<R> };
/** An update of that state. */
type UpdateOfAgent<F> = UpdatesOf<BaseFields> & UpdatesOf<F> & { readonly [field: string]: unknown };

/** An agent: a compiled graph. */
export type Agent<F = Record<never, never>, M = readonly Middleware[], R = ResponseFormat> = CompiledStateGraph<
  StateOfAgent<F, M, R>,
  UpdateOfAgent<F>
>;

export const AGENT_OPTIONS: readonly string[] = [
  "model",
  "tools",
  "systemPrompt",
  "middleware",
  "stateSchema",
  "schema",
  "responseFormat",
  "checkpointer",
  "maxIterations",
  "name",
  "contextSchema",
  "durability",
  "store",
  "signal",
  "interruptBefore",
  "interruptAfter",
  "on",
  "id",
  ...CALLBACKS,
];

/** The limit of Python's agents: enough for any loop that ends. */
const RECURSION_LIMIT = 9999;

const base = defineSchema({
  messages: field.messages(),
  jumpTo: field.ephemeral({ private: true }),
  structuredResponse: field.replace({ input: false }),
});

/**
 * Makes an agent: a graph that asks the model, runs the tools that it calls, and asks again, until it calls none. The
 * names are LangChain's; the hooks of the middlewares are nodes, in LangChain's order.
 *
 * Options of LangChain's that it does not have are refused: `description`, `version`, `includeAgentName`,
 * `streamTransformers`.
 *
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION` for an option of another name, with the nearest one. `INVALID_ARGUMENT`
 *   for options of the wrong kind, and for two middlewares of one name.
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
  const S extends StateForm<SchemaFields> = Record<never, never>,
  const M extends readonly Middleware[] = readonly [],
  R extends ResponseFormat = ResponseFormat,
>(options: AgentOptions<S, M, R>): Agent<FieldsOf<S>, M, R> {
  const given = options ?? ({} as AgentOptions<S, M, R>);
  checkOptions("createAgent", options, AGENT_OPTIONS);
  const { model, systemPrompt, responseFormat, name, contextSchema } = given;
  checkModel(model);
  checkPrompt(systemPrompt);
  const middleware = stackOf(given);
  const schema = stateOf(middleware, given.schema ?? given.stateSchema);
  const { tools, ofProvider } = toolsOf(middleware, given.tools);
  const structured = structuredOf(responseFormat);
  const callbacks = callbacksOf(options, isGraphBubbleUp);
  const hasTools = tools.size > 0 || middleware.some(({ wrapToolCall }) => wrapToolCall);

  const graph = new StateGraph(schema as Schema<never>, {
    ...(contextSchema !== undefined && { context: contextOf(contextSchema, middleware) }),
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
  addLoop(graph, middleware, tools, structured?.tools, hasTools);
  const agent = compiled(graph, given);
  const delegates = [...tools.values()].flatMap(({ source }) => delegatesOf(source));
  if (delegates.length > 0) delegating(agent.spec, delegates);
  return agent as unknown as Agent<FieldsOf<S>, M, R>;
}

/** The agent's schema of the context. A middleware's own schema still finds the keys that the agent's would drop. */
function contextOf(schema: unknown, middleware: readonly Middleware[]): unknown {
  const { parse } = schema as { parse?(context: unknown): unknown };
  if (typeof parse !== "function" || !middleware.some((one) => one.contextSchema)) return schema;
  return { parse: (given: unknown) => ({ ...Object(given), ...Object(parse.call(schema, given)) }) as object };
}

/** Makes the graph one that runs, with what the options say of its runs. */
function compiled(graph: Builder, options: AgentOptions<StateForm<SchemaFields>>): Agent {
  const { checkpointer, durability, interruptBefore, interruptAfter, on, name, store, signal } = options;
  const settings = { checkpointer, durability, interruptBefore, interruptAfter, on, name };
  const agent = graph.compile({ ...defined(settings), recursionLimit: RECURSION_LIMIT }) as Agent;
  if (store === undefined && signal === undefined) return agent;
  return agent.withConfig({ ...(store !== undefined && { store }), ...(signal && { signal }) }) as Agent;
}

/** @throws {@link ThreadfoldError} for anything but a text or a message. */
function checkPrompt(prompt: unknown): void {
  if (prompt && typeof prompt !== "string" && !("content" in Object(prompt)))
    throw new ThreadfoldError("INVALID_ARGUMENT", "createAgent: expected a text or a system message as systemPrompt.");
}

/** The middlewares, the first outermost, with the limit of `maxIterations` around them. */
function stackOf({ middleware: own, maxIterations }: AgentOptions<StateForm<SchemaFields>>): Middleware[] {
  const stack = list(own, "middleware").map((one) => checked(one));
  if (maxIterations !== undefined)
    stack.unshift({ ...modelCallLimitMiddleware({ runLimit: maxIterations }), name: "maxIterations" } as Middleware);
  if (new Set(stack.map(({ name }) => name)).size < stack.length)
    throw new ThreadfoldError("INVALID_ARGUMENT", "Please remove duplicate middleware instances.");
  return steeringFirst(overBackend(stack));
}

/** The tools by name, the middlewares' first; and those that the model's provider runs. */
/** @throws {@link ThreadfoldError} for two tools of one name: the model calls them by name. */
function toolsOf(middleware: readonly Middleware[], own: readonly ToolLike[] | undefined) {
  const all = [...middleware.flatMap(({ tools = [] }) => tools), ...list(own, "tools")].map(agentTool);
  const isOfProvider = ({ source }: AgentTool) => isProviderTool(source);
  const tools = new Map<string, AgentTool>();
  for (const tool of all) {
    if (isOfProvider(tool)) continue;
    if (tools.has(tool.name) && tools.get(tool.name)?.source !== tool.source)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `createAgent: two tools are named '${tool.name}'. Rename one: the model calls them by name.`,
      );
    tools.set(tool.name, tool);
  }
  return { tools, ofProvider: all.filter(isOfProvider) };
}

/** @throws {@link ThreadfoldError} where there is none, or only a name, or one of an unknown specification. */
export function checkModel(model: unknown): void {
  if (!model) throw new ThreadfoldError("INVALID_ARGUMENT", "`model` option is required to create an agent.");
  if (typeof model === "string")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `createAgent: expected a model, got the name '${model}'. Import its class.`,
    );
  if (typeof (model as Partial<AiSdkModel>).doGenerate === "function") specificationOf(model as AiSdkModel);
}

/** The schema of the state: a field that the agent itself declares counts, whatever a middleware says of it. */
function stateOf(middleware: readonly Middleware[], own: StateForm<SchemaFields> | undefined): Schema<SchemaFields> {
  const ofAgent = own ? schemaOf(own) : defineSchema({});
  const schemas = middleware.flatMap(({ stateSchema }) => {
    if (!stateSchema) return [];
    const schema = schemaOf(stateSchema);
    const others = Object.entries(schema.fields).filter(([key]) => !Object.hasOwn(ofAgent.fields, key));
    return others.length < Object.keys(schema.fields).length ? [defineSchema(Object.fromEntries(others))] : [schema];
  });
  return combineSchemas(...(schemas as Schema<SchemaFields>[]), base, ofAgent) as Schema<SchemaFields>;
}

/** @throws {@link ThreadfoldError} for anything but a list. */
export function list<T>(given: readonly T[] | undefined, what: string): readonly T[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given as T[];
  throw new ThreadfoldError("INVALID_ARGUMENT", `Expected a list as the agent's \`${what}\`, got ${typeof given}.`);
}
