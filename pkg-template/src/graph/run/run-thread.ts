// The thread of a run: where it goes on from, and what is saved of it.
import { saverFor } from "../../checkpoint/langgraph-saver.js";
import { checkCheckpointId } from "../../checkpoint/place.js";
import type { CheckpointMetadata, CheckpointPendingWrite, CheckpointTuple } from "../../checkpoint/types.js";
import { restored } from "../saved/checkpoint-format.js";
import type { Send } from "../build/command.js";
import type { CompiledStateGraph } from "../compiled-graph.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { uuid6, uuid6After } from "../ids/ids.js";
import { KnownIds } from "../build/known-ids.js";
import type { PlanRun, PlanState } from "../build/planner.js";
import type { RunConfig, StopAt } from "../build/run-config.js";
import { withParents } from "../saved/opened-thread.js";
import { RunEvents } from "./run-events.js";
import { NULL_TASK, RESUME, savedTask, writesByTask } from "../saved/saved-writes.js";
import { SavedThread } from "../saved/saved-thread.js";
import type { Values } from "../build/state-fields.js";
import type { RunStreams } from "./stream.js";
import type { Task } from "./task.js";

type Found = [tuple: CheckpointTuple | undefined, isHead?: boolean, superseded?: boolean];

export abstract class RunThread extends RunEvents {
  readonly recursionLimit: number;
  /** Where it is saved, if it is. */
  readonly saved: SavedThread | undefined;
  /** What nodes read: the state as the super-step began. */
  state: Values;
  /** The sends of the step before. */
  sends: readonly Send[] = [];
  plan!: PlanRun;
  /** What was saved behind the checkpoint: of tasks, and of the caller. */
  pending: CheckpointPendingWrite[] = [];
  /** What time travel has visited: graphs inside go back to what they were before. */
  replay: { readonly before: string; readonly visited: Set<string> } | undefined;
  /** Whether it is a graph inside that time travel has taken back: then it begins with its input. */
  replays = false;
  /** If the caller has named the checkpoint to go on from: whether it is the newest, and made by a run. */
  isHead: boolean | undefined;
  /** Whether it is not the newest. */
  superseded = false;
  /** What `versions_seen` has besides. */
  others: Record<string, Record<string, number | string>> = {};
  metadata: CheckpointMetadata = { source: "input", step: -2, parents: {} };
  #held: Map<number, unknown> | undefined;
  #known: KnownIds | undefined;
  #checkpointId: string | undefined;
  /** What the thread was, behind the checkpoint it began at. */
  #loaded: { readonly id: string; readonly state: Values } | undefined;
  #parentId: string | undefined;
  /** What is to be saved behind the last checkpoint, at the end. */
  #late: [task: string, entries: [channel: string, value: unknown][]][] = [];
  #hasExited = false;

  constructor(graph: CompiledStateGraph, config: RunConfig, parent: Task | undefined, streams: RunStreams | undefined) {
    super(graph, config, parent, streams);
    this.recursionLimit = config.recursionLimit ?? graph.options.recursionLimit ?? parent?.run.recursionLimit ?? 25;
    atLeastOne("recursionLimit", this.recursionLimit);
    atLeastOne("maxConcurrency", config.maxConcurrency ?? 1);
    const { checkpointer } = graph;
    if (checkpointer === true && !parent)
      throw new GraphValueError("checkpointer: true cannot be used for root graphs.");
    const around = parent?.run.saved;
    const saver =
      checkpointer === false ? undefined : (around?.saver ?? (checkpointer === true ? undefined : checkpointer));
    this.saved =
      saver && this.#open(saver, config.durability ?? around?.durability ?? graph.options.durability ?? "async");
    this.state = this.saved ? {} : this.spec.fields.initial();
  }

