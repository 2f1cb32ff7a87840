// The super-steps of a run, one after another: their tasks are made, started and noted, and their writes committed.
import type { Send } from "../build/command.js";
import { isParentCommand, NodeError } from "../build/graph-errors.js";
import { INTERRUPT, type OpenInterrupt } from "../build/interrupt.js";
import type { PlannedTask, Step } from "../planner/plan-types.js";
import type { Values } from "../types.js";
import { timeIsUp } from "../build/timeout.js";
import { after } from "../../shared/timer.js";
import { growth } from "../saved/growth.js";
import { ERROR, ERROR_SOURCE, isSpecial, RESUME, type WritesByTask, writesByTask } from "../saved/saved-writes.js";
import { reportCheckpoint } from "./report-checkpoint.js";
import { asError, errorRecord } from "./reports.js";
import type { RunParts } from "./run-parts.js";
import { Task } from "./task.js";

const NONE: readonly never[] = [];

/** After so many tasks of a step the event loop may turn before the others start. */
const MANY = 16;

export class SuperSteps {
  readonly #run: RunParts;
  /** The planner's last answer. */
  step!: Step;
  tasks: readonly Task[] = NONE;
  /** The first task that failed for good. */
  failed: Task | undefined;
  readonly #most: number;
  /** The task to start next, by its position. */
  #next = 0;
  #running = 0;
  /** Whether a task waits for an answer. */
  #isAsking = false;
  /** Whether the tasks that are left wait for a turn of the event loop. */
  #isPausing = false;
  #finish: (() => void) | undefined;

  constructor(run: RunParts) {
    this.#run = run;
    this.#most = run.scope.maxConcurrency;
  }

