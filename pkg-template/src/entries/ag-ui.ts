// "threadfold/ag-ui": AG-UI without `@ag-ui/client`, whose agents "threadfold/ag-ui/client" folds.
export type { AgUiEvent, Interrupt, RunEnd } from "../ag-ui/event-types.js";
export { foldAgUi, type FoldOptions } from "../ag-ui/fold-ag-ui.js";
export { runInput, type RunAgentInput } from "../ag-ui/run-input.js";
export { openAgUi } from "../ag-ui/open-ag-ui.js";
export type { OpenOptions } from "../open/opened.js";
export { AgUiRunner, type AgUiRunnerOptions, type RunToJoin } from "../ag-ui/runner.js";
export {
  agentTransport,
  graphTransport,
  httpTransport,
  type AgUiTransport,
  type HttpTransportOptions,
} from "../ag-ui/transport.js";
export type { LoadedThread, RunRef, Transport } from "../runner/transport.js";
export type {
  HttpOptions,
  RunnerDecision,
  RunnerError,
  RunnerInterrupt,
  RunnerOptions,
  RunnerStatus,
  RunResult,
  SendOptions,
} from "../runner/runner-types.js";
export type { Runner } from "../runner/runner.js";
export { graphEvents } from "../ag-ui/graph/graph-events.js";
export type { RunnableGraph } from "../stream/graph-parts.js";
