// One call of a model, whichever form the model has.
import type { LangChainMessage } from "../../state/messages.js";
import type { AgentTool, Runtime, ToolChoice } from "../types.js";

/** One call of a model. */
export interface ModelCall {
  readonly messages: readonly LangChainMessage[];
  readonly tools: readonly AgentTool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly settings: Record<string, unknown> | undefined;
  /** The context of the calling node. Its signal is created on first use, unless the run has one. */
  readonly runtime: Runtime;
  /** Takes the pieces of the answer, if somebody streams them. */
  readonly onChunk: ((chunk: object) => void) | undefined;
}

/** A piece of an answer, as LangGraph streams it. */
export const chunkOf = (id: string, content: string | readonly object[], toolCalls?: readonly object[]): object => ({
  type: "AIMessageChunk",
  id,
  content,
  ...(toolCalls && { tool_call_chunks: toolCalls }),
});
