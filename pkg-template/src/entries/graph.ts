// "threadfold/graph": graphs with LangGraph's semantics.
export * from "threadfold/checkpoint";
export { Command, END, Send, START } from "../graph/build/command.js";
export { CompiledStateGraph } from "../graph/compiled-graph.js";
export type { CompileOptions } from "../graph/build/compile-options.js";
export {
  GraphInterrupt,
  GraphRecursionError,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphInterrupt,
  type NodeError,
  NodeTimeoutError,
} from "../graph/build/graph-errors.js";
export { INTERRUPT, isInterrupted } from "../graph/build/interrupt.js";
export type { NodeContext } from "../graph/given/node-context.js";
export type { NodeFunction, NodeOptions } from "../graph/build/node.js";
export type { RetryPolicy } from "../graph/build/retry.js";
export type { RunConfig, StreamMode } from "../graph/given/run-config.js";
export type { StateSnapshot } from "../graph/saved/state-snapshot.js";
export { StateGraph, type StateFrom } from "../graph/state-graph.js";
export type { GraphStream, StreamPart } from "../graph/run/stream.js";
export type { TimeoutPolicy } from "../graph/build/timeout.js";
export type { TraceEvent } from "../graph/given/trace.js";
