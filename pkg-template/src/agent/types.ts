// The types of an agent: its state, its middlewares and their arguments, its tools and models.
import type { Command } from "../graph/build/command.js";
import type { NodeContext } from "../graph/given/node-context.js";
import type { Field } from "../state/fields.js";
import type { ContentBlock } from "../state/message-types.js";
import type { LangChainMessage, MessagesUpdate, ToolCall } from "../state/messages.js";
import type { Fields as SchemaFields, Schema, StateOf } from "../state/schema.js";
import type { AiMessage, ToolMessage } from "./message.js";

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

/** The values that a hook receives besides the state, from its node of the graph. */
export type Runtime<Context = unknown> = NodeContext & { readonly context: Context };

/** The result of a hook: an update of the state, with `jumpTo` for another way; or nothing. */
export type HookUpdate = { readonly jumpTo?: JumpTarget | undefined; readonly [field: string]: unknown } | Command;

type Returned<T> = T | void | null | undefined | Promise<T | void | null | undefined>;

/** A function that a list of middlewares takes, whatever part of the state it names. */
type Hook<Args extends unknown[], Result> = { call(...args: Args): Result }["call"];
type StateHook<State, Context> = Hook<[state: State, runtime: Runtime<Context>], Returned<HookUpdate>>;

/** A hook that is a node of the graph. */
export type NodeHook<State = AgentState, Context = unknown> =
  | StateHook<State, Context>
  | {
      readonly hook: StateHook<State, Context>;
      /** Where it may jump to: only declared ways are ways of the graph. */
      readonly canJumpTo?: readonly JumpTarget[] | undefined;
    };

/** A call of the model. To change it, call the handler with a copy: `handler({ ...request, model })`. */
export interface ModelRequest<State = AgentState, Context = unknown> {
  readonly model: AgentModel;
  readonly messages: readonly LangChainMessage[];
  readonly systemPrompt?: string | undefined;
  /** The same as a message, to which `concat` appends. Change either. */
  readonly systemMessage: SystemMessage;
  /** Those of the agent. A copy may have others, in any form, if a `wrapToolCall` runs them. */
  readonly tools: readonly (AgentTool | ToolLike)[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** Options that this model takes: temperature, …. */
  readonly modelSettings?: Record<string, unknown> | undefined;
  readonly state: State;
  readonly runtime: Runtime<Context>;
}

/** Whether the model has to call a tool, or which. */
export type ToolChoice =
  | "auto"
  | "none"
  | "any"
  | "required"
  | { readonly name: string }
  | { readonly type: "function"; readonly function: { readonly name: string } };

/**
 * The values that {@link Middleware.wrapModelCall} may return besides the model's message: messages in its place, and
 * an update.
 */
export interface ModelResponse {
  readonly messages: readonly LangChainMessage[];
  readonly structuredResponse?: unknown;
  readonly command?: Command | undefined;
}

/** A call of a tool. To change it, call the handler with a copy. */
export interface ToolCallRequest<State = AgentState, Context = unknown> {
  readonly toolCall: ToolCall;
  /** The tool; undefined if there is none of this name. A copy may have one in any form. */
  readonly tool: AgentTool | ToolLike | undefined;
  readonly state: State;
  readonly runtime: ToolRuntime & { readonly context: Context };
}

/** The values that a tool receives besides its arguments. */
export interface ToolRuntime<State = AgentState> extends NodeContext {
  readonly state: State;
  readonly toolCall: ToolCall;
  readonly toolCallId: string;
  /** The tools of the agent. */
  readonly tools: readonly AgentTool[];
  /** The schema of the agent's state. */
  readonly schema: Schema<SchemaFields>;
}

/** The outcome of a tool call: a message, or a command with one in its update. */
export type ToolOutcome = ToolMessage | Command;

/** A state in any form: a schema, its fields, or what langgraph.js takes: a zod object, a `StateSchema`, an `Annotation.Root`. */
export type StateForm<F> =
  Schema<F> | F | { readonly shape: object } | { getChannels(): object } | { readonly lc_graph_name: string };

/** The fields that a `StateForm` declares. Those of LangChain's forms may be missing from a state. */
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
export interface Middleware<F = SchemaFields, State = AgentState & StateOf<F>, Context = unknown> {
  /** Unique in an agent: `${name}.before_model` is the name of a node. */
  readonly name: string;
  readonly stateSchema?: StateForm<F> | undefined;
  /** Checks and completes the run's `context` for its hooks: a zod object, or anything with its `parse`. */
  readonly contextSchema?: { parse(context: unknown): Context } | undefined;
  readonly tools?: readonly ToolLike[] | undefined;
  /** Once, before the loop. */
  readonly beforeAgent?: NodeHook<State, Context> | undefined;
  /** Before each call of the model. */
  readonly beforeModel?: NodeHook<State, Context> | undefined;
  /** After each call of the model. The last middleware's is the first to run. */
  readonly afterModel?: NodeHook<State, Context> | undefined;
  /** Once, after the loop. The last middleware's is the first to run. */
  readonly afterAgent?: NodeHook<State, Context> | undefined;
  /** Around each call of the model; the first middleware's is the outermost. */
  readonly wrapModelCall?:
    | Hook<
        [request: ModelRequest<State, Context>, handler: (request: ModelRequest<State, Context>) => Promise<AiMessage>],
        Promise<AiMessage | ModelResponse | Command> | AiMessage | ModelResponse | Command
      >
    | undefined;
  /** Around each tool call; the first middleware's is the outermost. */
  readonly wrapToolCall?:
    | Hook<
        [
          request: ToolCallRequest<State, Context>,
          handler: (request: ToolCallRequest<State, Context>) => Promise<ToolOutcome>,
        ],
        Promise<ToolOutcome> | ToolOutcome
      >
    | undefined;
}

/** The fields that a list of middlewares adds to the state. */
export type StateOfMiddlewares<M> = M extends readonly [infer First, ...infer Rest]
  ? (First extends Middleware<infer F, never> ? StateOf<F> : object) & StateOfMiddlewares<Rest>
  : object;

// Schemas of arguments and answers.

/** A schema of the Standard Schema kind: zod's, Valibot's, ArkType's. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    validate(value: unknown): Checked<T> | Promise<Checked<T>>;
    readonly jsonSchema?: { input(options: { target: string }): object } | undefined;
    readonly types?: { readonly output: T } | undefined;
  };
  toJSONSchema?(): object;
}

/** The result of a schema check: the value in the schema's form, or the errors. */
export type Checked<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** JSON Schema, or a schema of the Standard Schema kind. */
export type AnySchema<T = unknown> = object | StandardSchema<T>;

// Tools.

/** A tool of one's own: `run` is called with the arguments that the model gives, checked by `schema`. */
export interface PlainTool<Args = never> {
  readonly name: string;
  readonly description?: string | undefined;
  /** The schema of the arguments: JSON Schema, or a schema of zod, Valibot, …. */
  readonly schema?: AnySchema<Args> | undefined;
  /** Whether its result is the agent's answer: the model is not called again. */
  readonly returnDirect?: boolean | undefined;
  /**
   * Does the work. Its result goes to the model: a text, content blocks, any JSON, a tool message, or a `Command`. The
   * command updates the state, with a tool message among its `messages`.
   */
  run(args: Args, runtime: ToolRuntime): unknown;
}

/** A tool of `@langchain/core`. */
export interface LangChainTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema?: unknown;
  readonly returnDirect?: boolean | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- its config is LangChain's own
  invoke(call: any, config?: any): unknown;
}

