// One run of a graph: asks the planner what to do, does it, and folds what came of it.
import type { Command, Send } from "../build/command.js";
import {
  GraphInterrupt,
  GraphRecursionError,
  isParentCommand,
  NodeError,
  ParentCommand,
} from "../build/graph-errors.js";
import { growth } from "../saved/growth.js";
import { INTERRUPT, type Interrupt } from "../build/interrupt.js";
import type { PlanRun, Step } from "../build/planner.js";
import { asError, errorRecord } from "./run-events.js";
import { RunInput } from "./run-input.js";
import { ERROR, ERROR_SOURCE, isSpecial, RESUME, type WritesByTask, writesByTask } from "../saved/saved-writes.js";
import { picked, type Values } from "../build/state-fields.js";
import { LinkedAbort } from "./linked-abort.js";
import { Task } from "./task.js";

const NONE: readonly never[] = [];

export class Run extends RunInput {
  tasks: Task[] = [];
  /** Whether what its nodes still do is of no interest. */
  closed = false;
  #failed: Task | undefined;
  /** Its signal and its super-step's, if a node has asked for one. */
  #abort: LinkedAbort | undefined;
  #stepAbort: LinkedAbort | undefined;
  #unlisten: (() => void) | undefined;
  #wake: ((error?: unknown) => void) | undefined;
  #halted: { error: unknown } | undefined;
  /** Whether it has stopped before its end. */
  #stopped = false;
  #interrupts: Interrupt[] = [];
  #shown: Values | undefined;

