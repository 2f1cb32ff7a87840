// One call of a model, whichever form the model has.
import type { LangChainMessage } from "../messages.js";
import type { AgentTool } from "./tools.js";
import type { Runtime, ToolChoice } from "./types.js";

/** One call of a model. */
export interface ModelCall {
  readonly messages: readonly LangChainMessage[];
  readonly tools: readonly AgentTool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly settings: Record<string, unknown> | undefined;
  /** Of the node that calls. Its signal is made when it is asked for, unless the run has one. */
  readonly runtime: Runtime;
  /** Takes the pieces of the answer, if somebody streams them. */
  readonly onChunk: ((chunk: object) => void) | undefined;
}

/** The signal of a run that has one: to make one for each call would cost as much as the call. */
export const ownSignal = (runtime: Runtime): { signal?: AbortSignal } =>
  Object.hasOwn(runtime, "signal") ? { signal: runtime.signal } : {};

/** A piece of an answer, as LangGraph streams it. */
export const chunkOf = (id: string, content: string, toolCalls?: readonly object[]): object => ({
  type: "AIMessageChunk",
  id,
  content,
  ...(toolCalls && { tool_call_chunks: toolCalls }),
});
