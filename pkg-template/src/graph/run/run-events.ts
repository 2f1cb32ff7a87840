// What a run is, and what it tells: to streams, and to who traces.
import type { CompiledStateGraph } from "../compiled-graph.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { uuid6 } from "../ids/ids.js";
import { MessageStream, noteMessages } from "./message-stream.js";
import type { Run } from "./run.js";
import type { RunConfig } from "../build/run-config.js";
import { gathered } from "../saved/saved-writes.js";
import { picked, type Values } from "../build/state-fields.js";
import type { RunStreams } from "./stream.js";
import type { Task } from "./task.js";
import type { TraceEvent, TraceListener } from "../build/trace.js";

/** The keys of `configurable` that are metadata, too. */
const TOLD = ["thread_id", "checkpoint_id", "checkpoint_ns", "task_id", "run_id", "assistant_id", "graph_id"];

export abstract class RunEvents {
  readonly graph: CompiledStateGraph;
  readonly spec: GraphSpec;
  readonly config: RunConfig;
  readonly context: unknown;
  readonly configurable: Record<string, unknown>;
  readonly threadId: string | undefined;
  /** The task that this graph runs inside. */
  readonly parent: Task | undefined;
  /** How many graphs are around it. */
  readonly depth: number;
  /** Its namespace: empty for the outermost graph. */
  readonly ns: string;
  /** Who streams it, or a graph around it. */
  readonly streams: RunStreams | undefined;
  /** What its streams show of the state and its updates: of a run that somebody waits for, the output. */
  shows: readonly string[];
  /** Who traces it. */
  readonly on: TraceListener | undefined;
  /** The number of the step that comes next; -1 on a thread that is empty. */
  stepNumber = -1;
  #runId: string | undefined;
  #seenMessages: Set<string> | undefined;
  #isNoted = false;

  constructor(graph: CompiledStateGraph, config: RunConfig, parent: Task | undefined, streams: RunStreams | undefined) {
    const around = parent?.run;
    this.graph = graph;
    this.spec = graph.spec;
    this.config = config;
    this.parent = parent;
    this.depth = around ? around.depth + 1 : 0;
    this.streams = streams;
    this.shows = this.spec.outputs;
    this.on = config.on ?? graph.options.on ?? around?.on;
    this.context = config.context ?? around?.context;
    const { context } = this.spec.parts as { context?: { parse?(values: unknown): unknown } };
    if (!parent && context?.parse) {
      const checked = context.parse(config.context ?? config.configurable ?? {});
      if (config.context !== undefined) this.context = checked;
    }
    const given = config.configurable ?? around?.configurable;
    this.threadId = config.threadId ?? (given?.["thread_id"] as string | undefined) ?? around?.threadId;
    this.configurable =
      given && given["thread_id"] === this.threadId
        ? given
        : { ...given, ...(this.threadId !== undefined && { thread_id: this.threadId }) };
    this.ns = parent ? innerNs(parent, graph.checkpointer === true) : "";
  }

  /** What langgraph.js's configs have as metadata: the caller's, and what `configurable` says of the server. */
  get callersMetadata(): Record<string, unknown> {
    return { ls_integration: "langgraph", ...picked(this.configurable, TOLD), ...this.config.metadata };
  }

  /** The outermost run. */
  get root(): Run {
    return this.parent?.run.root ?? (this as never);
  }

