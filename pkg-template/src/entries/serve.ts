// "threadfold/serve": a graph as a server, of AG-UI or of LangGraph's API.
export type { GraphEvent } from "../ag-ui/graph/graph-event.js";
export type { GraphRunInput } from "../ag-ui/graph/graph-input.js";
export type { Asker, FetchHandler, HandlerOptions, Identified, ThreadUse } from "../serve/http.js";
export { toNodeListener, type NodeRequest, type NodeResponse } from "../serve/node-listener.js";
export type { Cors } from "../serve/origins.js";
export type { RunPart } from "../serve/langgraph/run-parts.js";
export { serveLangGraph } from "../serve/langgraph/serve-langgraph.js";
export type { ServeLangGraphOptions } from "../serve/langgraph/serve-options.js";
export { serveAgUi, type ServeAgUiOptions } from "../serve/serve-ag-ui.js";
export type { RunnableGraph } from "../stream/graph-parts.js";
