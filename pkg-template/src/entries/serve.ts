// "threadfold/serve": a graph as a server, of AG-UI or of LangGraph's API.
export type { Asker, FetchHandler, Identified, ThreadUse } from "../serve/http.js";
export { toNodeListener } from "../serve/node-listener.js";
export type { Cors } from "../serve/origins.js";
export { serveLangGraph } from "../serve/langgraph/serve-langgraph.js";
export type { ServeLangGraphOptions } from "../serve/langgraph/serve-options.js";
export { serveAgUi, type ServeAgUiOptions } from "../serve/serve-ag-ui.js";
export type { RunnableGraph } from "../stream/graph-parts.js";
