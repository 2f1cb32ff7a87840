// "threadfold/graph": graphs with LangGraph's semantics.
export * from "threadfold/checkpoint";
export {
  Command,
  type CommandParams,
  END,
  type Goto,
  isCommand,
  isSend,
  Overwrite,
  Send,
  START,
} from "../graph/command.js";
export {
  CompiledStateGraph,
  type CompileOptions,
  type ConfigOrContext,
  type GraphInput,
} from "../graph/compiled-graph.js";
export type { DrawnEdge, DrawnGraph, DrawnNode } from "../graph/drawing.js";
export {
  BaseLangGraphError,
  EmptyInputError,
  GraphBubbleUp,
  type GraphErrorCode,
  GraphInterrupt,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphInterrupt,
  isNodeTimeoutError,
  isParentCommand,
  NodeError,
  NodeInterrupt,
  NodeTimeoutError,
  ParentCommand,
  StateGraphInputError,
  UnreachableNodeError,
} from "../graph/graph-errors.js";
export { isCompiledGraph } from "../graph/is-compiled-graph.js";
export { INTERRUPT, type Interrupt, isInterrupted } from "../graph/interrupt.js";
export type { NodeContext } from "../graph/node-context.js";
export type { NodeFunction, NodeLike, NodeOptions, NodeResult } from "../graph/node.js";
export type { RetryPolicy } from "../graph/retry.js";
export type { Durability, RunConfig, StopAt, StreamConfig, StreamMode, ThreadConfig } from "../graph/run-config.js";
export type { StateSnapshot, TaskSnapshot, WaitingJoin } from "../graph/state-snapshot.js";
export { StateGraph, type StateFrom, type StateGraphOptions, type UpdateFrom } from "../graph/state-graph.js";
export { type DeclaredField, declaredFields, type ZodRegistry } from "../graph/state-forms.js";
export type { GraphStream, StreamPart } from "../graph/stream.js";
export type { TimeoutPolicy } from "../graph/timeout.js";
export type { TraceEvent, TraceListener } from "../graph/trace.js";
export type { StateUpdate } from "../graph/update-state.js";
