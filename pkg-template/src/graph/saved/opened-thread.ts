// A checkpoint that is looked at, or written to, without a run.
import { saverFor } from "../../checkpoint/langgraph-saver.js";
import { checkCheckpointId } from "../../checkpoint/place.js";
import type {
  CheckpointConfig,
  CheckpointPendingWrite,
  CheckpointSaver,
  CheckpointTuple,
  PendingWrite,
} from "../../checkpoint/types.js";
import { takeCallersWrites } from "./callers-writes.js";
import { checkpointOf, type Restored, restored, type Snapshot } from "./checkpoint-format.js";
import type { Send } from "../build/command.js";
import type { CompiledStateGraph } from "../compiled-graph.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { uuid6, uuid6After } from "../ids/ids.js";
import { INTERRUPT } from "../build/interrupt.js";
import type { PlanRun, PlanWriter } from "../build/planner.js";
import { ERROR, isSpecial, type WritesByTask, writesByTask, writtenByCallers } from "./saved-writes.js";
import type { Values } from "../build/state-fields.js";
import { Task } from "../run/task.js";
import type { TaskHome } from "../run/task-place.js";

/** What tasks save that are not done. An answer counts as done, as langgraph.js has it. */
const ENDS_NOTHING = new Set([ERROR, INTERRUPT]);

/** A graph and its saver; of a graph inside, if the config names its namespace. */
export interface Place {
  readonly graph: CompiledStateGraph;
  readonly saver: CheckpointSaver;
  /** Where its checkpoints are. */
  readonly config: CheckpointConfig;
}

/** Finds the graph that a config speaks of. `saver` is that of a graph around. */
export function placeOf(graph: CompiledStateGraph, config: CheckpointConfig, saver?: CheckpointSaver): Place {
  const own = saver ?? (typeof graph.checkpointer === "object" ? graph.checkpointer : undefined);
  if (!own) throw new GraphValueError("No checkpointer set", { lc_error_code: "MISSING_CHECKPOINTER" });
  checkCheckpointId(config.configurable);
  const ns = (config.configurable?.checkpoint_ns ?? "")
    .split("|")
    .filter((part) => !/^\d+$/.test(part))
    .map((part) => part.split(":")[0])
    .join("|");
  const place = (of: CompiledStateGraph): Place => ({
    graph: of,
    saver: saverFor(own, of.spec.fields),
    // One that remembers is kept under the names of its nodes alone.
    config:
      of.checkpointer === true ? { ...config, configurable: { ...config.configurable, checkpoint_ns: ns } } : config,
  });
  if (saver || ns === "") return place(graph);
  for (const [name, inside] of graph.getSubgraphs(ns, true)) if (name === ns) return place(inside);
  throw new GraphValueError(`Subgraph "${ns}" not found`);
}

/** A thread as it stands behind a checkpoint. */
export class OpenedThread implements TaskHome {
  readonly spec: GraphSpec;
  readonly ns: string;
  readonly checkpointId: string;
  /** The number of the step that comes next. */
  readonly stepNumber: number;
  readonly others: Restored["others"];
  readonly held: Map<number, unknown>;
  plan: PlanRun;
  readonly pending: readonly CheckpointPendingWrite[];
  // What conditions find in their context.
  readonly config = {};
  readonly context = undefined;
  readonly configurable = {};
  readonly streams = undefined;
  /** One fold is not worth noting ids. */
  readonly known = undefined;
  state: Values;
  sends: readonly Send[];
  tasks: Task[] = [];
  #byTask: WritesByTask | undefined;

  /** Without a tuple the thread is empty. */
  constructor(spec: GraphSpec, tuple: CheckpointTuple | undefined, ns: string) {
    const from = tuple && restored(spec, tuple);
    this.spec = spec;
    this.ns = ns;
    this.checkpointId = tuple?.checkpoint.id ?? uuid6(Date.now(), 0);
    this.stepNumber = (tuple?.metadata?.step ?? -1) + 1;
    this.others = from?.others ?? {};
    this.held = from?.held ?? new Map<number, unknown>();
    this.state = from?.state ?? spec.fields.initial();
    this.sends = from?.sends ?? [];
    this.pending = tuple?.pendingWrites ?? [];
    this.plan = spec.plan.open({ recursionLimit: 1, ...(from && { state: from.plan }) });
  }

