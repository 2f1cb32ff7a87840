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
} from "../graph/build/command.js";
export { CompiledStateGraph, type ConfigOrContext, type GraphInput } from "../graph/compiled-graph.js";
export type { CompileOptions } from "../graph/build/compile-options.js";
export type { DrawnEdge, DrawnGraph, DrawnNode } from "../graph/build/drawing.js";
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
} from "../graph/build/graph-errors.js";
export { isCompiledGraph } from "../graph/is-compiled-graph.js";
export { INTERRUPT, type Interrupt, isInterrupted } from "../graph/build/interrupt.js";
export type { NodeContext } from "../graph/build/node-context.js";
export type { NodeFunction, NodeLike, NodeOptions, NodeResult } from "../graph/build/node.js";
export type { RetryPolicy } from "../graph/build/retry.js";
export type {
  Durability,
  RunConfig,
  StopAt,
  StreamConfig,
  StreamMode,
  ThreadConfig,
} from "../graph/build/run-config.js";
export type { TaskSnapshot } from "../graph/saved/saved-writes.js";
export type { StateSnapshot, WaitingJoin } from "../graph/saved/state-snapshot.js";
export { StateGraph, type StateFrom, type StateGraphOptions, type UpdateFrom } from "../graph/state-graph.js";
export { type DeclaredField, declaredFields, type ZodRegistry } from "../graph/build/state-forms.js";
export type { GraphStream, StreamPart } from "../graph/run/stream.js";
export type { TimeoutPolicy } from "../graph/build/timeout.js";
export type { TraceEvent, TraceListener } from "../graph/build/trace.js";
export type { StateUpdate } from "../graph/saved/update-state.js";