  /** Makes the tasks of the step, with what earlier runs have saved of them. */
  prepare(): void {
    const { at, stops, resumeValues, travel, reports } = this.#run;
    stops.nextStep();
    const planned = this.step.tasks;
    const tasks = [new Task(this.#run, planned[0] as PlannedTask, 0)];
    for (let at = 1; at < planned.length; at++) tasks.push(new Task(this.#run, planned[at] as PlannedTask, at));
    this.tasks = tasks;
    this.#isAsking = false;
    const saved = at.pending.length > 0 ? writesByTask(at.pending) : undefined;
    if (saved ?? resumeValues.hasAny) resumeValues.match(tasks, saved, travel.runsAgain);
    // Where the caller goes back everything runs again, with the answers that it had.
    if (saved && !travel.runsAgain) this.#restore(saved);
    if (!reports.streams) return;
    reportCheckpoint(this.#run, this.tasks);
    for (const task of this.tasks) if (task.writes.isRestored && !task.place.isHidden) reports.emitUpdates(task, true);
  }

  /** Ends the step in which an earlier run was cut off, if all its tasks have saved their writes. */
  endLeft(): void {
    const { at } = this.#run;
    if (at.pending.length === 0) return;
    const saved = writesByTask(at.pending);
    const step = at.plan.peek();
    const tasks = step.tasks.map((planned, position) => new Task(this.#run, planned, position));
    const isSaved = ({ place }: Task) => saved.get(place.id)?.some(([channel]) => !isSpecial(channel)) === true;
    if (tasks.length === 0 || !tasks.every(isSaved)) return;
    [this.tasks, this.step] = [tasks, step];
    this.#restore(saved);
    try {
      at.folded(this.updates(), true);
    } catch {
      // That it cannot be folded is why it has no checkpoint.
      this.tasks = NONE;
      return;
    }
    this.step = at.plan.resume();
    this.commit();
  }

  /** Gives tasks what earlier runs have saved of them. */
  #restore(byTask: WritesByTask): void {
    // It grows: a failed task's handler comes last.
    for (const task of this.tasks) {
      const saved = byTask.get(task.place.id) ?? [];
      const written = saved.filter(([channel]) => !isSpecial(channel));
      if (written.length > 0) {
        task.writes.restore(written);
        task.status = "done";
      } else if (saved.some(([channel]) => channel === ERROR_SOURCE)) {
        task.error = saved.find(([channel]) => channel === ERROR)?.[1];
        this.#handle(task);
      }
    }
  }

  /** Runs the tasks that are not done. Returns a promise if that takes time. */
  runTasks(): Promise<void> | undefined {
    this.#run.stops.check();
    this.#next = this.#running = 0;
    this.#finish = undefined;
    this.#launch();
    return this.#running === 0 ? undefined : this.#untilEnded();
  }

  // A closure costs also the calls that do not make it: those are in methods of their own.

  /** Waits for the tasks that have not answered at once. */
  #untilEnded(): Promise<void> {
    const { stops, scope } = this.#run;
    const ended = stops.untilStopped((resolve) => {
      this.#finish = resolve;
      // A node that has answered at once may have failed.
      if (this.failed) void settle().then(resolve);
    });
    const { stepTimeout } = scope.graph;
    return stepTimeout ? ended.finally(after(stepTimeout, () => stops.wake(timeIsUp()))) : ended;
  }

  /** Starts as many tasks as may run. Of many, it starts the rest after the event loop has turned. */
  #launch(): void {
    const { reports, scope } = this.#run;
    // A stream shows interrupts before the answers of the same moment.
    const answered: Task[] | undefined = reports.streams && this.tasks.length > 1 ? [] : undefined;
    while (this.#next < this.tasks.length && this.#running < this.#most) {
      const task = this.tasks[this.#next++] as Task;
      if (task.status) continue;
      if (this.failed && this.#most !== Infinity) break;
      if (reports.on) reports.trace("task-start", { task });
      const work = task.start();
      if (work) {
        this.#running++;
        this.#await(task, work);
      } else if (answered && isDone(task)) answered.push(task);
      else this.#note(task);
      const pause = this.#next % MANY === 0 ? scope.pauses.due() : undefined;
      if (!pause) continue;
      this.#startRestAfter(pause);
      break;
    }
    if (answered) for (const task of answered) this.#note(task);
  }

  #await(task: Task, work: PromiseLike<void>): void {
    // An error while an ended task is noted ends the run.
    work.then(() => this.#end(task)).then(undefined, (error: unknown) => this.#run.stops.wake(error));
  }

  #startRestAfter(pause: Promise<void>): void {
    this.#running++;
    this.#isPausing = true;
    const goOn = () => {
      this.#isPausing = false;
      this.#goOn();
    };
    pause.then(goOn).then(undefined, (error: unknown) => this.#run.stops.wake(error));
  }

  #end(task: Task): void {
    if (!this.#run.stops.isClosed) this.#note(task);
    this.#goOn();
  }

  /** Goes on when a task has ended, or a pause. */
  #goOn(): void {
    this.#running--;
    if (this.#run.stops.isClosed) return;
    if (!this.#isPausing) this.#launch();
    if (this.#running === 0) this.#finish?.();
    else if (this.failed) void settle().then(this.#finish);
  }

  /** Saves and reports how a task has ended. */
  #note(task: Task): void {
    const { reports, saves } = this.#run;
    const { place, writes, status } = task;
    if (status === "failed") {
      this.#noteFailed(task);
      return;
    }
    if (status === "done") {
      if (reports.on) reports.trace("task-end", { task, output: writes.updates });
      if (saves.thread) {
        saves.saveTask(place, [...answersOf(task), ...writes.entries()]);
        if (task.savedAnswers) this.#run.resumeValues.ended(task);
      }
      if (!reports.streams || place.isHidden) return;
      task.messages?.written(writes.updates);
      reports.emitUpdates(task, false);
      reports.emitResult(task);
      return;
    }
    this.#isAsking = true;
    reports.trace("task-interrupt", { task });
    const { interrupts } = task;
    if (interrupts.length === 0) return;
    const asked = interrupts.length === 1 ? interrupts[0] : interrupts;
    if (saves.thread) saves.saveTask(place, [[INTERRUPT, asked], ...answersOf(task)]);
    reports.emit("updates", { [INTERRUPT]: interrupts });
    reports.emit("values", { [INTERRUPT]: interrupts });
    reports.emitResult(task);
  }

  #noteFailed(task: Task): void {
    const { reports, saves, stops } = this.#run;
    const { error, place } = task;
    const isHandled = place.node.handler !== undefined;
    if (!isParentCommand(error)) {
      reports.trace("task-error", { task, error });
      const saved: [string, unknown][] = [[ERROR, errorRecord(error)]];
      if (isHandled) saved.push([ERROR_SOURCE, place.name]);
      if (saves.thread) saves.saveTask(place, saved);
    }
    const handler = isHandled && !isParentCommand(error) ? this.#handle(task) : undefined;
    if (handler) reports.emitTask(handler);
    reports.emitResult(task);
    if (handler || this.failed) return;
    this.failed = task;
    stops.fail(error);
  }

  /** Has a failed task's handler run, in the same super-step. */
  #handle(task: Task): Task {
    const { place } = task;
    task.status = "handled";
    this.step = this.#run.at.plan.addHandler(place.position, place.node.handler as number);
    const position = this.step.tasks.length - 1;
    const handler = new Task(this.#run, this.step.tasks[position] as PlannedTask, position);
    handler.failure = new NodeError(place.name, asError(task.error));
    (this.tasks as Task[]).push(handler);
    return handler;
  }

  /** The open interrupts of the step's tasks; undefined if no task waits for an answer. */
  interrupts(): OpenInterrupt[] | undefined {
    if (!this.#isAsking) return undefined;
    return this.tasks.flatMap(({ status, interrupts }) => (status === "interrupted" ? interrupts : NONE));
  }

  /** The updates of the finished tasks, in the order in which they count. */
  updates(): readonly Values[] {
    const { tasks } = this;
    if (tasks.length === 1) return (tasks[0] as Task).writes.updates;
    const updates: Values[] = [];
    for (const at of this.step.order) {
      const task = tasks[at] as Task;
      if (isDone(task)) for (const update of task.writes.updates) updates.push(update);
    }
    return updates;
  }

  /** Folds the writes of the step into the thread, and has the planner find the next step. */
  commit(): void {
    const { at, saves, reports, travel, resumeValues } = this.#run;
    const { tasks, step } = this;
    const { fields } = at.spec;
    const updates = this.updates();
    const before = at.state;
    // A condition that has read the only task's state has folded it.
    const folded = tasks.length === 1 ? tasks[0]?.folded : undefined;
    const state = folded ?? (updates.length > 0 || fields.ephemeral.length > 0 ? at.fold(updates) : before);
    const next = at.plan.commit(tasks);
    this.step = next;
    at.stepNumber = next.step;
    at.state = state;
    this.#takeSends(step.order);
    if (at.pending.length > 0) at.pending = NONE;
    travel.stepDone();
    resumeValues.stepDone();
    saves.put("loop", saves.thread && growth(fields, before, state, updates));
    if (reports.streams && updates.length > 0) reports.emitValues(state, updates);
    saves.thread?.check();
  }

  /** Takes the tasks' Sends, and for checkpoints the values of the branches that they wrote. */
  #takeSends(order: readonly number[]): void {
    const { at, saves } = this.#run;
    let sends: Send[] | undefined;
    for (let index = 0; index < order.length; index++) {
      const { place, writes } = this.tasks[order[index] as number] as Task;
      for (let one = 0; one < writes.sends.length; one++) (sends ??= []).push(writes.sends[one] as Send);
      if (!saves.thread) continue;
      writes.holdBranches(at.held);
      if (place.planned.send !== -1) at.others[place.name] ??= {};
    }
    at.sends = sends ?? NONE;
  }
}

const isDone = ({ status }: Task): boolean => status === "done";

const answersOf = ({ savedAnswers }: Task): [string, unknown][] => (savedAnswers ? [[RESUME, savedAnswers]] : []);

/** Lets tasks that have answered already be noted. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}
