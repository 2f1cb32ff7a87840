// What a node is given besides the state.
import type { Task } from "../run/task.js";

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

/** A run's `configurable`. Who asks it for `checkpoint_ns` hears where the task runs; a copy does not say. */
class TaskConfigurable {
  readonly #task: Task;

  constructor(task: Task) {
    this.#task = task;
    Object.assign(this, task.run.configurable);
  }

  get checkpoint_ns(): string {
    return this.#task.ns;
  }

  // The caller's own.
  set checkpoint_ns(_: unknown) {}
}

/** What LangGraph's server says of a run. */
export interface ServerInfo {
  readonly assistantId: string;
  readonly graphId: string;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** What a node is given besides the state. langgraph.js's names for the same things work, too. */
export class NodeContext<State = unknown, Context = unknown> {
  /** @internal */
  declare readonly [TASK]: Task;
  /** What the caller gave the run under this name. */
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
  constructor(task: Task) {
    this[TASK] = task;
    const { config, context } = task.run;
    this.context = context as Context;
    this.configurable = new TaskConfigurable(task);
    // Runnables of @langchain/core take only a config's own properties.
    const { callbacks, metadata, tags, store = task.run.graph?.options.store } = config;
    if (callbacks || task.run.streams) own(this, "callbacks", task.callbacks(callbacks));
    if (metadata) own(this, "metadata", metadata);
    if (tags) own(this, "tags", tags);
    if (store) own(this, "store", store);
    if (task.abort || config.signal) Object.defineProperty(this, "signal", signal);
  }

  /** The whole state as the super-step began, also where the node was sent an input of its own. */
  get state(): State {
    return this[TASK].run.state as State;
  }

  /**
   * Asks the caller. The run stops, its result has the question, and `new Command({ resume: answer })` starts this node
   * over; then this call returns the answer. Needs a checkpointer to be answered. It stops the node by throwing: a `catch`
   * around it has to throw on what {@link isGraphInterrupt} recognises.
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
   * Sends a message, or a chunk of one, to who streams `messages`. A message that the node returns later under the id of
   * one that was sent is not sent again.
   */
  get message(): (message: object, metadata?: object) => void {
    const task = this[TASK];
    return (message, metadata) => task.message(message, metadata);
  }

  /** Tells whether somebody streams a mode: what nobody sees need not be made. */
  get streams(): (mode: "custom" | "messages") => boolean {
    const { run } = this[TASK];
    return (mode) => run.hears(mode);
  }

  /** Says that the node makes progress, where it has an `idleTimeout`. */
  get heartbeat(): () => void {
    const task = this[TASK];
    return () => task.watch?.touch(true);
  }

  /** Returns what other tasks of this super-step have written to a field: those that are done, also before a question. */
  get writtenBeside(): (field: string) => readonly unknown[] {
    const own = this[TASK];
    return (field) =>
      own.run.tasks
        .filter((task) => task !== own && task.status === "done")
        .flatMap(({ updates }) => updates.filter((update) => Object.hasOwn(update, field)))
        .map((update) => update[field]);
  }

  /** The number of the super-step. */
  get step(): number {
    return this[TASK].run.stepNumber;
  }

  /** The node's name. */
  get node(): string {
    return this[TASK].node.name;
  }

  /** The task's id: the same when it runs again after an interrupt or a crash. */
  get taskId(): string {
    return this[TASK].id;
  }

  /** 1 for the first attempt, 2 for the first retry… */
  get attempt(): number {
    return this[TASK].attempt;
  }

  /** langgraph.js's names for where the node runs. */
  get executionInfo(): ExecutionInfo {
    const task = this[TASK];
    const { id: taskId, ns: checkpointNs, attempt: nodeAttempt } = task;
    const { threadId, checkpointId, config } = task.run;
    const nodeFirstAttemptTime = (task.begun ??= Date.now());
    return { threadId, runId: config.runId, checkpointId, checkpointNs, taskId, nodeAttempt, nodeFirstAttemptTime };
  }

  /** What LangGraph's server says of the run, in its `configurable`; undefined elsewhere. */
  get serverInfo(): ServerInfo | undefined {
    const { assistant_id: assistantId = "", graph_id: graphId = "", langgraph_auth_user: user } = this.configurable;
    return assistantId || graphId || user ? { assistantId, graphId, ...(user && { user }) } : undefined;
  }

  /** How many super-steps the run may take. */
  get recursionLimit(): number {
    return this[TASK].run.recursionLimit;
  }
}

// One that is asked for makes a task's own: most never are.
const signal: PropertyDescriptor & ThisType<NodeContext> = {
  get() {
    return this[TASK].signal;
  },
  // Of a copy that someone makes by assigning.
  set(given: AbortSignal) {
    own(this, "signal", given);
  },
  enumerable: true,
  configurable: true,
};
Object.defineProperty(NodeContext.prototype, "signal", { ...signal, enumerable: false });

function own(ctx: object, key: string, value: unknown): void {
  Object.defineProperty(ctx, key, { value, enumerable: true, configurable: true, writable: true });
}
