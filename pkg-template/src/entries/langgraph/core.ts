// "threadfold/langgraph/core": a thread's reducer for the graphs of langgraph.js, on the messages of `@langchain/core`.
export { graphReducer } from "../../langgraph/graph-reducer.js";
export { messagesValue } from "../../langgraph/messages-value.js";
