// The types of an agent: its state, its middlewares, what they are given.
import type { Command } from "../graph/build/command.js";
import type { NodeContext } from "../graph/build/node-context.js";
import type { Field } from "../state/fields.js";
import type { LangChainMessage, MessagesUpdate, ToolCall } from "../state/messages.js";
import type { Fields as SchemaFields, Schema, StateOf } from "../state/schema.js";
import type { AiMessage, ToolMessage } from "./message.js";
import type { AgentModel } from "./model/models.js";
import type { ResponseFormat } from "./model/structured.js";
import type { SystemMessage } from "./model/system-message.js";
import type { AgentTool, Tool } from "./tools/tools.js";

/** The state that every agent has. Its own schema and its middlewares' add fields. */
export interface AgentState {
  readonly messages: LangChainMessage[];
  readonly structuredResponse?: unknown;
  readonly [field: string]: unknown;
}

/** The fields of {@link AgentState} in a schema. */
export type BaseFields = {
  messages: Field<LangChainMessage[], MessagesUpdate<LangChainMessage>, true>;
  structuredResponse: Field<unknown, unknown, false>;
};

/** Where a hook may jump to: the next call of the model, the open tool calls, the end. */
export type JumpTarget = "model" | "tools" | "end";

/** What a hook is given besides the state: of the graph's node that it is. */
export type Runtime<Context = unknown> = NodeContext & { readonly context?: Context };

/** What a hook returns: an update of the state, with `jumpTo` for another way; or nothing. */
export type HookUpdate = { readonly jumpTo?: JumpTarget | undefined; readonly [field: string]: unknown } | Command;

type Returned<T> = T | void | null | undefined | Promise<T | void | null | undefined>;

/** A function that a list of middlewares takes, whatever part of the state it names. */
type Hook<Args extends unknown[], Result> = { call(...args: Args): Result }["call"];
type StateHook<State> = Hook<[state: State, runtime: Runtime], Returned<HookUpdate>>;

/** A hook that is a node of the graph. */
export type NodeHook<State = AgentState> =
  | StateHook<State>
  | {
      readonly hook: StateHook<State>;
      /** Where it may jump to: only declared ways are ways of the graph. */
      readonly canJumpTo?: readonly JumpTarget[] | undefined;
    };

/** A call of the model. To change it, call the handler with a copy: `handler({ ...request, model })`. */
export interface ModelRequest<State = AgentState> {
  readonly model: AgentModel;
  readonly messages: readonly LangChainMessage[];
  readonly systemPrompt?: string | undefined;
  /** The same as a message, which `concat` puts more behind. Change either. */
  readonly systemMessage: SystemMessage;
  /** Those of the agent. A copy may have others, in any form, if a `wrapToolCall` runs them. */
  readonly tools: readonly (AgentTool | Tool)[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** Options that this model takes: temperature, …. */
  readonly modelSettings?: Record<string, unknown> | undefined;
  readonly state: State;
  readonly runtime: Runtime;
}

/** Whether the model has to call a tool, or which. */
export type ToolChoice =
  | "auto"
  | "none"
  | "any"
  | "required"
  | { readonly name: string }
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** What {@link Middleware.wrapModelCall} may return besides the model's message: messages in its place, and an update. */
export interface ModelResponse {
  readonly messages: readonly LangChainMessage[];
  readonly structuredResponse?: unknown;
  readonly command?: Command | undefined;
}

/** A call of a tool. To change it, call the handler with a copy. */
export interface ToolCallRequest<State = AgentState> {
  readonly toolCall: ToolCall;
  /** The tool; undefined if there is none of this name. A copy may have one in any form. */
  readonly tool: AgentTool | Tool | undefined;
  readonly state: State;
  readonly runtime: ToolRuntime;
}

/** What a tool is given besides its arguments. */
export interface ToolRuntime<State = AgentState> extends NodeContext {
  readonly state: State;
  readonly toolCall: ToolCall;
  readonly toolCallId: string;
  /** The tools of the agent. */
  readonly tools: readonly AgentTool[];
  /** The schema of the agent's state. */
  readonly schema: Schema<SchemaFields>;
}

/** What becomes of a tool call: a message, or a command with one in its update. */
export type ToolOutcome = ToolMessage | Command;

/** A state in any form: a schema, its fields, or what langgraph.js takes: a zod object, a `StateSchema`, an `Annotation.Root`. */
export type StateForm<F> =
  Schema<F> | F | { readonly shape: object } | { getChannels(): object } | { readonly lc_graph_name: string };

/** The fields that a {@link StateForm} declares. Those of LangChain's forms may be missing from a state. */
export type FieldsOf<S> = 0 extends S & 1
  ? SchemaFields
  : S extends Schema<infer F>
    ? F
    : S extends { readonly _output: infer State }
      ? DeclaredFields<State, State>
      : S extends { readonly State: infer State; readonly Update: infer Update }
        ? DeclaredFields<State, Update>
        : S extends { readonly shape: object } | { getChannels(): object } | { readonly lc_graph_name: string }
          ? SchemaFields
          : S;

type DeclaredFields<State, Update> = {
  [K in Exclude<keyof State, "messages">]: Field<State[K], K extends keyof Update ? Update[K] : never, false>;
};

/** Part of an agent: fields, tools, and hooks around its loop. Make one with {@link createMiddleware}. */
export interface Middleware<F = SchemaFields, State = AgentState & StateOf<F>> {
  /** Unique in an agent: `${name}.before_model` is the name of a node. */
  readonly name: string;
  readonly stateSchema?: StateForm<F> | undefined;
  /** Checks and completes the run's `context` for its hooks: a zod object, or anything with its `parse`. */
  readonly contextSchema?: { parse(context: unknown): unknown } | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Once, before the loop. */
  readonly beforeAgent?: NodeHook<State> | undefined;
  /** Before each call of the model. */
  readonly beforeModel?: NodeHook<State> | undefined;
  /** After each call of the model. The last middleware's is the first to run. */
  readonly afterModel?: NodeHook<State> | undefined;
  /** Once, after the loop. The last middleware's is the first to run. */
  readonly afterAgent?: NodeHook<State> | undefined;
  /** Around each call of the model; the first middleware's is the outermost. */
  readonly wrapModelCall?:
    | Hook<
        [request: ModelRequest<State>, handler: (request: ModelRequest<State>) => Promise<AiMessage>],
        Promise<AiMessage | ModelResponse | Command> | AiMessage | ModelResponse | Command
      >
    | undefined;
  /** Around each tool call; the first middleware's is the outermost. */
  readonly wrapToolCall?:
    | Hook<
        [request: ToolCallRequest<State>, handler: (request: ToolCallRequest<State>) => Promise<ToolOutcome>],
        Promise<ToolOutcome> | ToolOutcome
      >
    | undefined;
}

/** The fields that a list of middlewares adds to the state. */
export type StateOfMiddlewares<M> = M extends readonly [infer First, ...infer Rest]
  ? (First extends Middleware<infer F, never> ? StateOf<F> : object) & StateOfMiddlewares<Rest>
  : object;
