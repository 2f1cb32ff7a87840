// "threadfold/langgraph": runs of a LangGraph server folded into a thread, and the reducer for graphs of langgraph.js.
// The first half is imported by its name, not bundled again: a thread that both entries fold is one thread, and a page
// that only folds runs leaves `@langchain/core` out of its bundle.
export * from "threadfold/langgraph/events";
export { graphReducer } from "../langgraph/graph-reducer.js";
export { messagesValue, type MessagesValue } from "../langgraph/messages-value.js";
