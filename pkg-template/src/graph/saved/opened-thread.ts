// A checkpoint that is looked at, or written to, without a run.
import type { CheckpointTuple, PendingWrite } from "../../checkpoint/types.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { INTERRUPT } from "../build/interrupt.js";
import type { PlanWriter } from "../planner/plan-types.js";
import type { Values } from "../types.js";
import { uuid6, uuid6After } from "../ids/ids.js";
import type { TaskHome, TaskPlace } from "../task/task-place.js";
import { StepState } from "../task/step-state.js";
import { takeCallersWrites } from "./callers-writes.js";
import { checkpointOf, restored, type Snapshot } from "./checkpoint-format.js";
import { ERROR, isSpecial, type WritesByTask, writesByTask, writtenByCallers } from "./saved-writes.js";
import { ThreadTask } from "./thread-task.js";

/** The writes of unfinished tasks. An answer counts as finished, as in langgraph.js. */
const ENDS_NOTHING = new Set([ERROR, INTERRUPT]);

/** A thread as it stands after a checkpoint. */
export class OpenedThread implements TaskHome {
  readonly ns: string;
  readonly checkpointId: string;
  readonly at: StepState;
  tasks: readonly ThreadTask[] = [];
  #byTask: WritesByTask | undefined;

  /** Without a tuple the thread is empty. */
  constructor(spec: GraphSpec, tuple: CheckpointTuple | undefined, ns: string) {
    const from = tuple && restored(spec, tuple);
    this.ns = ns;
    this.checkpointId = tuple?.checkpoint.id ?? uuid6(Date.now(), 0);
    // One fold is not worth noting ids.
    const at = (this.at = new StepState(spec, from?.state ?? spec.fields.initial(), false));
    at.stepNumber = (tuple?.metadata?.step ?? -1) + 1;
    at.pending = tuple?.pendingWrites ?? [];
    at.plan = spec.plan.open({ recursionLimit: 1, ...(from && { state: from.plan }) });
    if (from) [at.others, at.held, at.sends] = [from.others, from.held, from.sends];
  }

  /** Looks at what comes next. */
  peek(): void {
    this.tasks = this.at.plan.peek().tasks.map((planned, position) => new ThreadTask(this, planned, position));
  }

  /** Applies what callers have written to the thread. */
  applyCallers(): void {
    const theirs = writtenByCallers(this.at.pending);
    const writes = takeCallersWrites(this.at, theirs, this.at.sends);
    if (writes.length > 0) this.at.plan.apply([{ writes }]);
  }

  /** The saved writes of a task. */
  saved({ id }: TaskPlace): readonly PendingWrite[] {
    return (this.#byTask ??= writesByTask(this.at.pending)).get(id) ?? [];
  }

  /** Gives the tasks their saved writes. */
  restore(): void {
    for (const task of this.tasks) {
      const saved = this.saved(task.place).filter(([channel]) => !isSpecial(channel));
      if (saved.length === 0) continue;
      task.writes.restore(saved);
      task.isDone = true;
    }
  }

  /**
   * Applies the writes of callers and of the finished tasks of an open step. Versions count up only for kept values,
   * fields, joins and nodes that wait for all. As in langgraph.js, these writes do not trigger anything at once.
   * `written` is the nodes as which the caller writes: those have run. Returns whether a task had finished.
   */
  applyFinished(written: readonly (string | undefined)[]): boolean {
    const theirs = writtenByCallers(this.at.pending);
    this.peek();
    this.restore();
    const tasks = this.tasks.filter((task) => this.saved(task.place).some(([channel]) => !ENDS_NOTHING.has(channel)));
    if (tasks.length + theirs.length === 0) return false;
    const before = this.at.plan.state().versions;
    const writes = takeCallersWrites(this.at, theirs, this.at.sends);
    this.apply(tasks, "task", writes.length > 0 ? [{ writes }] : []);
    const after = this.at.plan.state();
    const { fields, nodes, plan } = this.at.spec;
    const isKept = (channel: number) =>
      channel < fields.keys.length ||
      channel === plan.sends ||
      channel >= plan.join(0) ||
      (after.finished.includes(channel) && !written.includes(nodes[channel - plan.branch(0)]?.name));
    const versions = after.versions.map((version, channel) =>
      isKept(channel) ? version : (before[channel] as number),
    );
    const state = { ...after, versions, sends: [] };
    this.at.sends = [];
    this.tasks = [];
    this.at.plan.free();
    this.at.plan = this.at.spec.plan.open({ recursionLimit: 1, state });
    return tasks.length > 0;
  }

  /** The values with what these tasks have written: by name before Sends by index, or as nodes in the caller's order. */
  fold(tasks: readonly ThreadTask[], as: "task" | "node" = "task"): Values {
    const inOrder = ({ place: a }: ThreadTask, { place: b }: ThreadTask) =>
      a.planned.send - b.planned.send || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const ordered = as === "node" ? tasks : [...tasks].sort(inOrder);
    return this.at.fold(ordered.flatMap(({ writes }) => writes.updates));
  }

  /** Applies what tasks have written, as one step. */
  apply(tasks: readonly ThreadTask[], as: "task" | "node", others: readonly PlanWriter[] = []): void {
    if (tasks.length + others.length === 0) return;
    const { at } = this;
    if (tasks.length > 0) at.state = this.fold(tasks, as);
    at.sends = tasks.flatMap(({ writes }) => writes.sends);
    for (const { place, writes } of tasks) {
      writes.holdBranches(at.held);
      at.others[place.name] ??= {};
    }
    const writers = tasks.map(({ place, writes: { channels: writes } }) =>
      as === "task" ? { task: place.position, writes } : { node: place.node.number, writes },
    );
    at.plan.apply([...others, ...writers]);
  }

  /** The contents of a checkpoint. */
  snapshot(): Snapshot {
    const { state, sends, held, others, plan, stepNumber } = this.at;
    const id = uuid6After(this.checkpointId, Math.max(0, stepNumber));
    return { id, plan: plan.state(), state, sends, held, others };
  }

  checkpoint(): ReturnType<typeof checkpointOf> {
    return checkpointOf(this.at.spec, this.snapshot());
  }
}
