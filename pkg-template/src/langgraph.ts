// "threadfold/langgraph": runs of a LangGraph server folded into a thread, and reducers for graphs in JavaScript.
export { addMessages, messagesStateReducer } from "threadfold";
export { concatChunk } from "./langgraph/chunk.js";
export type { RunThread } from "./langgraph/conversation.js";
export { foldRun, type FoldedRun, type FoldRunOptions, type RunInterrupt } from "./langgraph/fold-run.js";
export { messagesValue, type MessagesValue } from "./langgraph/messages-value.js";
export type { RunStream } from "./langgraph/parts.js";