  /** Runs the graph to its end, a question or a breakpoint. */
  async go(input: unknown): Promise<void> {
    const around = this.parent && (this.parent.inside ??= new Set());
    try {
      around?.add(this);
      this.#listen();
      const opening = this.open();
      if (opening) await this.#unlessStopped(opening);
      if (this.on) this.tell("run-start", { input });
      const beginning = this.begin(input);
      if (beginning) await beginning;
      for (;;) {
        const { status } = this.step;
        if (status === "limit") throw GraphRecursionError.at(this.recursionLimit);
        this.#stopped = status === "interrupt_after";
        if (status === "done") this.emitCheckpoint([]);
        if (status === "done" || this.#stopped) break;
        if (this.#halted) throw this.#halted.error;
        this.#prepare();
        this.#stopped = status === "interrupt_before" && this.tasks.some((task) => !task.status);
        if (this.#stopped) break;
        if (this.wants("tasks")) for (const task of this.tasks) this.emitTask(task);
        const work = this.#runTasks();
        if (work) await work;
        if (this.#failed) throw this.#failed.error;
        if (this.#asks()) break;
        this.#commit();
        if (this.saved?.durability === "sync") await this.#unlessStopped(this.saved.settled());
        // Who streams it looks in between.
        if (this.streams) await Promise.resolve();
      }
      this.leave();
      const ending = this.#end();
      if (ending) await this.#unlessStopped(ending);
      if (this.on) this.tell(this.#stopped ? "run-interrupt" : "run-end", { output: this.state });
    } catch (error) {
      this.closed = true;
      this.#stepAbort?.abort(error);
      for (const task of this.tasks) task.stop(error);
      this.tell("run-error", { error });
      await this.#endBadly();
      throw this.parent && isParentCommand(error) ? forParent(error.command) : error;
    } finally {
      this.closed = true;
      around?.delete(this);
      this.#unlisten?.();
      this.#abort?.leave();
      // Missing where opening has failed.
      (this.plan as PlanRun | undefined)?.free();
    }
    if (this.#stopped && this.parent) throw new GraphInterrupt(this.#interrupts);
  }

  /** Ends it at once, as the task that it runs inside has ended. */
  stop(error: unknown): void {
    this.#halted ??= { error };
    this.#wake?.(error);
  }

  /** What a caller gets. */
  result(): Record<string, unknown> {
    const values = picked(this.#shown ?? this.state, this.spec.outputs);
    if (this.#stopped) values[INTERRUPT] = this.#interrupts;
    return values;
  }

  // A super-step.

  #prepare(): void {
    this.#stepAbort = undefined;
    this.tasks = this.step.tasks.map((planned, position) => new Task(this, planned, position));
    const saved = this.pending.length > 0 ? writesByTask(this.pending) : undefined;
    if (saved ?? this.answersById ?? this.answer) this.matchAnswers(this.tasks, saved);
    // Where the caller goes back everything runs again, with the answers that it had.
    if (saved && !this.again) this.#restore(saved);
    this.emitCheckpoint(this.tasks);
    for (const task of this.tasks) if (task.restored && !task.hidden) this.emitUpdates(task, true);
  }

  /** Gives tasks what earlier runs have saved of them. */
  #restore(byTask: WritesByTask): void {
    // It grows: a failed task's handler comes last.
    for (const task of this.tasks) {
      const saved = byTask.get(task.id) ?? [];
      const written = saved.filter(([channel]) => !isSpecial(channel));
      if (written.length > 0) task.restore(written);
      else if (saved.some(([channel]) => channel === ERROR_SOURCE)) {
        task.error = saved.find(([channel]) => channel === ERROR)?.[1];
        this.#handle(task);
      }
    }
  }

  /** Runs the tasks that are not done. Returns a promise if that takes time. */
  #runTasks(): Promise<void> | undefined {
    const { signal } = this.config;
    if (signal?.aborted) throw aborted(signal);
    const most = this.config.maxConcurrency ?? this.parent?.run.config.maxConcurrency ?? Infinity;
    let next = 0;
    let running = 0;
    let finish: (() => void) | undefined;
    /** What goes wrong while an ended task is noted ends the run. */
    const stop = (error: unknown) => this.#wake?.(error);
    const end = (task: Task) => {
      running--;
      if (this.closed) return;
      this.#ended(task);
      launch();
      if (running === 0) finish?.();
      else if (this.#failed) void settle().then(finish);
    };
    const launch = () => {
      // Who streams hears of questions before he hears of what was answered in the same moment.
      const answered: Task[] | undefined = this.streams && this.tasks.length > 1 ? [] : undefined;
      while (next < this.tasks.length && running < most) {
        const task = this.tasks[next++] as Task;
        if (task.status) continue;
        if (most !== Infinity && this.#failed) break;
        if (this.on) this.tell("task-start", { task });
        const work = task.start();
        if (work) {
          running++;
          work.then(() => end(task)).then(undefined, stop);
        } else if (answered && isDone(task)) answered.push(task);
        else this.#ended(task);
      }
      for (const task of answered ?? NONE) this.#ended(task);
    };
    launch();
    if (running === 0) return undefined;
    return this.#unlessStopped((resolve, reject) => {
      finish = resolve;
      const { stepTimeout } = this.graph;
      if (stepTimeout) {
        const limit = AbortSignal.timeout(stepTimeout);
        limit.addEventListener("abort", () => reject(limit.reason as Error), { once: true });
      }
      // A node that has answered at once may have failed.
      if (this.#failed) void settle().then(resolve);
    });
  }

  /** Notes how a task has ended. */
  #ended(task: Task): void {
    const { status, interrupts } = task;
    if (status === "failed") {
      this.#endedBadly(task);
      return;
    }
    if (status === "done") {
      if (this.on) this.tell("task-end", { task, output: task.updates });
      if (this.saved) this.saveTask(task, task.answered ? [[RESUME, task.answers], ...task.entries()] : task.entries());
      if (!this.streams || task.hidden) return;
      task.messages?.written(task.updates);
      this.emitUpdates(task, false);
      this.emitResult(task);
    } else {
      this.tell("task-interrupt", { task });
      if (interrupts.length === 0) return;
      const asked: [string, unknown][] = [[INTERRUPT, interrupts.length === 1 ? interrupts[0] : interrupts]];
      if (task.answered) asked.push([RESUME, task.answers]);
      if (this.saved) this.saveTask(task, asked);
      this.emit("updates", { [INTERRUPT]: interrupts });
      this.emit("values", { [INTERRUPT]: interrupts });
      this.emitResult(task);
    }
  }

  #endedBadly(task: Task): void {
    const { error, node } = task;
    const isHandled = node.handler !== undefined;
    if (!isParentCommand(error)) {
      this.tell("task-error", { task, error });
      const saved: [string, unknown][] = [[ERROR, errorRecord(error)]];
      if (isHandled) saved.push([ERROR_SOURCE, task.name]);
      if (this.saved) this.saveTask(task, saved);
    }
    const handler = isHandled && !isParentCommand(error) ? this.#handle(task) : undefined;
    if (handler) this.emitTask(handler);
    this.emitResult(task);
    if (handler || this.#failed) return;
    this.#failed = task;
    this.#stepAbort?.abort(error);
  }

  /** Has a failed task's handler run, in the same super-step. */
  #handle(task: Task): Task {
    task.status = "handled";
    this.step = this.plan.addHandler(task.position, task.node.handler as number);
    const position = this.step.tasks.length - 1;
    const handler = new Task(this, this.step.tasks[position] as Step["tasks"][number], position);
    handler.failure = new NodeError(task.name, asError(task.error));
    this.tasks.push(handler);
    return handler;
  }

  /** Whether a task asks something: then the run ends. What the others have written a caller is shown; it stays theirs. */
  #asks(): boolean {
    const asking = this.tasks.filter(({ status }) => status === "interrupted");
    if (asking.length === 0) return false;
    this.#stopped = true;
    this.#interrupts = asking.flatMap(({ interrupts }) => interrupts);
    const updates = this.parent ? NONE : this.#updates();
    if (updates.length > 0) this.emitValues((this.#shown = this.spec.fields.step(this.state, updates)), updates);
    return true;
  }

  /** What the tasks have written, in the order in which it counts. */
  #updates(): readonly Values[] {
    const { tasks } = this;
    if (tasks.length === 1) return (tasks[0] as Task).updates;
    const updates: Values[] = [];
    for (const at of this.step.order) {
      const task = tasks[at] as Task;
      if (isDone(task)) for (const update of task.updates) updates.push(update);
    }
    return updates;
  }

  #commit(): void {
    const { tasks, saved } = this;
    const { fields } = this.spec;
    const { order } = this.step;
    const updates = this.#updates();
    const before = this.state;
    const [only] = tasks;
    let state = before;
    // A condition that has read the only task's state has folded it.
    if (tasks.length === 1 && only?.folded) state = only.folded;
    else if (updates.length > 0 || fields.ephemeral.length > 0) state = fields.step(before, updates, this.known);
    const step = this.plan.commit(tasks);
    this.step = step;
    this.stepNumber = step.step;
    this.state = state;
    let sends: Send[] | undefined;
    for (const at of order) {
      const task = tasks[at] as Task;
      for (const send of task.sends) (sends ??= []).push(send);
      if (!saved) continue;
      task.holdBranches(this.held);
      if (task.planned.send !== -1) this.others[task.name] ??= {};
    }
    this.sends = sends ?? NONE;
    if (this.pending.length > 0) this.pending = [];
    this.resuming = false;
    this.again = false;
    // An answer is for the step that asked.
    this.answer = undefined;
    this.put("loop", saved && growth(fields, before, state, updates));
    if (this.streams && updates.length > 0) this.emitValues(state, updates);
    saved?.check();
  }

  // How it ends.

  #end(): Promise<void> | undefined {
    // What a graph inside a task has done is in the checkpoint of the graph around.
    if (this.#stopped || !this.ns.includes(":")) this.putAtExit();
    if (this.#stopped && this.#interrupts.length === 0 && !this.parent) {
      this.emit("updates", { [INTERRUPT]: [] });
      this.emit("values", { [INTERRUPT]: [] });
    }
    return this.saved?.settled();
  }

  async #endBadly(): Promise<void> {
    try {
      if (this.step as Step | undefined) this.putAtExit();
      const saving = this.saved?.settled();
      // What is being saved is waited for, but who has stopped the run does not wait for a saver that hangs.
      await (this.config.signal?.aborted ? withinASecond(saving) : saving);
    } catch {
      // The first error is the one to throw.
    }
  }

  /** Waits for nodes or for the saver, until somebody stops the run: a node may have done so as it was called. */
  #unlessStopped(work: PromiseLike<void> | ConstructorParameters<typeof Promise<void>>[0]): Promise<void> {
    const { signal } = this.config;
    return new Promise<void>((resolve, reject) => {
      this.#wake = reject;
      if (typeof work === "function") work(resolve, reject);
      else work.then(resolve, reject);
      if (signal?.aborted) reject(aborted(signal));
      else if (this.#halted) reject(this.#halted.error as Error);
    });
  }

  /** Is aborted when the super-step fails or the caller aborts the run: what has ended is not told of later errors. */
  get abort(): LinkedAbort {
    if (this.#stepAbort) return this.#stepAbort;
    const { signal } = this.config;
    this.#abort ??= new LinkedAbort(signal ? undefined : this.parent?.run.abort);
    if (signal?.aborted) this.#abort.abort(signal.reason);
    this.#stepAbort = new LinkedAbort(this.#abort);
    if (this.#failed) this.#stepAbort.abort(this.#failed.error);
    return this.#stepAbort;
  }

  #listen(): void {
    const { signal } = this.config;
    if (!signal) return;
    if (signal.aborted) throw aborted(signal);
    const stop = () => {
      this.#abort?.abort(signal.reason);
      this.#wake?.(aborted(signal));
    };
    signal.addEventListener("abort", stop, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", stop);
  }
}

const isDone = ({ status }: Task): boolean => status === "done";

/** A command for the graph around: there it is a node's answer. */
const forParent = (command: Command): ParentCommand =>
  new ParentCommand({ ...command, graph: undefined } as unknown as Command);

/** What the caller gave as the reason, as langgraph.js throws it. */
function aborted({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}

async function withinASecond(work: PromiseLike<void> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, 1000)));
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** Lets what has answered already be noted. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}
