// "threadfold/context": what a model is sent of a conversation.
export { safeCuts, SafeCuts } from "../context/safe-cuts.js";
export { clearToolUses, type ClearToolUsesOptions } from "../context/clear.js";
export { offload, type Offloaded, type OffloadOptions } from "../context/offload.js";
export { type MessageType, trimMessages, type TrimMessagesOptions } from "../context/trim.js";
export { truncateToolArgs, type TruncateToolArgsOptions } from "../context/truncate-args.js";
export type { TokenCounter } from "../context/token-counter.js";
export type { ContextSize, EditedBefore } from "../context/edited.js";
export {
  type CountOptions,
  countTokens,
  type CountTokensOptions,
  messageTokens,
  toolTokens,
} from "../context/count.js";
export { estimateTokens, scanTokens, type TokenScan } from "../context/estimate.js";
export { estimateMessageTokens, type EstimateOptions, scanMessage } from "../context/estimate-message.js";
