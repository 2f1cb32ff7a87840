// One run of a graph: has the planner say what to do, does it, and folds the results.
import type { Command } from "../build/command.js";
import { GraphInterrupt, GraphRecursionError, isParentCommand, ParentCommand } from "../build/graph-errors.js";
import type { AnyGraph } from "../build/graph-spec.js";
import { INTERRUPT, type OpenInterrupt } from "../build/interrupt.js";
import type { Step } from "../planner/plan-types.js";
import type { PlanRun } from "../planner/planner.js";
import type { RunConfig } from "../given/run-config.js";
import { picked } from "../build/state-fields.js";
import type { Values } from "../types.js";
import { StepState } from "../task/step-state.js";
import { ResumeValues } from "./resume-values.js";
import { beginRun } from "./begin-run.js";
import { openRun } from "./open-run.js";
import { reportCheckpoint } from "./report-checkpoint.js";
import { Reports } from "./reports.js";
import type { RunParts } from "./run-parts.js";
import { RunSaves } from "./run-saves.js";
import { RunScope } from "./run-scope.js";
import { Stops } from "./stops.js";
import type { RunStreams } from "./stream.js";
import { SuperSteps } from "./super-steps.js";
import type { Task } from "./task.js";
import { Travel } from "./travel.js";
import { withinASecond } from "./within-a-second.js";

/** So many graphs in one another begin in one call. */
const DEEP = 64;

export class Run implements RunParts {
  readonly scope: RunScope;
  readonly at: StepState;
  readonly reports: Reports;
  readonly saves: RunSaves;
  readonly travel: Travel;
  readonly resumeValues: ResumeValues;
  readonly stops: Stops;
  readonly #parent: Task | undefined;
  readonly #steps: SuperSteps;
  /** Whether the run has stopped before its end: at a question or a breakpoint. */
  #isStopped = false;
  #interrupts: readonly OpenInterrupt[] = [];
  /** The values that the caller is shown, if they are not the thread's. */
  #shown: Values | undefined;

  /** `parent`: the task that the graph runs inside. */
  constructor(
    graph: AnyGraph,
    config: RunConfig,
    parent: Task | undefined,
    output: { streams: RunStreams | undefined; shows?: readonly string[] },
  ) {
    const around = parent?.run;
    const inside = parent && {
      scope: parent.run.scope,
      place: parent.place,
      count: parent.inner.count++,
      hasSignal: parent.hasSignal,
    };
    this.#parent = parent;
    this.scope = new RunScope(graph, config, inside);
    this.stops = new Stops(config.signal, around?.stops);
    const { spec } = graph;
    this.at = new StepState(spec, {}, true);
    this.saves = new RunSaves(this.scope, this.at, around?.saves);
    // A saved thread is opened later.
    if (!this.saves.thread) this.at.state = spec.fields.initial();
    this.reports = new Reports(this.scope, this.at, around?.reports, output);
    this.travel = new Travel(around?.travel);
    this.resumeValues = new ResumeValues(this.at, this.saves, parent);
    this.#steps = new SuperSteps(this);
  }

  get ns(): string {
    return this.scope.ns;
  }

  get checkpointId(): string {
    return this.saves.checkpointId;
  }

  get tasks(): readonly Task[] {
    return this.#steps.tasks;
  }

  endLeft(): void {
    this.#steps.endLeft();
  }

