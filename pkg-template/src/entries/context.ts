// "threadfold/context": what a model is sent of a conversation.
export { safeCuts, type SafeCuts } from "../context/safe-cuts.js";
export {
  patchToolCalls,
  repairToolCalls,
  type RepairOptions,
  type ToolAnswer,
  type ToolAnswerOptions,
} from "../context/tool-calls.js";
export { ThreadfoldError, type ThreadfoldErrorCode } from "../errors.js";
export {
  type CountOptions,
  countTokens,
  type CountTokensOptions,
  messageTokens,
  toolTokens,
} from "../context/count.js";
export { estimateTokens, scanTokens, type TokenScan } from "../context/estimate.js";
export { estimateMessageTokens, type EstimateOptions, scanMessage } from "../context/estimate-message.js";
