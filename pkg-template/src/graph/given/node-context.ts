// The values that a node receives besides the state.
import { inboxIn } from "../../shared/run-inbox.js";
import type { LangChainMessage } from "../../state/message-types.js";
import type { RunConfig } from "./run-config.js";

/** The task that a context speaks for. */
export interface ContextTask {
  readonly place: {
    readonly id: string;
    readonly name: string;
    readonly ns: string;
    readonly home: {
      readonly checkpointId: string;
      readonly at: { readonly state: unknown; readonly stepNumber: number };
    };
  };
  /** The run's config, and the values inherited from outer graphs. */
  readonly scope: ContextScope;
  readonly attempt: number;
  /** When the first attempt began, in milliseconds. */
  readonly begun: number;
  readonly signal: AbortSignal;
  /** Whether the signal may abort for a reason of its own or the caller's. */
  readonly hasSignal: boolean;
  /** Whether its context may have more than `context` and `configurable` of its own. */
  readonly givesMore: boolean;
  hears(mode: "custom" | "messages"): boolean;
  interrupt(value: unknown): unknown;
  write(value: unknown): void;
  message(message: object, metadata?: object): void;
  heartbeat(): void;
  /** Returns LangChain's callbacks for models inside; undefined if there are none. */
  callbacks(given: unknown): unknown;
  /** Returns the writes of the step's other finished tasks to a field. */
  writtenBeside(field: string): readonly unknown[];
}

/** The values of a run, as its nodes see them. */
export interface ContextScope {
  readonly config: RunConfig;
  readonly context: unknown;
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly threadId: string | undefined;
  readonly recursionLimit: number;
  readonly store: unknown;
}

/** Where a context keeps its task: an own property, so that a copy of the context (`{ ...ctx }`) has it, too. */
export const TASK: unique symbol = Symbol.for("threadfold.graph.task") as never;

/** Where a node runs. */
export interface ExecutionInfo {
  readonly threadId: string | undefined;
  /** The id that the run was given. */
  readonly runId: string | undefined;
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly taskId: string;
  /** 1 for the first attempt. */
  readonly nodeAttempt: number;
  /** When the first attempt began, in milliseconds. */
  readonly nodeFirstAttemptTime: number;
}

/** A run's `configurable`. Reading `checkpoint_ns` from it returns the task's namespace; a copy does not have it. */
class TaskConfigurable {
  readonly #task: ContextTask;

  constructor(task: ContextTask, given: ContextScope["configurable"]) {
    this.#task = task;
    Object.assign(this, given);
  }

  get checkpoint_ns(): string {
    return this.#task.place.ns;
  }

  // The caller's own.
  set checkpoint_ns(_: unknown) {}
}

/** The data of LangGraph's server about a run. */
export interface ServerInfo {
  readonly assistantId: string;
  readonly graphId: string;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** The values that a node receives besides the state. langgraph.js's names for the same things work, too. */
export class NodeContext<State = unknown, Context = unknown> {
  /** @internal */
  declare readonly [TASK]: ContextTask;
  /** The caller's value of this name for the run. */
  readonly context: Context;
  /** The run's `configurable`, with `thread_id` and, as `checkpoint_ns`, where the node runs. */
  // oxlint-disable-next-line typescript/no-explicit-any -- its keys are the caller's
  readonly configurable: Readonly<Record<string, any>>;
  /** The caller's `store`, if any. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it is the caller's
  declare readonly store?: any;
  /** Is aborted when the run is, when another node of the super-step fails, or when this node's time is up. */
  declare readonly signal: AbortSignal;

  /** @internal */
  constructor(task: ContextTask) {
    this[TASK] = task;
    const { context, configurable } = task.scope;
    this.context = context as Context;
    this.configurable = new TaskConfigurable(task, configurable);
    if (task.givesMore) giveMore(this, task);
  }

  /** The whole state as the super-step began, also where the node was sent an input of its own. */
  get state(): State {
    return this[TASK].place.home.at.state as State;
  }

  /**
   * Asks the caller. The run stops, its result has the question, and `new Command({ resume: answer })` starts this node
   * over; then this call returns the answer. Needs a checkpointer to be answered. It stops the node by throwing: a
   * `catch` around it has to throw on what {@link isGraphInterrupt} recognises.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in langgraph.js
  get interrupt(): <Answer = any>(value: unknown) => Answer {
    const task = this[TASK];
    return (value) => task.interrupt(value) as never;
  }

  /** Sends a value to who streams `custom`. */
  get write(): (value: unknown) => void {
    const task = this[TASK];
    return (value) => task.write(value);
  }

