// The callbacks by which an agent reports on a run, and their counts.
import type { LangChainMessage } from "../state/messages.js";
import type { AiMessage } from "./message.js";
import type { ModelRequest, Runtime, ToolCallRequest, ToolOutcome } from "./types.js";

/** The scope of the run that a node's context belongs to: where `threadfold/graph` keeps it. */
const TASK: unique symbol = Symbol.for("threadfold.graph.task") as never;
interface Scope {
  readonly runId: string;
  readonly threadId: string | undefined;
}
const scopeOf = (ctx: object) => (ctx as { readonly [TASK]: { readonly scope: Scope } })[TASK].scope;

/** Where a run stands when a callback is called. */
export interface AgentEvent {
  /** The agent's. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** One for each `invoke`. */
  readonly runId: string;
  readonly threadId: string | undefined;
  /** The super-step of the thread. */
  readonly step: number;
  /** How many times this run has called the model, so far. */
  readonly iteration: number;
  /** The caller's: `invoke(input, { context })`. */
  readonly context: unknown;
}

/** Called as an agent runs. An error that one throws fails the run. */
export interface AgentCallbacks {
  /** Before the model is called, with its input. */
  onModelStart?(event: AgentEvent & { readonly messages: readonly LangChainMessage[] }): void;
  /** After it answered. */
  onModelEnd?(event: AgentEvent & { readonly message: AiMessage; readonly finishReason: string | undefined }): void;
  /** Before a tool is called. */
  onToolStart?(event: AgentEvent & Pick<ToolCallRequest, "toolCall">): void;
  /** After it answered. */
  onToolEnd?(event: AgentEvent & Pick<ToolCallRequest, "toolCall"> & { readonly result: ToolOutcome }): void;
  /** When the model or a tool failed. The run fails, unless a middleware catches it. */
  onError?(event: AgentEvent & { readonly error: unknown }): void;
}

/** The names of {@link AgentCallbacks}. */
export const CALLBACKS = ["onModelStart", "onModelEnd", "onToolStart", "onToolEnd", "onError"] as const;

/** Calls the callbacks around the nodes' work. */
export interface Callbacks {
  aroundModel(
    request: ModelRequest,
    messages: readonly LangChainMessage[],
    ask: () => Promise<AiMessage>,
  ): Promise<AiMessage>;
  aroundTool(request: ToolCallRequest, run: (request: ToolCallRequest) => Promise<ToolOutcome>): Promise<ToolOutcome>;
}

/** Without any callback nothing is awaited: each promise costs. */
const NONE: Callbacks = {
  aroundModel: (_request, _messages, ask) => ask(),
  aroundTool: (request, run) => run(request),
};

export function callbacksOf(
  on: AgentCallbacks & Partial<Pick<AgentEvent, "id" | "name">>,
  passes: (error: unknown) => boolean,
): Callbacks {
  const { id, name } = on;
  if (!CALLBACKS.some((callback) => on[callback])) return NONE;
  /** How often a run has called the model. */
  const iterations = new WeakMap<object, number>();
  const eventOf = (runtime: Runtime): AgentEvent => {
    const { step, context } = runtime;
    const run = scopeOf(runtime);
    const { runId, threadId } = run;
    return { id, name, runId, threadId, step, iteration: iterations.get(run) ?? 0, context };
  };
  const failing = async <T>(event: AgentEvent, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!passes(error)) on.onError?.({ ...event, error });
      throw error;
    }
  };
  return {
    aroundModel: async ({ runtime }, messages, ask) => {
      const run = scopeOf(runtime);
      iterations.set(run, (iterations.get(run) ?? 0) + 1);
      const event = eventOf(runtime);
      on.onModelStart?.({ ...event, messages });
      const message = await failing(event, ask);
      const { finish_reason: finishReason } = (message.response_metadata ?? {}) as { finish_reason?: string };
      on.onModelEnd?.({ ...event, message, finishReason });
      return message;
    },
    aroundTool: async (request, run) => {
      const { toolCall, runtime } = request;
      const event = eventOf(runtime);
      on.onToolStart?.({ ...event, toolCall });
      const result = await failing(event, () => run(request));
      on.onToolEnd?.({ ...event, toolCall, result });
      return result;
    },
  };
}