  #open(saver: SavedThread["saver"], durability: SavedThread["durability"]): SavedThread {
    const { threadId, spec, ns } = this;
    checkCheckpointId(this.configurable);
    if (!threadId)
      throw new GraphValueError(
        "A graph with a checkpointer needs to know the thread: give { threadId } or { configurable: { thread_id } }.",
      );
    // A saver may read what the caller says besides.
    const { checkpoint_id: _, checkpoint_map: __, ...given } = this.configurable;
    const place = { ...given, thread_id: threadId, checkpoint_ns: ns };
    return new SavedThread(spec, saverFor(saver, spec.fields), place, durability);
  }

  get known(): KnownIds {
    return (this.#known ??= new KnownIds(this.spec.fields.messages, this.spec.leftIds));
  }

  /** Leaves what it knows to the next run of its thread. */
  protected leave(): void {
    if (this.saved) this.#known?.leave();
  }

  /** The values of `__start__` and of branches. */
  get held(): Map<number, unknown> {
    return (this.#held ??= new Map());
  }

  /** The id of the checkpoint that the tasks come behind, whether or not it is saved. */
  get checkpointId(): string {
    return (this.#checkpointId ??= uuid6(Date.now(), Math.max(0, this.stepNumber)));
  }

  // Where it goes on from.

  /** Opens the thread. Returns a promise if it is saved. */
  open(): Promise<void> | undefined {
    if (this.saved) return this.#load(this.saved);
    this.plan = this.spec.plan.open(this.#planOptions());
    return undefined;
  }

  #planOptions(state?: PlanState): Parameters<GraphSpec["plan"]["open"]>[0] {
    const { options } = this.graph;
    const before = this.#stops(this.config.interruptBefore ?? options.interruptBefore);
    const after = this.#stops(this.config.interruptAfter ?? options.interruptAfter);
    return {
      recursionLimit: this.recursionLimit,
      ...(state && { state }),
      ...(before && { interruptBefore: before }),
      ...(after && { interruptAfter: after }),
    };
  }

  #stops(names: StopAt | undefined): number[] | "*" | undefined {
    if (names === undefined || names === "*") return names;
    return names.map((name) => {
      const number = this.spec.numbers.get(name);
      if (number === undefined) throw new GraphValueError(`Interrupt node \`${name}\` is not present`);
      return number;
    });
  }

  async #load(saved: SavedThread): Promise<void> {
    const [tuple, isHead, superseded = false] = await this.#find(saved);
    if (!tuple) {
      this.state = this.spec.fields.initial();
      this.plan = this.spec.plan.open(this.#planOptions());
      return;
    }
    const { plan, state, sends, held, others } = restored(this.spec, tuple);
    this.state = state;
    this.sends = sends;
    this.#held = held;
    this.others = others;
    this.#checkpointId = tuple.checkpoint.id;
    this.#loaded = { id: tuple.checkpoint.id, state };
    this.#parentId = tuple.parentConfig?.configurable?.checkpoint_id;
    if (tuple.metadata) this.metadata = tuple.metadata;
    this.pending = tuple.pendingWrites ?? [];
    saved.from(tuple, plan.versions);
    this.plan = this.spec.plan.open(this.#planOptions(plan));
    this.stepNumber = plan.step + 1;
    this.isHead = isHead;
    this.superseded = superseded;
  }

  async #find(saved: SavedThread): Promise<Found> {
    const { saver } = saved;
    const { checkpoint_id, checkpoint_ns, checkpoint_map } = this.configurable as Record<string, never>;
    const named: string | undefined = this.parent || checkpoint_ns ? undefined : checkpoint_id;
    const id = named ?? (checkpoint_map as Record<string, string> | undefined)?.[this.ns];
    if (id !== undefined) {
      const tuple = await saver.getTuple(saved.config(id));
      const superseded = (await saver.getTuple(saved.config()))?.checkpoint.id !== id;
      // Whoever names one of a graph inside goes back, even to the newest.
      return [tuple, named !== undefined && !superseded && !isWritten(tuple?.metadata), superseded];
    }
    const replay = this.parent && this.root.replay;
    this.replays = replay !== undefined;
    const name = this.ns.replace(/:[^:]*$/, "");
    if (!replay || replay.visited.has(name)) return [await saver.getTuple(saved.config())];
    replay.visited.add(name);
    const before = { configurable: { checkpoint_id: replay.before } };
    for await (const tuple of saver.list(saved.config(), { before, limit: 1 })) return [tuple];
    return [undefined];
  }

  /** Where time travel goes back to, for graphs inside. */
  get travelsFrom(): string {
    return (isWritten(this.metadata) && this.#parentId) || this.checkpointId;
  }

  // What is saved.

  /** Saves a task's writes behind the checkpoint. */
  saveTask(task: Task, entries: [channel: string, value: unknown][]): void {
    for (const [channel, value] of entries) this.pending.push([task.id, channel, value]);
    if (this.saved?.durability === "exit") this.#late.push([task.id, entries]);
    else this.saved?.putWrites(this.checkpointId, entries, task.id);
  }

  /** Saves what the caller has written behind the checkpoint, for a run that is cut off. */
  protected saveCallers(entries: [channel: string, value: unknown][]): void {
    // In the checkpoint that is saved at the exit the rest is in the state.
    if (this.saved?.durability === "exit")
      this.#late.push([NULL_TASK, entries.filter(([channel]) => channel === RESUME)]);
    else if (this.#checkpointId) this.saved?.putWrites(this.#checkpointId, entries, NULL_TASK);
  }

  /** Makes a checkpoint of the thread as it stands. */
  put(source: CheckpointMetadata["source"], grown?: Record<string, readonly unknown[]>): void {
    const { saved } = this;
    if (this.#late.length > 0) this.#late = [];
    if (!saved) {
      this.#checkpointId = undefined;
      return;
    }
    this.#parentId = this.#checkpointId ?? this.#parentId;
    this.metadata = { source, step: this.stepNumber - 1, parents: this.#parents() };
    this.#checkpointId = uuid6After(this.#parentId, Math.max(0, this.stepNumber));
    if (saved.durability !== "exit") this.#save(saved, grown);
  }

  #save(saved: SavedThread, grown?: Record<string, readonly unknown[]>): void {
    const { state, sends, held, others, metadata, checkpointId: id } = this;
    saved.put({ id, plan: this.plan.state(), state, sends, held, others }, metadata, grown);
  }

  /** Saves the last checkpoint, where only that is saved, and what comes behind it. */
  putAtExit(): void {
    const { saved } = this;
    // A saver that has failed is not asked again.
    if (saved?.durability !== "exit" || this.#hasExited) return;
    this.#hasExited = true;
    // A run in which nothing happened saves nothing.
    if (this.#checkpointId !== this.#loaded?.id || this.state !== this.#loaded?.state) this.#save(saved);
    for (const [task, entries] of this.#late) if (entries.length > 0) saved.putWrites(this.checkpointId, entries, task);
  }

  /** The checkpoint of each graph around this one. */
  #parents(): Record<string, string> {
    const parents: Record<string, string> = {};
    for (let run = this.parent?.run; run; run = run.parent?.run) parents[run.ns] = run.checkpointId;
    return parents;
  }

  emitCheckpoint(tasks: readonly Task[]): void {
    const { saved, state, metadata, threadId, recursionLimit, parent: inside } = this;
    if (!saved || !this.wants("checkpoints")) return;
    const { parentConfig: parent } = saved;
    const { tags = [], runName = inside?.name } = this.config;
    const byTask = writesByTask(this.pending);
    // What is saved at the exit is not there yet.
    const id = saved.durability === "exit" ? this.#loaded?.id : this.checkpointId;
    const around = {
      tags,
      metadata: { ...this.callersMetadata, ...inside?.metadata },
      recursion_limit: recursionLimit,
      ...(runName && { run_name: runName }),
    };
    this.emit("checkpoints", {
      config: { ...around, ...withParents(saved.config(id), metadata.parents) },
      values: { ...state },
      metadata,
      next: tasks.map(({ name }) => name),
      tasks: tasks.map((task) => {
        const state = task.node.inside && { configurable: { thread_id: threadId, checkpoint_ns: task.ns } };
        return savedTask(task, byTask.get(task.id) ?? [], this.spec.fields.numbers, { state });
      }),
      ...(parent && {
        parentConfig: { ...(saved.hasPut && around), ...withParents(parent, metadata.parents) },
      }),
    });
  }
}

/** Whether a checkpoint was written by hand, or is a copy of one. */
export const isWritten = (metadata: CheckpointMetadata | undefined): boolean =>
  metadata?.source === "update" || metadata?.source === "fork";

function atLeastOne(what: string, given: number): void {
  if (!(given >= 1)) throw new GraphValueError(`Passed "${what}" must be at least 1.`);
}
