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