  /** Runs the graph to its end, a question or a breakpoint. */
  async go(input: unknown): Promise<void> {
    const { stops, reports, at } = this;
    const around = this.#parent?.inner.open;
    try {
      around?.add(stops);
      // Graphs in one another begin in one call: it would overflow JavaScript's stack.
      if (this.scope.depth % DEEP === DEEP - 1) await undefined;
      stops.listen();
      const opening = openRun(this);
      if (opening) await stops.untilStopped(opening);
      if (reports.on) reports.trace("run-start", { input });
      const beginning = beginRun(this, input, this.#resumesInside());
      this.#steps.step = beginning instanceof Promise ? await beginning : beginning;
      if (this.saves.thread) this.#parent?.inner.begun.add(this.ns);
      await this.#goOn();
      // The next run of the thread continues with them.
      if (this.saves.thread) at.leaveIds();
      const ending = this.#end();
      if (ending) await stops.untilStopped(ending);
      if (reports.on) reports.trace(this.#isStopped ? "run-interrupt" : "run-end", { output: at.state });
    } catch (error) {
      stops.abort(error);
      for (const task of this.tasks) task.stop(error);
      reports.trace("run-error", { error });
      await this.#endBadly();
      throw this.#parent && isParentCommand(error) ? forParent(error.command) : error;
    } finally {
      stops.close();
      around?.delete(stops);
      // Missing where opening has failed.
      (at.plan as PlanRun | undefined)?.free();
    }
    if (this.#isStopped && this.#parent) throw new GraphInterrupt(this.#interrupts);
  }

  /** Whether a graph inside resumes: an earlier attempt of its task began it, or the outer graph resumes. */
  #resumesInside(): boolean {
    const parent = this.#parent;
    if (!parent || !this.saves.thread) return false;
    return parent.inner.begun.has(this.ns) || (parent.run.travel.isResuming && !this.travel.isReplayed);
  }

  /** Does one super-step after another. */
  async #goOn(): Promise<void> {
    const { stops, reports, saves, scope } = this;
    const steps = this.#steps;
    while (this.#hasNext(steps.step)) {
      stops.checkHalted();
      steps.prepare();
      this.#isStopped = steps.step.status === "interrupt_before" && steps.tasks.some((task) => !task.status);
      if (this.#isStopped) break;
      if (reports.streams) for (const task of steps.tasks) reports.emitTask(task);
      const work = steps.runTasks();
      if (work) await work;
      if (steps.failed) throw steps.failed.error;
      if (this.#asks()) break;
      steps.commit();
      if (saves.thread?.durability === "sync") await stops.untilStopped(saves.thread.settled());
      // A reader of its stream looks in between.
      if (reports.streams) await Promise.resolve();
      const pause = scope.pauses.due();
      if (pause) await stops.untilStopped(pause);
    }
  }

  /** Whether a step is to be done. @throws {@link GraphRecursionError} if there have been too many. */
  #hasNext({ status }: Step): boolean {
    if (status === "limit") throw GraphRecursionError.at(this.scope.recursionLimit);
    this.#isStopped = status === "interrupt_after";
    if (status === "done") reportCheckpoint(this, []);
    return status !== "done" && !this.#isStopped;
  }

  /** Whether a task has an interrupt: then the run ends. The caller sees the writes of the others; they stay pending. */
  #asks(): boolean {
    const interrupts = this.#steps.interrupts();
    if (!interrupts) return false;
    this.#isStopped = true;
    this.#interrupts = interrupts;
    const updates = this.#parent ? [] : this.#steps.updates();
    if (updates.length > 0) {
      this.#shown = this.at.spec.fields.step(this.at.state, updates);
      this.reports.emitValues(this.#shown, updates);
    }
    return true;
  }

  /** Returns the caller's result. */
  result(): Record<string, unknown> {
    const values = picked(this.#shown ?? this.at.state, this.at.spec.outputs);
    if (this.#isStopped) values[INTERRUPT] = this.#interrupts;
    return values;
  }

  // How it ends.

  #end(): Promise<void> | undefined {
    const { saves, reports } = this;
    // The steps of a graph inside a task are in the checkpoint of the graph around.
    if (saves.thread && (this.#isStopped || !this.ns.includes(":"))) saves.putAtExit();
    if (this.#isStopped && this.#interrupts.length === 0 && !this.#parent) {
      reports.emit("updates", { [INTERRUPT]: [] });
      reports.emit("values", { [INTERRUPT]: [] });
    }
    return saves.thread?.settled();
  }

  async #endBadly(): Promise<void> {
    const { saves, stops } = this;
    try {
      if (this.#steps.step as Step | undefined) saves.putAtExit();
      const saving = saves.thread?.settled();
      // Saves in progress are waited for, but a caller that has stopped the run does not wait for a saver that hangs.
      await (stops.isAborted ? withinASecond(saving) : saving);
    } catch {
      // The first error is the one to throw.
    }
  }
}

/** A command for the graph around: there it is a node's answer. */
const forParent = (command: Command): ParentCommand =>
  new ParentCommand({ ...command, graph: undefined } as unknown as Command);
