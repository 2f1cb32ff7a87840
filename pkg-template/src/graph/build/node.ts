// A node of a graph, and its options.
import type { Command, Send } from "./command.js";
import type { NodeError } from "./graph-errors.js";
import type { NamesOf } from "../../shared/options.js";
import type { RetryPolicy } from "./retry.js";
import type { NodeContext } from "../given/node-context.js";
import type { TimeoutPolicy } from "./timeout.js";

/** The result of a node: an update of the state, commands, sends, or nothing. */
export type NodeResult<Update> =
  | Update
  | Command
  | Send
  | readonly (Update | Command | Send)[]
  | null
  | undefined
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a node may return nothing
  | void;

/** A node's work: receives the state, or the value of a send, and returns the changes. */
export type NodeFunction<Input, Update, Context, State = Input> = (
  input: Input,
  ctx: NodeContext<State, Context>,
) => NodeResult<Update> | PromiseLike<NodeResult<Update>>;

/** A node: a function, a compiled graph, or anything with `invoke` as `@langchain/core` has it. */
export type NodeLike<Input, Update, Context, State = Input> =
  | NodeFunction<Input, Update, Context, State>
  // oxlint-disable-next-line typescript/no-explicit-any -- what a runnable takes is its own
  | { invoke(input: any, config?: any): unknown };

/** The options of `addNode`. */
export interface NodeOptions<State = unknown, Update = unknown, Context = unknown> {
  /** Whether it waits until nothing else can run. */
  defer?: boolean | undefined;
  /** When it is run again after an error. With several policies, the first that matches decides. */
  retryPolicy?: RetryPolicy | readonly RetryPolicy[] | undefined;
  /** How long it may take, in milliseconds. */
  timeout?: number | TimeoutPolicy | undefined;
  /** Where its commands may lead: for the drawing, and so that those nodes count as reached. */
  ends?: readonly string[] | Readonly<Record<string, string>> | undefined;
  /** Runs in the same super-step if the node fails for good. The node's own edges then do not fire. */
  errorHandler?:
    | ((
        state: State,
        error: NodeError,
        ctx: NodeContext<State, Context>,
      ) => NodeResult<Update> | PromiseLike<NodeResult<Update>>)
    | undefined;
  /** Data for the drawing and the streams. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The schema of what it reads, in place of the graph's state. Fields that are new become the graph's. */
  input?: unknown;
  /** Graphs that it runs inside, for the drawing and for `getState`. */
  subgraphs?: readonly object[] | undefined;
}

const NAMES: NamesOf<NodeOptions> = {
  defer: true,
  retryPolicy: true,
  timeout: true,
  ends: true,
  errorHandler: true,
  metadata: true,
  input: true,
  subgraphs: true,
};

export const NODE_OPTIONS: readonly string[] = Object.keys(NAMES);

/** Policies for all nodes that have none of their own. */
export type NodeDefaults = Pick<NodeOptions, "retryPolicy" | "timeout" | "errorHandler">;

/** A node as the builder keeps it. */
export interface NodeEntry {
  readonly name: string;
  readonly action: NodeLike<never, unknown, never>;
  readonly options: NodeOptions<never, unknown, never>;
  /** It handles the errors of another node. */
  readonly handles?: boolean;
  /** The node that handles its errors. */
  readonly handler?: string;
}

/** A condition after a node: it decides where to go next. */
export interface BranchEntry {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the state is
  readonly path: (state: any, ctx: any) => unknown;
  /** Where each answer leads. */
  readonly ends: Readonly<Record<string, string>> | undefined;
}
