// "threadfold/langgraph": runs of a LangGraph server folded into a thread, without `@langchain/core`, whose messages
// "threadfold/langgraph/core" reduces.
export { concatChunk } from "../langgraph/chunk.js";
export { foldGraph, type FoldGraphOptions } from "../langgraph/fold-graph.js";
export {
  foldLangGraph,
  type FoldedRun,
  type FoldLangGraphOptions,
  type RunThread,
} from "../langgraph/fold-langgraph.js";
export type { RunInterrupt } from "../langgraph/interrupt.js";
export type { RunStream } from "../langgraph/parts.js";
export type { RunListeners } from "../langgraph/run.js";
export { LangGraphRunner, type LangGraphRunnerOptions } from "../langgraph/runner.js";
export {
  apiTransport,
  clientTransport,
  type ApiTransportOptions,
  type JoinCall,
  type LangGraphClient,
  type LangGraphInput,
  type LangGraphTransport,
} from "../langgraph/transport.js";
export type { LoadedThread, RunRef, Transport, TransportCall } from "../runner/transport.js";
export type * from "../runner/runner-types.js";
export type { Runner } from "../runner/runner.js";
