// One call of a model, whichever form the model has.
import type { LangChainMessage } from "../../state/messages.js";
import type { AgentTool, Runtime, ToolChoice } from "../types.js";

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

/** What a context has of its own is a config of LangChain's, which pays for every key: only those that say something. */
export function configOf(runtime: Runtime): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(runtime)) {
    const value = runtime[key as keyof Runtime] as unknown;
    const isEmpty = value === undefined || (key === "configurable" && Object.keys(value as object).length === 0);
    if (!isEmpty && key !== "tools" && key !== "schema") config[key] = value;
  }
  return config;
}

/** The signal of a run that has one: to make one for each call would cost as much as the call. */
export const ownSignal = (runtime: Runtime): { signal?: AbortSignal } =>
  Object.hasOwn(runtime, "signal") ? { signal: runtime.signal } : {};

/** A piece of an answer, as LangGraph streams it. */
export const chunkOf = (id: string, content: string | readonly object[], toolCalls?: readonly object[]): object => ({
  type: "AIMessageChunk",
  id,
  content,
  ...(toolCalls && { tool_call_chunks: toolCalls }),
});