/** A tool that the model's provider runs: the model is given it as it is. */
export interface ProviderTool {
  readonly type: string;
  readonly name?: string | undefined;
  readonly run?: undefined;
  readonly invoke?: undefined;
}

/** A tool in any form: of one's own, of `@langchain/core`, as `mcpTools` makes them, or a provider's. */
// oxlint-disable-next-line typescript/no-explicit-any -- each tool has arguments of its own
export type ToolLike = PlainTool<any> | LangChainTool | ProviderTool;

/** A tool as an agent has it: {@link ToolRuntime} and requests show it so. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly returnDirect: boolean;
  /** The arguments, as JSON Schema. */
  readonly parameters: object;
  /** The tool that it was made of. */
  readonly source: ToolLike;
  /** Runs it. */
  call(call: ToolCall, runtime: ToolRuntime): Promise<ToolOutcome>;
}

// Models.

/** A language model of the AI SDK. */
export interface AiSdkModel {
  readonly specificationVersion?: string | undefined;
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- the AI SDK's own types
  doGenerate(options: any): PromiseLike<any>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the AI SDK's own types
  doStream?(options: any): PromiseLike<any>;
}

/** A chat model of `@langchain/core`, or anything with its `invoke`. */
export interface LangChainModel {
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own types
  invoke(messages: any, options?: any): Promise<any>;
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own types
  stream?(messages: any, options?: any): Promise<AsyncIterable<any>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's own types
  bindTools?(tools: any[], options?: any): any;
}

/** The values that a model function receives besides the messages. */
export interface ModelOptions {
  readonly tools: readonly AgentTool[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly settings?: Record<string, unknown> | undefined;
  readonly signal: AbortSignal;
  /** Shows a piece of the answer's text to those who stream `messages`. */
  onToken(text: string): void;
  /** Shows a piece of a tool call to those who stream `messages`. */
  onToolCall(piece: ToolCallPiece): void;
}

/** A piece of a tool call that a model function streams. The first has the id and the name. */
export interface ToolCallPiece {
  /** The position of the call among the answer's. */
  readonly index: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The next piece of the arguments, as JSON. */
  readonly args?: string | undefined;
}

/** A model that is a function: it returns a text, or a message with `tool_calls`. */
export type FunctionModel = (
  messages: readonly LangChainMessage[],
  options: ModelOptions,
) => FunctionAnswer | Promise<FunctionAnswer>;
type FunctionAnswer =
  string | { readonly content?: unknown; readonly tool_calls?: readonly FunctionCall[] | undefined };
/** A call of a tool. An id is made where none is given. */
type FunctionCall = Readonly<Omit<ToolCall, "args">> & { readonly args: object };

/** A model in any form. */
export type AgentModel = LangChainModel | AiSdkModel | FunctionModel;

/** A system message, with what LangChain's has for a middleware. */
export interface SystemMessage {
  readonly content: string | readonly ContentBlock[] | readonly unknown[];
  readonly text: string;
  /** Returns the message with more appended. */
  // oxlint-disable-next-line typescript/no-explicit-any -- LangChain's takes its own messages
  concat(more: any): SystemMessage;
}

/** The form of the agent's answer: a schema, or several, from which the model chooses one. */
export type ResponseFormat<T = unknown> = AnySchema<T> | ToolStrategy<T>;

/** The type of an answer in that form. */
export type StructuredOf<R> = R extends ToolStrategy<infer T> | StandardSchema<infer T> ? T : unknown;

/** {@link toolStrategy}. */
export interface ToolStrategy<T = unknown> {
  readonly schemas: readonly AnySchema<T>[];
  /**
   * The handling of a wrong answer: true sends the model the errors, a text sends that text, a function makes a text,
   * and false throws.
   */
  readonly handleErrors: boolean | string | ((error: Error & { readonly aiMessage: AiMessage }) => string);
  /** The message to the model about a valid answer. */
  readonly toolMessageContent?: string | undefined;
}