  get runId(): string {
    return (this.#runId ??= this.config.runId ?? uuid6(Date.now(), 0));
  }

  // Streams.

  /** Whether somebody sees a mode of this graph. */
  wants(mode: string): boolean {
    return this.streams?.wants(mode, this.depth) ?? false;
  }

  /** Whether somebody sees what its nodes say: custom values of graphs inside are always shown. */
  hears(mode: "custom" | "messages"): boolean {
    return this.streams?.wants(mode, mode === "custom" ? 0 : this.depth) ?? false;
  }

  /** The ids of messages that were sent, or need not be. */
  get seenMessages(): Set<string> {
    const root: RunEvents = this.root;
    return (root.#seenMessages ??= new Set());
  }

  messageStream(task: Task): MessageStream {
    const seen = this.seenMessages;
    // What the graph begins with is no news when a node writes it again: to rewrite the whole list, say.
    if (!this.#isNoted) noteMessages(task.run.state, seen);
    this.#isNoted = true;
    return new MessageStream(task, seen);
  }

  get path(): string[] {
    return this.ns === "" ? [] : this.ns.split("|");
  }

  emit(mode: string, payload: unknown): void {
    if (this.wants(mode)) this.streams?.push(this.path, mode, payload, this.stepNumber, this.depth);
  }

  /** Sends also from inside of graphs whose streams show only themselves. */
  emitCustom(payload: unknown): void {
    if (this.hears("custom")) this.streams?.push(this.path, "custom", payload, this.stepNumber, 0);
  }

  /** `updates`: what was written, if only that is news. */
  emitValues(state: Values, updates?: readonly Values[]): void {
    const isNews = (update: Values) => this.shows.some((key) => Object.hasOwn(update, key));
    if (this.wants("values") && (updates?.some(isNews) ?? true)) this.emit("values", picked(state, this.shows));
  }

  /** What a task has written, field by field; a field that it wrote twice stands in a list. */
  emitUpdates(task: Task, cached: boolean): void {
    if (!this.wants("updates")) return;
    const entries = task.values().filter(([key]) => this.shows.includes(key));
    const twice = new Set(entries.map(([key]) => key)).size < entries.length;
    this.emit("updates", {
      [task.name]: twice ? entries.map(([key, value]) => ({ [key]: value })) : Object.fromEntries(entries),
      ...(cached && { __metadata__: { cached: true } }),
    });
  }

  emitTask(task: Task): void {
    if (task.hidden || !this.wants("tasks")) return;
    const { id, name, input, triggers } = task;
    this.emit("tasks", { id, name, input, triggers, interrupts: [], metadata: this.#taskMetadata(task) });
  }

  emitResult(task: Task): void {
    if (task.hidden || !this.wants("tasks")) return;
    const { id, name, interrupts, error } = task;
    const result = gathered(task.status === "done" ? task.values() : []);
    this.emit("tasks", { id, name, result, interrupts, error: error === undefined ? null : errorRecord(error) });
  }

  /** What callers and graphs have said of a task that it does not say itself. */
  #taskMetadata({ node }: Task): Record<string, unknown> {
    const { thread_id: _, checkpoint_id: __, checkpoint_ns: ___, ...told } = this.callersMetadata;
    const { tags = [] } = this.config;
    return { ...told, ...node.options.metadata, ...(tags.length > 0 && { tags }) };
  }

  // Tracing.

  /** Tells who traces. */
  tell(
    type: TraceEvent["type"],
    { task, ...more }: { task?: Task } & Pick<TraceEvent, "input" | "output" | "error" | "keys">,
  ): void {
    if (!this.on || task?.hidden) return;
    try {
      this.on({
        type,
        runId: this.runId,
        graph: this.graph.name,
        threadId: this.threadId,
        ns: this.path,
        parentTaskId: this.parent?.id,
        step: this.stepNumber,
        time: Date.now(),
        ...(task && { node: task.name, taskId: task.id, attempt: task.attempt }),
        ...(type === "task-start" && { input: task?.input }),
        ...more,
      });
    } catch (error) {
      console.error("What listens to a graph's run threw:", error);
    }
  }
}

/** What was thrown, as it is saved and shown. */
export function errorRecord(error: unknown): { message: string; name: string } {
  try {
    const { message, name } = (error ?? {}) as Partial<Error>;
    return { message: String(message ?? error), name: String(name ?? "Error") };
  } catch {
    return { message: "Something was thrown that cannot be shown.", name: "Error" };
  }
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  const { message, name } = errorRecord(error);
  return Object.assign(new Error(message), { name });
}

/** The namespace of a graph inside a task: a second one in the same task gets a number. */
function innerNs(task: Task, kept: boolean): string {
  const count = task.subgraphs++;
  const ns = count > 0 ? `${task.ns}|${count}` : task.ns;
  return kept ? ns.replaceAll(/:[^|]*/g, "") : ns;
}
