// Saves a run's thread: checkpoints, and the writes that come after each.
import { saverFor } from "../../checkpoint/langgraph-saver.js";
import { checkCheckpointId } from "../../checkpoint/place.js";
import type { CheckpointMetadata, CheckpointTuple } from "../../checkpoint/types.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { Values } from "../types.js";
import { uuid6, uuid6After } from "../ids/ids.js";
import type { Restored } from "../saved/checkpoint-format.js";
import { CheckpointWriter } from "../saved/checkpoint-writer.js";
import { NULL_TASK, RESUME } from "../saved/saved-writes.js";
import type { TaskPlace } from "../task/task-place.js";
import type { StepState } from "../task/step-state.js";
import type { RunScope } from "./run-scope.js";

/** Writes of a task or of a caller. */
export type Entries = [channel: string, value: unknown][];

export class RunSaves {
  readonly #scope: RunScope;
  readonly #at: StepState;
  readonly #around: RunSaves | undefined;
  /** Undefined for a run that saves nothing. */
  readonly thread: CheckpointWriter | undefined;
  metadata: CheckpointMetadata = { source: "input", step: -2, parents: {} };
  #checkpointId: string | undefined;
  #parentId: string | undefined;
  /** The checkpoint that the run began at. */
  #loaded: { readonly id: string; readonly state: Values } | undefined;
  /** The writes to save after the last checkpoint, when the run ends. */
  #late: [task: string, entries: Entries][] = [];
  #hasExited = false;

  constructor(scope: RunScope, at: StepState, around: RunSaves | undefined) {
    this.#scope = scope;
    this.#at = at;
    this.#around = around;
    this.thread = savedThread(scope, around?.thread);
  }

  /** The id of the checkpoint that the tasks come after, whether or not it is saved. */
  get checkpointId(): string {
    return (this.#checkpointId ??= uuid6(Date.now(), Math.max(0, this.#at.stepNumber)));
  }

  /** The id of the checkpoint that the run began at; undefined on an empty thread. */
  get loadedId(): string | undefined {
    return this.#loaded?.id;
  }

  /** Goes on from a checkpoint. */
  from(tuple: CheckpointTuple, { plan, state }: Restored): void {
    this.#checkpointId = tuple.checkpoint.id;
    this.#loaded = { id: tuple.checkpoint.id, state };
    this.#parentId = tuple.parentConfig?.configurable?.checkpoint_id;
    if (tuple.metadata) this.metadata = tuple.metadata;
    this.thread?.from(tuple, plan.versions);
  }

  /** The checkpoint that time travel takes graphs inside back to. */
  get travelsFrom(): string {
    return (isWritten(this.metadata) && this.#parentId) || this.checkpointId;
  }

  /** Saves a task's writes after the checkpoint. */
  saveTask({ id }: TaskPlace, entries: Entries): void {
    this.#at.addPending(entries.map(([channel, value]) => [id, channel, value]));
    if (this.thread?.durability === "exit") this.#late.push([id, entries]);
    else this.thread?.putWrites(this.checkpointId, entries, id);
  }

  /** Saves a caller's writes after the checkpoint, for a run that is cut off. */
  saveCallers(entries: Entries): void {
    // In the checkpoint that is saved at the exit the rest is in the state.
    if (this.thread?.durability === "exit")
      this.#late.push([NULL_TASK, entries.filter(([channel]) => channel === RESUME)]);
    else if (this.#checkpointId) this.thread?.putWrites(this.#checkpointId, entries, NULL_TASK);
  }

  /** Makes a checkpoint of the thread as it stands. `grown`: the lists as they were before they only got longer. */
  put(source: CheckpointMetadata["source"], grown?: Record<string, readonly unknown[]>): void {
    const { thread } = this;
    if (this.#late.length > 0) this.#late = [];
    if (!thread) {
      this.#checkpointId = undefined;
      return;
    }
    const { stepNumber } = this.#at;
    this.#parentId = this.#checkpointId ?? this.#parentId;
    this.metadata = { source, step: stepNumber - 1, parents: this.#parents() };
    this.#checkpointId = uuid6After(this.#parentId, Math.max(0, stepNumber));
    if (thread.durability !== "exit") this.#save(thread, grown);
  }

  #save(thread: CheckpointWriter, grown?: Record<string, readonly unknown[]>): void {
    const { state, sends, held, others, plan } = this.#at;
    const metadata = { ...this.#scope.checkpointMetadata, ...this.metadata };
    thread.put({ id: this.checkpointId, plan: plan.state(), state, sends, held, others }, metadata, grown);
  }

  /** Saves the last checkpoint and the writes after it, where only those are saved. */
  putAtExit(): void {
    const { thread } = this;
    // A saver that has failed is not asked again.
    if (thread?.durability !== "exit" || this.#hasExited) return;
    this.#hasExited = true;
    // A run in which nothing happened saves nothing.
    if (this.#checkpointId !== this.#loaded?.id || this.#at.state !== this.#loaded?.state) this.#save(thread);
    for (const [task, entries] of this.#late)
      if (entries.length > 0) thread.putWrites(this.checkpointId, entries, task);
  }

  /** The checkpoint of each graph around this one, by namespace. */
  #parents(): Record<string, string> {
    const parents: Record<string, string> = {};
    for (let saves = this.#around; saves; saves = saves.#around) parents[saves.#scope.ns] = saves.checkpointId;
    return parents;
  }
}

/** Returns whether `updateState` wrote a checkpoint, or it is a copy of one. */
export const isWritten = (metadata: CheckpointMetadata | undefined): boolean =>
  metadata?.source === "update" || metadata?.source === "fork";

/** Finds where a run is saved, if it is. */
function savedThread(scope: RunScope, around: CheckpointWriter | undefined): CheckpointWriter | undefined {
  const { graph, config, inside, threadId, spec } = scope;
  const { checkpointer, options } = graph;
  if (checkpointer === true && !inside) throw new GraphValueError("checkpointer: true cannot be used for root graphs.");
  if (checkpointer === false) return undefined;
  const saver = around?.saver ?? (checkpointer === true ? undefined : checkpointer);
  if (!saver) return undefined;
  checkCheckpointId(scope.configurable);
  if (!threadId)
    throw new GraphValueError(
      "A graph with a checkpointer needs to know the thread: give { threadId } or { configurable: { thread_id } }.",
    );
  // A saver may read the caller's other keys.
  const { checkpoint_id: _, checkpoint_map: __, ...given } = scope.configurable;
  const place = { ...given, thread_id: threadId, checkpoint_ns: scope.ns };
  const durability = config.durability ?? around?.durability ?? options.durability ?? "async";
  return new CheckpointWriter(spec, saverFor(saver, spec.fields), place, durability);
}
