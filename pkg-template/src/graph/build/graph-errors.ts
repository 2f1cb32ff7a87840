// LangGraph's errors: code written for langgraph.js recognises them by `name`.
import { ThreadfoldError } from "../../shared/errors.js";
import type { Command } from "./command.js";
import type { OpenInterrupt } from "./interrupt.js";

/** LangGraph's codes of errors. */
export type GraphErrorCode =
  | "GRAPH_RECURSION_LIMIT"
  | "INVALID_CONCURRENT_GRAPH_UPDATE"
  | "INVALID_GRAPH_NODE_RETURN_VALUE"
  | "MISSING_CHECKPOINTER"
  | "MULTIPLE_SUBGRAPHS"
  | "UNREACHABLE_NODE";

/** The base class of a graph's errors. */
export class BaseLangGraphError extends Error {
  readonly lc_error_code: GraphErrorCode | undefined;

  constructor(message?: string, fields?: { lc_error_code?: GraphErrorCode | undefined; cause?: unknown }) {
    super(message, fields && "cause" in fields ? { cause: fields.cause } : undefined);
    this.lc_error_code = fields?.lc_error_code;
  }
}

/** A run took more super-steps than its `recursionLimit` allows. */
export class GraphRecursionError extends BaseLangGraphError {
  override readonly name = "GraphRecursionError";

  /** @internal */
  static at(limit: number): GraphRecursionError {
    return new GraphRecursionError(
      `Recursion limit of ${limit} reached without hitting a stop condition. ` +
        'You can increase the limit by setting the "recursionLimit" config key.',
      { lc_error_code: "GRAPH_RECURSION_LIMIT" },
    );
  }
}

/** A call that a graph cannot take, such as a question about a thread without a checkpointer. */
export class GraphValueError extends BaseLangGraphError {
  override readonly name = "GraphValueError";
}

/**
 * An update that the state refuses: two writes to a field that accepts one, or a node's result that is not an update.
 */
export class InvalidUpdateError extends BaseLangGraphError {
  override readonly name = "InvalidUpdateError";
}

/** A run without anything to do: no input for a thread that is empty. */
export class EmptyInputError extends BaseLangGraphError {
  override readonly name = "EmptyInputError";
}

/** A node that nothing leads to. */
export class UnreachableNodeError extends BaseLangGraphError {
  override readonly name = "UnreachableNodeError";
}

/** A state in none of the accepted forms. */
export class StateGraphInputError extends BaseLangGraphError {
  override readonly name = "StateGraphInputError";

  constructor(message = "Invalid StateGraph input. Pass a schema, an Annotation.Root, a StateSchema or a zod object.") {
    super(message);
  }
}

/** A node did not answer in time. */
export class NodeTimeoutError extends BaseLangGraphError {
  override readonly name = "NodeTimeoutError";
  readonly node: string;
  /** `"run"`: its time was up. `"idle"`: it made no progress for too long. */
  readonly kind: "run" | "idle";
  /** The timeout that was up, in milliseconds. */
  readonly timeout: number;
  readonly runTimeout: number | undefined;
  readonly idleTimeout: number | undefined;
  readonly elapsed: number;

  constructor(fields: {
    node: string;
    kind: "run" | "idle";
    elapsed: number;
    runTimeout?: number | undefined;
    idleTimeout?: number | undefined;
  }) {
    const { node, kind, elapsed, runTimeout, idleTimeout } = fields;
    const timeout = kind === "idle" ? idleTimeout : runTimeout;
    if (timeout === undefined)
      throw new ThreadfoldError("INVALID_ARGUMENT", `${kind}Timeout is required when kind='${kind}'`);
    const idle = kind === "idle" ? " without making progress" : "";
    super(`Node "${node}" exceeded its ${kind} timeout of ${timeout}ms${idle} (elapsed: ${elapsed}ms).`);
    this.node = node;
    this.kind = kind;
    this.timeout = timeout;
    this.runTimeout = runTimeout;
    this.idleTimeout = idleTimeout;
    this.elapsed = elapsed;
  }
}

/** Is thrown through a node's code. If you catch it, throw it again. */
export class GraphBubbleUp extends BaseLangGraphError {
  get is_bubble_up(): true {
    return true;
  }
}

/** Stops a node that asks something. */
export class GraphInterrupt extends GraphBubbleUp {
  override readonly name: string = "GraphInterrupt";
  readonly interrupts: readonly OpenInterrupt[];

  constructor(interrupts: readonly OpenInterrupt[] = []) {
    super(JSON.stringify(interrupts, null, 2));
    this.interrupts = interrupts;
  }
}

/** An interrupt that a node throws itself. */
export class NodeInterrupt extends GraphInterrupt {
  override readonly name: string = "NodeInterrupt";

  constructor(value: unknown) {
    super([{ value } as OpenInterrupt]);
  }
}

/** Carries a command to the graph in which this graph is a node. */
export class ParentCommand extends GraphBubbleUp {
  override readonly name = "ParentCommand";
  readonly command: Command;

  constructor(command: Command) {
    super();
    this.command = command;
  }
}

/** The argument of an error handler: which node failed, and why. */
export class NodeError {
  readonly node: string;
  readonly error: Error;

  constructor(node: string, error: Error) {
    this.node = node;
    this.error = error;
  }
}

const nameOf = (error: unknown): unknown => (error as { name?: unknown } | null | undefined)?.name;

/** Returns whether an error is one that has to reach the graph. */
export const isGraphBubbleUp = (error: unknown): error is GraphBubbleUp =>
  (error as { is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true;

/** Returns whether an error is an interrupt's. */
export const isGraphInterrupt = (error: unknown): error is GraphInterrupt =>
  nameOf(error) === "GraphInterrupt" || nameOf(error) === "NodeInterrupt";

/** Returns whether an error carries a command to the parent graph. */
export const isParentCommand = (error: unknown): error is ParentCommand => nameOf(error) === "ParentCommand";

/** Returns whether an error is a node's timeout. */
export const isNodeTimeoutError = (error: unknown): error is NodeTimeoutError => nameOf(error) === "NodeTimeoutError";
