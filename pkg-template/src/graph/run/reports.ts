// Reports of a run: to streams, and to a trace listener.
import { picked } from "../build/state-fields.js";
import type { Values } from "../types.js";
import type { TraceEvent, TraceListener } from "../given/trace.js";
import { gathered } from "../saved/saved-writes.js";
import type { StepTask } from "../task/task-writes.js";
import type { StepState } from "../task/step-state.js";
import { MessageStream, noteMessages } from "./message-stream.js";
import type { RunScope } from "./run-scope.js";
import type { RunStreams } from "./stream.js";

export class Reports {
  readonly #scope: RunScope;
  readonly #at: StepState;
  /** The streams of this run, or of a graph around it. */
  readonly streams: RunStreams | undefined;
  readonly on: TraceListener | undefined;
  /** The fields that streams of values and updates show: the output of a run that somebody waits for. */
  readonly shows: readonly string[];
  readonly #root: Reports;
  /** The outermost run's ids of messages that were sent, or need not be. */
  #seenMessages: Set<string> | undefined;
  #isNoted = false;

  constructor(
    scope: RunScope,
    at: StepState,
    around: Reports | undefined,
    { streams, shows = scope.spec.outputs }: { streams: RunStreams | undefined; shows?: readonly string[] | undefined },
  ) {
    this.#scope = scope;
    this.#at = at;
    this.streams = streams;
    this.shows = shows;
    this.on = scope.config.on ?? scope.graph.options.on ?? around?.on;
    this.#root = around ? around.#root : this;
  }

  // Streams.

  /** Returns whether somebody sees a mode of this graph. */
  wants(mode: string): boolean {
    return this.streams?.wants(mode, this.#scope.depth) ?? false;
  }

  /** Returns whether somebody sees its nodes' custom values: those of nested graphs are always shown. */
  hears(mode: "custom" | "messages"): boolean {
    return this.streams?.wants(mode, mode === "custom" ? 0 : this.#scope.depth) ?? false;
  }

  emit(mode: string, payload: unknown): void {
    if (!this.wants(mode)) return;
    this.streams?.push(this.#scope.path, mode, payload, this.#at.stepNumber, this.#scope.depth);
  }

  /** Sends also from inside of graphs whose streams show only themselves. */
  emitCustom(payload: unknown): void {
    if (this.hears("custom")) this.streams?.push(this.#scope.path, "custom", payload, this.#at.stepNumber, 0);
  }

  messageStream({ place }: { readonly place: StepTask["place"] }): MessageStream {
    const seen = (this.#root.#seenMessages ??= new Set());
    // The run's first messages are not streamed if a node writes them again, such as to rewrite the whole list.
    if (!this.#isNoted) noteMessages(this.#at.state, seen);
    this.#isNoted = true;
    return new MessageStream(place, this.#scope, (payload) => this.emit("messages", payload), seen);
  }

  /** `updates`: sends the state only if a field that streams show is among them. */
  emitValues(state: Values, updates?: readonly Values[]): void {
    if (!this.streams) return;
    const isNews = (update: Values) => this.shows.some((key) => Object.hasOwn(update, key));
    if (this.wants("values") && (updates?.some(isNews) ?? true)) this.emit("values", picked(state, this.shows));
  }

  /** Sends a task's updates, field by field; a field that it wrote twice stands in a list. */
  emitUpdates({ place, writes }: StepTask, isCached: boolean): void {
    if (!this.wants("updates")) return;
    const entries = writes.values().filter(([key]) => this.shows.includes(key));
    const isTwice = new Set(entries.map(([key]) => key)).size < entries.length;
    this.emit("updates", {
      [place.name]: isTwice ? entries.map(([key, value]) => ({ [key]: value })) : Object.fromEntries(entries),
      ...(isCached && { __metadata__: { cached: true } }),
    });
  }

  emitTask({ place }: StepTask): void {
    if (place.isHidden || !this.wants("tasks")) return;
    const { id, name, input, triggers } = place;
    this.emit("tasks", { id, name, input, triggers, interrupts: [], metadata: this.#taskMetadata(place) });
  }

  emitResult({ place, writes, interrupts, error, status }: StepTask): void {
    if (place.isHidden || !this.wants("tasks")) return;
    const { id, name } = place;
    const result = gathered(status === "done" ? writes.values() : []);
    this.emit("tasks", { id, name, result, interrupts, error: error === undefined ? null : errorRecord(error) });
  }

  /** The metadata that the caller and the node give, without the keys that a task has anyway. */
  #taskMetadata({ node }: StepTask["place"]): Record<string, unknown> {
    const { thread_id: _, checkpoint_id: __, checkpoint_ns: ___, ...given } = this.#scope.callersMetadata;
    const { tags = [] } = this.#scope.config;
    return { ...given, ...node.options.metadata, ...(tags.length > 0 && { tags }) };
  }

  // Tracing.

  /** Calls the trace listener, if there is one. */
  trace(
    type: TraceEvent["type"],
    { task, ...more }: { task?: StepTask } & Pick<TraceEvent, "input" | "output" | "error" | "keys">,
  ): void {
    if (!this.on || task?.place.isHidden) return;
    const { runId, graph, threadId, path, inside } = this.#scope;
    try {
      this.on({
        type,
        runId,
        graph: graph.name,
        threadId,
        ns: path,
        parentTaskId: inside?.place.id,
        step: this.#at.stepNumber,
        time: Date.now(),
        ...(task && { node: task.place.name, taskId: task.place.id, attempt: task.attempt }),
        ...(type === "task-start" && { input: task?.place.input }),
        ...more,
      });
    } catch (error) {
      console.error("A listener of a graph's run threw:", error);
    }
  }
}

/** Returns a thrown value as it is saved and shown. */
export function errorRecord(error: unknown): { message: string; name: string } {
  try {
    const { message, name } = (error ?? {}) as Partial<Error>;
    return { message: String(message ?? error), name: String(name ?? "Error") };
  } catch {
    return { message: "Something was thrown that cannot be shown.", name: "Error" };
  }
}

/** Returns a thrown value as an error. */
export function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  const { message, name } = errorRecord(error);
  return Object.assign(new Error(message), { name });
}