  /** langgraph.js's name of {@link write}. */
  get writer(): (value: unknown) => void {
    return this.write;
  }

  /**
   * Sends a message, or a piece of one, to who streams `messages`. Pieces are `{ type: "ai", id, content: token }`, each
   * with the same id: they add up. A message that the node returns later under that id is not sent again.
   */
  get message(): (message: object, metadata?: object) => void {
    const task = this[TASK];
    return (message, metadata) => task.message(message, metadata);
  }

  /** Returns whether somebody streams a mode: unread parts need not be made. */
  get streams(): (mode: "custom" | "messages") => boolean {
    const task = this[TASK];
    return (mode) => task.hears(mode);
  }

  /**
   * Returns the messages that the user has sent into the run since it began, each to one task: return them among the
   * node's `messages`. A message that no step has written by the run's end comes with the next run. Empty in a
   * graph inside another one.
   */
  get inbox(): () => readonly LangChainMessage[] {
    const { place, scope } = this[TASK];
    return () => {
      const inbox = place.ns.includes("|") ? undefined : inboxIn(scope.configurable);
      const { messages } = (place.home.at.state ?? {}) as { messages?: unknown };
      return (inbox?.take(place.id, messages) ?? []) as unknown as readonly LangChainMessage[];
    };
  }

  /** Says that the node makes progress, where it has an `idleTimeout`. */
  get heartbeat(): () => void {
    const task = this[TASK];
    return () => task.heartbeat();
  }

  /** Returns what other tasks of this super-step have written to a field: those that are done, also before a question. */
  get writtenBeside(): (field: string) => readonly unknown[] {
    const task = this[TASK];
    return (field) => task.writtenBeside(field);
  }

  /** The number of the super-step. */
  get step(): number {
    return this[TASK].place.home.at.stepNumber;
  }

  /** The node's name. */
  get node(): string {
    return this[TASK].place.name;
  }

  /** The task's id: the same when it runs again after an interrupt or a crash. */
  get taskId(): string {
    return this[TASK].place.id;
  }

  /** 1 for the first attempt, 2 for the first retry… */
  get attempt(): number {
    return this[TASK].attempt;
  }

  /** langgraph.js's names for where the node runs. */
  get executionInfo(): ExecutionInfo {
    const { place, scope, attempt: nodeAttempt, begun: nodeFirstAttemptTime } = this[TASK];
    const { id: taskId, ns: checkpointNs, home } = place;
    const { threadId, config } = scope;
    const { checkpointId } = home;
    return { threadId, runId: config.runId, checkpointId, checkpointNs, taskId, nodeAttempt, nodeFirstAttemptTime };
  }

  /** The data of LangGraph's server about the run, in its `configurable` or metadata; undefined elsewhere. */
  get serverInfo(): ServerInfo | undefined {
    const { metadata = {} } = this[TASK].scope.config;
    const { langgraph_auth_user: user, ...own } = this.configurable;
    const assistantId = own["assistant_id"] ?? metadata["assistant_id"];
    const graphId = own["graph_id"] ?? metadata["graph_id"];
    if (assistantId == null && graphId == null && user == null) return undefined;
    return { assistantId: String(assistantId ?? ""), graphId: String(graphId ?? ""), ...(user != null && { user }) };
  }

  /** How many super-steps the run may take. */
  get recursionLimit(): number {
    return this[TASK].scope.recursionLimit;
  }
}

// One that is asked for makes a task's own: most never are.
const signal: PropertyDescriptor & ThisType<NodeContext> = {
  get() {
    return this[TASK].signal;
  },
  // For a copy that someone makes by assigning.
  set(given: AbortSignal) {
    own(this, "signal", given);
  },
  enumerable: true,
  configurable: true,
};
Object.defineProperty(NodeContext.prototype, "signal", { ...signal, enumerable: false });

/** Gives a context what Runnables of @langchain/core take: they look only at a config's own properties. */
function giveMore(ctx: NodeContext, task: ContextTask): void {
  const { config, store } = task.scope;
  const callbacks = task.callbacks(config.callbacks);
  if (callbacks) own(ctx, "callbacks", callbacks);
  if (config.metadata) own(ctx, "metadata", config.metadata);
  if (config.tags) own(ctx, "tags", config.tags);
  if (store) own(ctx, "store", store);
  if (task.hasSignal) Object.defineProperty(ctx, "signal", signal);
}

function own(ctx: object, key: string, value: unknown): void {
  Object.defineProperty(ctx, key, { value, enumerable: true, configurable: true, writable: true });
}
