// What an agent tells its caller of a run, and the counts that it tells it by.
import type { LangChainMessage } from "../messages.js";
import type { AiMessage } from "./message.js";
import type { ModelRequest, ToolCallRequest, ToolOutcome } from "./types.js";

/** The run that a node's context belongs to: where `threadfold/graph` keeps it. */
const TASK: unique symbol = Symbol.for("threadfold.graph.task") as never;
interface Run {
  readonly runId: string;
  readonly threadId: string | undefined;
}
const runOf = (ctx: object) => (ctx as { readonly [TASK]: { readonly run: Run } })[TASK].run;

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

/** Called as an agent runs. What one throws fails the run. */
export interface AgentCallbacks {
  /** Before the model is called, with what it is sent. */
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

/** Calls the callbacks around what the nodes do. Without any, nothing is awaited: each promise costs. */
export class Callbacks {
  /** How often a run has called the model. */
  readonly #iterations = new WeakMap<object, number>();
  readonly #any: boolean;

  constructor(
    private readonly id: string | undefined,
    private readonly name: string | undefined,
    private readonly on: AgentCallbacks,
    private readonly passes: (error: unknown) => boolean,
  ) {
    this.#any = Boolean(on.onModelStart ?? on.onModelEnd ?? on.onToolStart ?? on.onToolEnd ?? on.onError);
  }

  aroundModel(request: ModelRequest, messages: readonly LangChainMessage[], ask: () => Promise<AiMessage>) {
    return this.#any ? this.#toldModel(request, messages, ask) : ask();
  }

  async #toldModel(
    { runtime }: ModelRequest,
    messages: readonly LangChainMessage[],
    ask: () => Promise<AiMessage>,
  ): Promise<AiMessage> {
    const run = runOf(runtime);
    this.#iterations.set(run, (this.#iterations.get(run) ?? 0) + 1);
    const event = this.#event(runtime);
    this.on.onModelStart?.({ ...event, messages });
    const message = await this.#failing(event, ask);
    const reason = (message.response_metadata as { finish_reason?: string } | undefined)?.finish_reason;
    this.on.onModelEnd?.({ ...event, message, finishReason: reason });
    return message;
  }

  aroundTool(request: ToolCallRequest, run: (request: ToolCallRequest) => Promise<ToolOutcome>) {
    return this.#any ? this.#toldTool(request, run) : run(request);
  }

  async #toldTool(
    request: ToolCallRequest,
    run: (request: ToolCallRequest) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const { toolCall, runtime } = request;
    const event = this.#event(runtime);
    this.on.onToolStart?.({ ...event, toolCall });
    const result = await this.#failing(event, () => run(request));
    this.on.onToolEnd?.({ ...event, toolCall, result });
    return result;
  }

  async #failing<T>(event: AgentEvent, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!this.passes(error)) this.on.onError?.({ ...event, error });
      throw error;
    }
  }

  #event(runtime: ModelRequest["runtime"]): AgentEvent {
    const { step, context } = runtime;
    const run = runOf(runtime);
    const { runId, threadId } = run;
    const iteration = this.#iterations.get(run) ?? 0;
    return { id: this.id, name: this.name, runId, threadId, step, iteration, context };
  }
}
