// "threadfold/context": what a model is sent of a conversation.
export { contextMessages, fullMessages } from "../context/both-lists.js";
export { clearToolUses } from "../context/clear.js";
export { Context, type ContextDue, type ContextView } from "../context/context.js";
export { countTokens, type CountTokensOptions, messageTokens, toolTokens } from "../context/count.js";
export type { ContextSize } from "../context/edited.js";
export { estimateMessageTokens, scanMessage } from "../context/estimate-message.js";
export { estimateTokens, scanTokens } from "../context/estimate.js";
export type { ContextLimit, ContextOptions } from "../context/policy.js";
export {
  deepAgentsSummarization,
  type DeepAgentsSummarizationOptions,
  langChainSummarization,
  slidingWindow,
} from "../context/presets.js";
export type { ContextRecord } from "../context/record.js";
export { safeCuts } from "../context/safe-cuts.js";
export type { TokenCounter } from "../context/token-counter.js";
export { patchToolCalls, repairToolCalls } from "../context/tool-calls.js";
export { trimMessages, type TrimMessagesOptions } from "../context/trim.js";
export { truncateToolArgs } from "../context/truncate-args.js";
export type { ContextUsage } from "../context/view.js";
export { ThreadfoldError, type ThreadfoldErrorCode } from "../shared/errors.js";
