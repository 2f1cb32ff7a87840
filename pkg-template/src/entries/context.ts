// "threadfold/context": what a model is sent of a conversation.
export { contextMessages, fullMessages } from "../context/both-lists.js";
export { clearToolUses, type ClearToolUsesOptions } from "../context/clear.js";
export { Context, type ContextDue, type ContextView } from "../context/context.js";
export {
  type CountOptions,
  countTokens,
  type CountTokensOptions,
  messageTokens,
  toolTokens,
} from "../context/count.js";
export type { ContextSize, EditedBefore } from "../context/edited.js";
export { estimateMessageTokens, type EstimateOptions, scanMessage } from "../context/estimate-message.js";
export { estimateTokens, scanTokens, type TokenScan } from "../context/estimate.js";
export type { Meter } from "../context/meter.js";
export type { ContextLimit, ContextOptions } from "../context/policy.js";
export {
  deepAgentsSummarization,
  type DeepAgentsSummarizationOptions,
  langChainSummarization,
  type LangChainSummarizationOptions,
  slidingWindow,
  type SlidingWindowOptions,
} from "../context/presets.js";
export type { ContextRecord } from "../context/record.js";
export { safeCuts, type SafeCuts } from "../context/safe-cuts.js";
export type { ContextSource, ContextState } from "../context/source.js";
export type { TokenCounter } from "../context/token-counter.js";
export {
  patchToolCalls,
  repairToolCalls,
  type RepairOptions,
  type ToolAnswer,
  type ToolAnswerOptions,
} from "../context/tool-calls.js";
export { type MessageType, trimMessages, type TrimMessagesOptions } from "../context/trim.js";
export { truncateToolArgs, type TruncateToolArgsOptions } from "../context/truncate-args.js";
export type { ContextUsage } from "../context/view.js";
export { ThreadfoldError, type ThreadfoldErrorCode } from "../shared/errors.js";
