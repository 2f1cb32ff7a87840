// "threadfold/context": what a model is sent of a conversation.
export { contextMessages, fullMessages } from "../context/full-and-context.js";
export { clearToolUses } from "../context/clear.js";
export { Context, type ContextDue, type ContextView } from "../context/context.js";
export { countTokens, messageTokens, toolTokens } from "../context/count.js";
export { estimateMessageTokens, scanMessage } from "../context/estimate-message.js";
export { estimateTokens, scanTokens } from "../context/estimate.js";
export type { ContextOptions } from "../context/policy.js";
export { deepAgentsSummarization, langChainSummarization, slidingWindow } from "../context/presets.js";
export { safeCuts } from "../context/safe-cuts.js";
export type { TokenCounter } from "../context/token-counter.js";
export { patchToolCalls, repairToolCalls } from "../context/tool-calls.js";
export { trimMessages } from "../context/trim.js";
export { truncateToolArgs } from "../context/truncate-args.js";
export type { ContextUsage } from "../context/view.js";