  /** Looks at what comes next. */
  peek(): void {
    this.tasks = this.plan.peek().tasks.map((planned, position) => new Task(this, planned, position));
  }

  /** Applies what callers have written to the thread. */
  applyCallers(): void {
    const theirs = writtenByCallers(this.pending);
    const writes = takeCallersWrites(this, theirs, this.sends);
    if (writes.length > 0) this.plan.apply([{ writes }]);
  }

  /** What a task has saved. */
  saved(task: Task): readonly PendingWrite[] {
    return (this.#byTask ??= writesByTask(this.pending)).get(task.id) ?? [];
  }

  /** Gives the tasks what they have saved. */
  restore(): void {
    for (const task of this.tasks) {
      const saved = this.saved(task).filter(([channel]) => !isSpecial(channel));
      if (saved.length > 0) task.restore(saved);
    }
  }

  /**
   * Applies what the finished tasks of an open step have written, and what callers have. Only the versions of what is kept
   * count up, fields, joins and nodes that wait for all: as in langgraph.js, what these writes would trigger at once is not
   * triggered. `written`: the nodes as which the caller writes: those have run.
   * Returns whether a task had finished.
   */
  applyFinished(written: readonly (string | undefined)[]): boolean {
    const theirs = writtenByCallers(this.pending);
    this.peek();
    this.restore();
    const tasks = this.tasks.filter((task) => this.saved(task).some(([channel]) => !ENDS_NOTHING.has(channel)));
    if (tasks.length + theirs.length === 0) return false;
    const before = this.plan.state().versions;
    const writes = takeCallersWrites(this, theirs, this.sends);
    this.apply(tasks, "task", writes.length > 0 ? [{ writes }] : []);
    const after = this.plan.state();
    const { fields, nodes, plan } = this.spec;
    const isKept = (channel: number) =>
      channel < fields.keys.length ||
      channel === plan.sends ||
      channel >= plan.join(0) ||
      (after.finished.includes(channel) && !written.includes(nodes[channel - plan.branch(0)]?.name));
    const versions = after.versions.map((version, channel) =>
      isKept(channel) ? version : (before[channel] as number),
    );
    const state = { ...after, versions, sends: [] };
    this.sends = [];
    this.tasks = [];
    this.plan.free();
    this.plan = this.spec.plan.open({ recursionLimit: 1, state });
    return tasks.length > 0;
  }

  /** The values with what these tasks have written: by name before Sends by index, or as nodes in the caller's order. */
  fold(tasks: readonly Task[], as: "task" | "node" = "task"): Values {
    const place = (task: Task) => (task.planned.send === -1 ? -1 : task.planned.send);
    const inOrder = (a: Task, b: Task) => place(a) - place(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const ordered = as === "node" ? tasks : [...tasks].sort(inOrder);
    return this.spec.fields.step(
      this.state,
      ordered.flatMap(({ updates }) => updates),
    );
  }

  /** Applies what tasks have written, as one step. */
  apply(tasks: readonly Task[], as: "task" | "node", others: readonly PlanWriter[] = []): void {
    if (tasks.length + others.length === 0) return;
    if (tasks.length > 0) this.state = this.fold(tasks, as);
    this.sends = tasks.flatMap(({ sends }) => sends);
    for (const task of tasks) {
      task.holdBranches(this.held);
      this.others[task.name] ??= {};
    }
    const writers = tasks.map(({ position, node, writes }) =>
      as === "task" ? { task: position, writes } : { node: node.number, writes },
    );
    this.plan.apply([...others, ...writers]);
  }

  /** What a checkpoint is made of. */
  snapshot(): Snapshot {
    const { state, sends, held, others } = this;
    const id = uuid6After(this.checkpointId, Math.max(0, this.stepNumber));
    return { id, plan: this.plan.state(), state, sends, held, others };
  }

  checkpoint(): ReturnType<typeof checkpointOf> {
    return checkpointOf(this.spec, this.snapshot());
  }
}

/** Adds to a checkpoint's config where the graphs around it stand. */
export function withParents(config: CheckpointConfig, parents: Record<string, string> | undefined): CheckpointConfig {
  if (!parents || Object.keys(parents).length === 0) return config;
  const { configurable = {} } = config;
  const map = { ...parents, [configurable.checkpoint_ns ?? ""]: configurable.checkpoint_id };
  return { ...config, configurable: { ...configurable, checkpoint_map: map } };
}
