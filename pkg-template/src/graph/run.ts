// One run of a graph: asks the planner what to do, does it, and folds what came of it.
import { takeCallersWrites } from "./callers-writes.js";
import { type Command, isCommand, type Send } from "./command.js";
import {
  EmptyInputError,
  GraphInterrupt,
  GraphRecursionError,
  InvalidUpdateError,
  isParentCommand,
  NodeError,
  ParentCommand,
} from "./graph-errors.js";
import type { GraphNode } from "./graph-spec.js";
import { growth } from "./growth.js";
import { INTERRUPT, type Interrupt } from "./interrupt.js";
import { noteMessages } from "./message-stream.js";
import type { PlanRun, Step } from "./planner.js";
import { errorRecord } from "./run-events.js";
import { RunThread } from "./run-thread.js";
import { ERROR, ERROR_SOURCE, isSpecial, NULL_TASK, RESUME, type WritesByTask, writesByTask } from "./saved-thread.js";
import { picked, type Values } from "./state-fields.js";
import { Task } from "./task.js";

const NONE: readonly never[] = [];

export class Run extends RunThread {
  tasks: Task[] = [];
  /** Whether what its nodes still do is of no interest. */
  closed = false;
  /** Whether it goes on where the thread was left: until its first step is done. */
  resuming = false;
  #step!: Step;
  #failed: Task | undefined;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
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
      const opening = this.open();
      if (opening) await opening;
      const beginning = this.#begin(input);
      if (beginning) await beginning;
      for (;;) {
        const { status } = this.#step;
        if (status === "limit") throw recursionError(this.recursionLimit);
        this.#stopped = status === "interrupt_after";
        if (status === "done") this.emitCheckpoint([]);
        if (status === "done" || this.#stopped) break;
        if (this.#halted) throw this.#halted.error;
        this.#prepare();
        this.#stopped = status === "interrupt_before" && this.tasks.some((task) => !task.status);
        if (this.#stopped) break;
        const work = this.#runTasks();
        if (work) await work;
        if (this.#failed) throw this.#failed.error;
        if (this.#asks()) break;
        this.#commit();
        if (this.saved?.durability === "sync") await this.saved.settled();
        // Who streams it looks in between.
        if (this.streams) await Promise.resolve();
      }
      const ending = this.#end();
      if (ending) await ending;
      if (this.on) this.tell(this.#stopped ? "run-interrupt" : "run-end", { output: this.state });
    } catch (error) {
      this.closed = true;
      this.#controller?.abort(error);
      for (const task of this.tasks) task.stop(error);
      this.tell("run-error", { error });
      await this.#endBadly();
      throw this.parent && isParentCommand(error) ? forParent(error.command) : error;
    } finally {
      this.closed = true;
      around?.delete(this);
      this.#unlisten?.();
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

  // How it begins.

  #begin(input: unknown): Promise<void> | undefined {
    this.#listen();
    if (this.on) this.tell("run-start", { input });
    const { parse } = this.spec.parts.input;
    if (!parse || input === null || input === undefined || isCommand(input)) return this.#first(input);
    const parsed = parse(input as object);
    return parsed instanceof Promise ? parsed.then((values) => this.#first(values)) : this.#first(parsed);
  }

  #first(input: unknown): undefined {
    const exists = this.saved !== undefined && this.stepNumber >= 0;
    const isNothing = input === null || input === undefined;
    const command = isCommand(input) ? input : undefined;
    const resumes = command?.resume !== undefined && command.resume !== null;
    const inside = (this.parent?.run.resuming ?? false) && !this.replays;
    if (command) this.takeCommand(command, resumes);
    this.resuming = exists && (inside || isNothing || resumes);
    const travels = exists && this.isHead === false && (this.parent !== undefined || !resumes);
    if (travels) this.pending = this.pending.filter(([, channel]) => channel !== RESUME);
    this.readAnswer(resumes);
    if (this.resuming || command) this.#goOn(travels);
    else if (isNothing) throw new EmptyInputError('Received no input writes for "__start__"');
    else this.#newInput(input);
    if (!this.parent && travels) this.replay = { before: this.travelsFrom, visited: new Set() };
  }

  #goOn(travels: boolean): void {
    const { source } = this.metadata;
    const theirs = this.pending.filter(([id, channel]) => id === NULL_TASK && channel !== RESUME);
    if (theirs.length > 0 || !this.resuming) {
      this.#take(this.plan.command(takeCallersWrites(this, theirs, NONE), this.resuming));
      this.others["__input__"] ??= {};
    } else this.#take(this.plan.resume());
    if (!this.resuming) this.put("input");
    else if (travels && source !== "update" && source !== "fork") {
      this.pending = this.pending.filter(([, channel]) => channel !== INTERRUPT);
      this.plan.nextStep();
      this.#take({ ...this.#step, step: this.stepNumber + 1 });
      this.put("fork");
    }
    this.emitValues(this.state);
  }

  #newInput(input: unknown): void {
    if (typeof input !== "object" || Array.isArray(input))
      throw new InvalidUpdateError("A graph takes an object, a command or null.", {
        lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE",
      });
    const { values, dropped: keys } = this.spec.taken(input as Values);
    if (keys.length > 0) {
      if (this.on) this.tell("input-dropped", { keys });
      else if (!this.parent) console.warn(`The graph "${this.graph.name}" does not take: ${keys.join(", ")}.`);
    }
    this.pending = [];
    this.sends = NONE;
    const { start, nodes, plan } = this.spec;
    const { edges, branches } = nodes[start] as GraphNode;
    if (!this.saved && !this.streams && branches.length === 0) {
      this.#start(values, edges);
      return;
    }
    this.#take(this.plan.input());
    this.held.set(plan.start, values);
    if (this.wantsInside("messages")) noteMessages(values, this.seenMessages);
    if (this.saved) this.others["__input__"] ??= {};
    this.put("input");
  }

  /** Folds the input in as the task of START does, where nobody sees that task. */
  #start(values: Values, edges: readonly number[]): void {
    const { fields } = this.spec;
    const writes: number[] = [];
    const updates = fields.note(values, writes) ? [values] : NONE;
    const isSame = updates.length === 0 && fields.ephemeral.length === 0;
    const state = isSame ? this.state : fields.step(this.state, updates, this);
    for (const channel of edges) writes.push(channel);
    this.#take(this.plan.start(writes));
    this.state = state;
    // An answer is for the step that asked.
    this.answer = undefined;
  }

  /** Notes what comes next, and takes out of the state what has had its time. */
  #take(step: Step): void {
    this.#step = step;
    this.stepNumber = step.step;
    if (step.cleared.length === 0) return;
    const state = { ...this.state } as Record<string, unknown>;
    for (const number of step.cleared) delete state[this.spec.fields.keys[number] as string];
    this.state = state;
  }

  // A super-step.

  #prepare(): void {
    this.#controller = this.#signal = undefined;
    this.tasks = this.#step.tasks.map((planned, position) => new Task(this, planned, position));
    // Behind a checkpoint that the caller has named everything runs again.
    const saved = this.isHead === undefined && this.pending.length > 0 ? writesByTask(this.pending) : undefined;
    if (saved ?? this.answersById ?? this.answer) this.#matchAnswers(saved);
    if (saved) this.#restore(saved);
    this.emitCheckpoint(this.tasks);
    for (const task of this.tasks) if (task.restored && !task.hidden) this.emitUpdates(task, true);
    if (this.wants("tasks")) for (const task of this.tasks) this.emitTask(task);
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

  /** Gives tasks their answers, and tells the planner how many there are. */
  #matchAnswers(byTask: WritesByTask | undefined): void {
    const { answersById: given } = this;
    for (const task of this.tasks) {
      const saved = byTask?.get(task.id) ?? [];
      // One that is done asks no more.
      if (saved.some(([channel]) => !isSpecial(channel))) continue;
      const answers: unknown[] = [];
      task.answers = answers;
      for (const [channel, value] of saved) if (channel === RESUME) answers.push(...([value].flat() as unknown[]));
      if (!given) continue;
      const last = answers.length - 1;
      const asks = (answered: number) => answered >= 0 && Object.hasOwn(given, task.interruptId(answered));
      if (asks(last + 1)) answers.push(given[task.interruptId(last + 1)]);
      // Answered again, for the node has failed.
      else if (asks(last) && saved.some(([channel]) => channel === ERROR))
        answers[last] = given[task.interruptId(last)];
      // Of langgraph.js, where all questions of a task have one id.
      else if (asks(0)) answers.push(given[task.interruptId(0)]);
      else continue;
      // It outlasts an error of the node.
      this.saveTask(task, [[RESUME, [...answers]]]);
    }
    const shared = this.answer !== undefined && !this.answer.taken;
    this.plan.answers(
      this.tasks.map(({ answers }) => answers.length),
      shared,
    );
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
      while (next < this.tasks.length && running < most) {
        const task = this.tasks[next++] as Task;
        if (task.status) continue;
        if (most !== Infinity && this.#failed) break;
        if (this.on) this.tell("task-start", { task });
        const work = task.start();
        if (!work) this.#ended(task);
        else {
          running++;
          work.then(() => end(task)).then(undefined, stop);
        }
      }
    };
    launch();
    if (running === 0) return undefined;
    return new Promise<void>((resolve, reject) => {
      finish = resolve;
      this.#wake = reject;
      const { stepTimeout } = this.graph;
      if (stepTimeout) {
        const limit = AbortSignal.timeout(stepTimeout);
        limit.addEventListener("abort", () => reject(limit.reason as Error));
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
      this.emitResult(task);
      if (isHandled) {
        this.emitTask(this.#handle(task));
        return;
      }
    }
    if (this.#failed) return;
    this.#failed = task;
    this.#controller?.abort(error);
  }

  /** Has a failed task's handler run, in the same super-step. */
  #handle(task: Task): Task {
    task.status = "handled";
    this.#step = this.plan.addHandler(task.position, task.node.handler as number);
    const position = this.#step.tasks.length - 1;
    const handler = new Task(this, this.#step.tasks[position] as Step["tasks"][number], position);
    handler.failure = new NodeError(task.name, asError(task.error));
    this.tasks.push(handler);
    return handler;
  }

  /** Whether a task asks something: then the run ends. What the others have written is shown, and stays theirs. */
  #asks(): boolean {
    const asking = this.tasks.filter(({ status }) => status === "interrupted");
    if (asking.length === 0) return false;
    this.#stopped = true;
    this.#interrupts = asking.flatMap(({ interrupts }) => interrupts);
    const updates = this.#updates();
    if (updates.length > 0) this.emitValues((this.#shown = this.spec.fields.step(this.state, updates)));
    return true;
  }

  /** What the tasks have written, in the order in which it counts. */
  #updates(): readonly Values[] {
    const { tasks } = this;
    if (tasks.length === 1) return (tasks[0] as Task).updates;
    const updates: Values[] = [];
    for (const at of this.#step.order) {
      const task = tasks[at] as Task;
      if (task.status === "done") for (const update of task.updates) updates.push(update);
    }
    return updates;
  }

  #commit(): void {
    const { tasks, saved } = this;
    const { fields } = this.spec;
    const { order } = this.#step;
    const updates = this.#updates();
    const before = this.state;
    const [only] = tasks;
    let state = before;
    // A condition that has read the only task's state has folded it.
    if (tasks.length === 1 && only?.folded) state = only.folded;
    else if (updates.length > 0 || fields.ephemeral.length > 0) state = fields.step(before, updates, this);
    const step = this.plan.commit(tasks);
    this.#step = step;
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
    this.isHead = undefined;
    // An answer is for the step that asked.
    this.answer = undefined;
    this.put("loop", saved && growth(fields, before, state, updates));
    if (this.streams && updates.length > 0) this.emitValues(state);
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
      if (this.#step as Step | undefined) this.putAtExit();
      await this.saved?.settled();
    } catch {
      // The first error is the one to throw.
    }
  }

  /** Is aborted when the super-step fails or the caller aborts the run: what has ended is not told of later errors. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const { signal } = (this.#controller = new AbortController());
    const given = this.config.signal ?? this.parent?.run.signal;
    if (this.#failed) this.#controller.abort(this.#failed.error);
    return (this.#signal = given ? AbortSignal.any([given, signal]) : signal);
  }

  #listen(): void {
    const { signal } = this.config;
    if (!signal) return;
    if (signal.aborted) throw aborted(signal);
    const stop = () => this.#wake?.(aborted(signal));
    signal.addEventListener("abort", stop, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", stop);
  }
}

/** A command for the graph around: there it is a node's answer. */
const forParent = (command: Command): ParentCommand =>
  new ParentCommand({ ...command, graph: undefined } as unknown as Command);

function recursionError(limit: number): GraphRecursionError {
  return new GraphRecursionError(
    `Recursion limit of ${limit} reached without hitting a stop condition. ` +
      'You can increase the limit by setting the "recursionLimit" config key.',
    { lc_error_code: "GRAPH_RECURSION_LIMIT" },
  );
}

/** What the caller gave as the reason, as langgraph.js throws it. */
function aborted({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  const { message, name } = errorRecord(error);
  return Object.assign(new Error(message), { name });
}

/** Lets what has answered already be noted. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}
