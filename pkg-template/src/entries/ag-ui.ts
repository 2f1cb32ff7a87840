// "threadfold/ag-ui": AG-UI without `@ag-ui/client`, whose agents "threadfold/ag-ui/client" folds.
export type { AgUiEvent } from "../ag-ui/event-types.js";
export { langGraphDefaultMergeState } from "../ag-ui/merge-state.js";
export { foldAgUi } from "../ag-ui/fold-ag-ui.js";
export { runInput, type RunAgentInput } from "../ag-ui/run-input.js";
export { openAgUi } from "../ag-ui/open-ag-ui.js";
export { AgUiRunner, type AgUiRunnerOptions } from "../ag-ui/runner.js";
export {
  agentTransport,
  graphTransport,
  httpTransport,
  type AgUiTransport,
  type HttpTransportOptions,
} from "../ag-ui/transport.js";
export type { RunnableGraph } from "../stream/graph-parts.js";
