// "threadfold/ag-ui": AG-UI without `@ag-ui/client`, whose agents "threadfold/ag-ui/client" folds.
export type { AgUiEvent, Interrupt, RunEnd, RunFailure } from "../ag-ui/event-types.js";
export { foldAgUi, type FoldOptions } from "../ag-ui/fold-ag-ui.js";
export type { FoldingThread } from "../ag-ui/folding-thread.js";
export type { AgUiSource, AnyEvent, Observable } from "../ag-ui/source.js";
export { runInput, type RunAgentInput, type RunInputOptions, type SendingThread } from "../ag-ui/run-input.js";
export { AgUiRunner, type AgUiRunnerOptions, type RunToJoin } from "../ag-ui/runner.js";
export {
  agentTransport,
  graphTransport,
  httpTransport,
  type AgUiAgent,
  type AgUiTransport,
  type HttpTransportOptions,
} from "../ag-ui/transport.js";
export type { LoadedThread, RunRef, Transport, TransportCall } from "../runner/transport.js";
export type * from "../runner/runner-types.js";
export type { Runner } from "../runner/runner.js";
export type { GraphEvent } from "../ag-ui/graph/graph-event.js";
export { graphEvents, type GraphEventOptions } from "../ag-ui/graph/graph-events.js";
export type { GraphRunInput } from "../ag-ui/graph/graph-input.js";
export type { RunnableGraph } from "../stream/graph-parts.js";
