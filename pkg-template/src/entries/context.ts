// "threadfold/context": what a model is sent of a conversation.
export { safeCuts, SafeCuts } from "../context/safe-cuts.js";
export {
  type CountOptions,
  countTokens,
  type CountTokensOptions,
  messageTokens,
  toolTokens,
} from "../context/count.js";
export { estimateTokens, scanTokens, type TokenScan } from "../context/estimate.js";
export { estimateMessageTokens, type EstimateOptions, scanMessage } from "../context/estimate-message.js";
