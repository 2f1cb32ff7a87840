// "threadfold/serve": a graph as a server, of AG-UI or of LangGraph's API.
export type { FetchHandler } from "../serve/http.js";
export { toNodeListener } from "../serve/node-listener.js";
export { serveLangGraph } from "../serve/langgraph/serve-langgraph.js";
export type { ServeLangGraphOptions } from "../serve/langgraph/serve-options.js";
export type { ServeAgUiOptions } from "../serve/ag-ui/serve-options.js";
export { serveAgUi } from "../serve/ag-ui/serve-ag-ui.js";
export { MemoryRuns } from "../serve/run-stores/memory-runs.js";
export type {
  BegunRun,
  NewRun,
  NumberedPart,
  Part,
  RunFilter,
  RunKey,
  RunLease,
  RunStore,
  StoredRun,
  TakeText,
} from "../serve/run-stores/run-store.js";
