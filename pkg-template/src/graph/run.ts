// One run of a graph: asks the planner what to do, does it, and folds what came of it.
import type { CheckpointMetadata, CheckpointPendingWrite, CheckpointTuple } from "../checkpoint/types.js";
import { type Command, isCommand, isSend, type Send, toSend, updatesOf } from "./command.js";
import type { CompiledStateGraph } from "./compiled-graph.js";
import {
  BaseLangGraphError,
  EmptyInputError,
  GraphInterrupt,
  GraphRecursionError,
  GraphValueError,
  InvalidUpdateError,
  NodeError,
  ParentCommand,
} from "./graph-errors.js";
import type { GraphSpec } from "./graph-spec.js";
import { INTERRUPT, type Interrupt } from "./interrupt.js";
import { MessageStream, noteMessages } from "./message-stream.js";
import { growth } from "./growth.js";
import { uuid6 } from "./ids.js";
import type { PlanRun, PlanState, Step } from "./planner.js";
import type { RunConfig, StopAt } from "./run-config.js";
import { NULL_TASK, restored, SavedThread, type Snapshot } from "./saved-thread.js";
import { picked, type Values } from "./state-fields.js";
import type { RunStreams } from "./stream.js";
import { Task } from "./task.js";
import type { TraceEvent } from "./trace.js";

const RESUME = "__resume__";
const ERROR = "__error__";
const ERROR_SOURCE = "__error_source_node__";
const PUSH_TO_START = "__start__";

/** An answer to questions that no task has taken yet. */
interface Answer {
  value: unknown;
  taken: boolean;
}

/** What time travel has visited: graphs inside go back to what they were before. */
interface Replay {
  readonly before: string;
  readonly visited: Set<string>;
}

export class Run {
  readonly graph: CompiledStateGraph;
  readonly spec: GraphSpec;
  readonly config: RunConfig;
  readonly context: unknown;
  readonly configurable: Record<string, unknown>;
  readonly threadId: string | undefined;
  readonly recursionLimit: number;
  /** The task that this graph runs inside. */
  readonly parent: Task | undefined;
  /** Its namespace: empty for the outermost graph. */
  readonly ns: string;
  readonly #streams: RunStreams | undefined;
  readonly #saved: SavedThread | undefined;
  /** What nodes read: the state as the super-step began. */
  state: Values;
  sends: readonly Send[] = [];
  held = new Map<number, unknown>();
  tasks: Task[] = [];
  plan!: PlanRun;
  stepNumber = -1;
  closed = false;
  resuming = false;
  answer: Answer | undefined;
  answersById: Record<string, unknown> | undefined;
  replay: Replay | undefined;
  #step!: Step;
  #others: Record<string, Record<string, number | string>> = {};
  #checkpointId: string | undefined;
  #parentId: string | undefined;
  #metadata: CheckpointMetadata = { source: "input", step: -2, parents: {} };
  #pending: CheckpointPendingWrite[] = [];
  #seenMessages: Set<string> | undefined;
  #controller: AbortController | undefined;
  #unlisten: (() => void) | undefined;
  #wake: ((error?: unknown) => void) | undefined;
  #runId: string | undefined;
  #stopped = false;
  #interrupts: Interrupt[] = [];
  #shown: Values | undefined;

  constructor(graph: CompiledStateGraph, config: RunConfig, parent: Task | undefined, streams: RunStreams | undefined) {
    this.graph = graph;
    this.spec = graph.spec;
    this.config = config;
    this.parent = parent;
    this.#streams = streams;
    this.context = config.context ?? parent?.run.context;
    this.recursionLimit = config.recursionLimit ?? graph.options.recursionLimit ?? 25;
    if (!(this.recursionLimit >= 1)) throw new Error('Passed "recursionLimit" must be at least 1.');
    const given = config.configurable ?? parent?.run.configurable;
    this.threadId = config.threadId ?? (given?.["thread_id"] as string | undefined) ?? parent?.run.threadId;
    this.configurable =
      given && (given["thread_id"] === this.threadId || this.threadId === undefined)
        ? given
        : { ...given, ...(this.threadId !== undefined && { thread_id: this.threadId }) };
    const { checkpointer } = graph;
    this.ns = parent ? innerNs(parent, checkpointer === true) : "";
    const saver =
      checkpointer === false ? undefined : (parent?.run.saver ?? (checkpointer === true ? undefined : checkpointer));
    if (checkpointer === true && !parent) throw new Error("checkpointer: true cannot be used for root graphs.");
    if (saver) {
      if (this.threadId === undefined)
        throw new GraphValueError(
          "A graph with a checkpointer needs to know the thread: give { threadId } or { configurable: { thread_id } }.",
        );
      this.#saved = new SavedThread(
        this.spec,
        saver,
        { thread_id: this.threadId, checkpoint_ns: this.ns },
        config.durability ?? parent?.run.durability ?? "async",
      );
    }
    this.state = this.#saved ? {} : this.spec.fields.initial();
  }

  get saver(): SavedThread["saver"] | undefined {
    return this.#saved?.saver;
  }

  get durability(): SavedThread["durability"] | undefined {
    return this.#saved?.durability;
  }

  /** The outermost run. */
  get root(): Run {
    return this.parent?.run.root ?? this;
  }

  get runId(): string {
    return (this.#runId ??= this.config.runId ?? uuid6(Date.now(), 0));
  }

  /** The id of the checkpoint that the tasks come behind, whether or not it is saved. */
  get checkpointId(): string {
    return (this.#checkpointId ??= uuid6(Date.now(), Math.max(0, this.stepNumber)));
  }

  // The run.

  /** Runs the graph to its end, a question or a breakpoint. */
  async go(input: unknown): Promise<void> {
    try {
      if (this.#saved) await this.#load();
      else this.plan = this.spec.plan.open(this.#openOptions());
      const begun = this.#begin(input);
      if (begun) await begun;
      for (;;) {
        const { status } = this.#step;
        if (status === "done" || this.#stopped) break;
        if (status === "limit") throw recursionError(this.recursionLimit);
        if (status === "interrupt_after") {
          this.#stopped = true;
          break;
        }
        this.#prepare();
        if (status === "interrupt_before" && !this.tasks.every((task) => task.status)) {
          this.#stopped = true;
          break;
        }
        const work = this.#runTasks();
        if (work) await work;
        const failed = this.#failure();
        if (failed) throw failed.error;
        if (this.#ask()) break;
        this.#commit();
        if (this.#saved) {
          this.#saved.check();
          if (this.#saved.durability === "sync") await this.#saved.settled();
        }
        if (this.#streams) await null;
      }
      await this.#end();
    } catch (error) {
      this.closed = true;
      this.#controller?.abort(error);
      await this.#fail(error);
      throw error;
    } finally {
      this.closed = true;
      this.#unlisten?.();
      // Missing where opening has failed.
      (this.plan as PlanRun | undefined)?.free();
    }
  }

  #openOptions(state?: PlanState): Parameters<GraphSpec["plan"]["open"]>[0] {
    const { interruptBefore, interruptAfter } = this.graph.options;
    const before = this.#stops(this.config.interruptBefore ?? interruptBefore);
    const after = this.#stops(this.config.interruptAfter ?? interruptAfter);
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

  async #load(): Promise<void> {
    const saved = this.#saved as SavedThread;
    const { tuple, replaying } = await this.#find(saved);
    if (!tuple) {
      this.state = this.spec.fields.initial();
      this.plan = this.spec.plan.open(this.#openOptions());
      return;
    }
    const { plan, state, sends, held, others } = restored(this.spec, tuple);
    this.state = state;
    this.sends = sends;
    this.held = held;
    this.#others = others;
    this.#checkpointId = tuple.checkpoint.id;
    this.#parentId = tuple.parentConfig?.configurable?.checkpoint_id;
    if (tuple.metadata) this.#metadata = tuple.metadata;
    this.#pending = tuple.pendingWrites ?? [];
    saved.from(tuple, plan.versions);
    this.plan = this.spec.plan.open(this.#openOptions(plan));
    this.stepNumber = plan.step + 1;
    this.#replaying = replaying;
  }

  /** Whether the caller has named the checkpoint to go on from, and if so whether it is the newest. */
  #replaying: { head: boolean } | undefined;

  async #find(saved: SavedThread): Promise<{ tuple: CheckpointTuple | undefined; replaying?: { head: boolean } }> {
    const { saver } = saved;
    const { configurable } = this;
    const map = configurable["checkpoint_map"] as Record<string, string> | undefined;
    const id =
      (this.parent ? undefined : configurable["checkpoint_ns"] ? undefined : configurable["checkpoint_id"]) ??
      map?.[this.ns];
    if (id !== undefined) {
      const tuple = await saver.getTuple(saved.config(id as string));
      const newest = await saver.getTuple(saved.config());
      const source = tuple?.metadata?.source;
      const head = newest?.checkpoint.id === id && source !== "update" && source !== "fork";
      return { tuple, replaying: { head } };
    }
    const replay = this.parent?.run.replay;
    if (replay) {
      const name = this.ns.includes(":") ? this.ns.slice(0, this.ns.lastIndexOf(":")) : this.ns;
      if (!replay.visited.has(name)) {
        replay.visited.add(name);
        const before = { configurable: { checkpoint_id: replay.before } };
        for await (const tuple of saver.list(saved.config(), { before, limit: 1 })) return { tuple };
        return { tuple: undefined };
      }
    }
    return { tuple: await saver.getTuple(saved.config()) };
  }

  // How it begins.

  #begin(input: unknown): Promise<void> | undefined {
    this.#listen();
    this.tell("run-start", { input });
    const { parse } = this.spec.parts.input;
    if (parse && input !== null && input !== undefined && !isCommand(input)) {
      const parsed = parse(input as object);
      if (parsed instanceof Promise) return parsed.then((values) => this.#first(values));
      this.#first(parsed);
      return undefined;
    }
    this.#first(input);
    return undefined;
  }

  #first(input: unknown): void {
    const exists = this.#saved !== undefined && this.stepNumber >= 0;
    const command = isCommand(input) ? input : undefined;
    const resumes = command?.resume !== undefined && command.resume !== null;
    const inner = this.parent?.run.resuming ?? false;
    if (command) this.#take(command, resumes);
    this.resuming = exists && (inner || input === null || input === undefined || resumes);
    const travels = exists && this.#replaying !== undefined && !(resumes || inner || this.#replaying.head);
    if (travels) this.#pending = this.#pending.filter(([, channel]) => channel !== RESUME);
    this.#readAnswers();
    const theirs = this.#pending.filter(([id, channel]) => id === NULL_TASK && channel !== RESUME);
    if (this.resuming || command) {
      this.#goOn(theirs, travels);
    } else if (input === null || input === undefined) {
      throw new EmptyInputError(`Received no input writes for "__start__"`);
    } else this.#newInput(input);
    if (!this.parent && travels) this.replay = { before: this.#travelsFrom(), visited: new Set() };
  }

  /** Where time travel goes back to, for graphs inside. */
  #travelsFrom(): string {
    const { source } = this.#metadata;
    return ((source === "update" || source === "fork") && this.#parentId) || this.checkpointId;
  }

  #goOn(theirs: readonly CheckpointPendingWrite[], travels: boolean): void {
    const before = this.#metadata.source;
    if (theirs.length > 0 || !this.resuming) {
      const writes = this.#callersWrites(theirs);
      this.#step = this.plan.command(writes, this.resuming);
      this.#others["__input__"] ??= {};
      this.#clear(this.#step.cleared);
    } else this.#step = this.plan.resume();
    this.stepNumber = this.#step.step;
    if (!this.resuming) this.#put("input");
    else if (travels && before !== "update" && before !== "fork") {
      this.#pending = this.#pending.filter(([, channel]) => channel !== INTERRUPT);
      this.plan.nextStep();
      this.#step = { ...this.#step, step: ++this.stepNumber };
      this.#put("fork");
    }
    this.#emitValues();
  }

  /** Folds what the caller wrote, and returns it as the planner knows it. */
  #callersWrites(entries: readonly CheckpointPendingWrite[]): number[] {
    const { spec } = this;
    const updates: Values[] = [];
    const writes: number[] = [];
    const sends: Send[] = [];
    for (const [, channel, value] of entries) {
      const send = channel === "__pregel_tasks" ? toSend(value) : undefined;
      if (send) {
        sends.push(send);
        writes.push(spec.plan.send(spec.numbers.get(send.node) ?? -1));
        continue;
      }
      const number = spec.channelNumbers.get(channel);
      if (number === undefined) continue;
      if (number < spec.fields.keys.length) updates.push({ [channel]: value });
      else this.held.set(number, value);
      writes.push(number);
    }
    if (updates.length > 0) this.state = spec.fields.lay(this.state, updates);
    if (sends.length > 0) this.sends = sends;
    return writes;
  }

  #newInput(input: unknown): void {
    if (typeof input !== "object" || Array.isArray(input))
      throw new InvalidUpdateError(
        `A graph's input should be an object, not ${Array.isArray(input) ? "an array" : typeof input}.`,
        {
          lc_error_code: "INVALID_GRAPH_NODE_RETURN_VALUE",
        },
      );
    const { values, dropped } = this.spec.taken(input as Values);
    if (dropped.length > 0) this.#sayDropped(dropped);
    this.#pending = [];
    this.#step = this.plan.input();
    this.stepNumber = this.#step.step;
    this.#clear(this.#step.cleared);
    this.sends = [];
    this.held.set(this.spec.plan.start, values);
    if (this.streamsMessages) noteMessages(values, this.seenMessages);
    if (this.#saved) {
      this.#others["__input__"] ??= {};
      this.#put("input");
    }
  }

  #sayDropped(keys: readonly string[]): void {
    if (this.config.on ?? this.root.config.on ?? this.graph.options.on) this.tell("input-dropped", { keys });
    else if (!this.parent) console.warn(`The graph "${this.graph.name}" does not take: ${keys.join(", ")}.`);
  }

  #clear(cleared: readonly number[]): void {
    if (cleared.length === 0) return;
    const state = { ...this.state } as Record<string, unknown>;
    for (const number of cleared) delete state[this.spec.fields.keys[number] as string];
    this.state = state;
  }

  #take(command: Command, resumes: boolean): void {
    if (command.graph === "__parent__") throw new InvalidUpdateError("There is no parent graph.");
    if (resumes && !this.#saved) throw new Error("Cannot use Command(resume=...) without checkpointer");
    const entries: [string, unknown][] = [];
    const { goto } = command as { goto: unknown };
    for (const end of Array.isArray(goto) ? (goto as unknown[]) : goto ? [goto] : []) {
      if (isSend(end)) entries.push(["__pregel_tasks", end]);
      else if (typeof end === "string") entries.push([`branch:to:${end}`, PUSH_TO_START]);
      else throw new Error(`In Command.goto, expected Send or string, got ${typeof end}`);
    }
    const byId = resumes ? byIds(command.resume) : undefined;
    if (byId) this.answersById = byId;
    else if (resumes) {
      if (this.#questions().size > 1)
        throw new GraphValueError(
          "When there are multiple pending interrupts, you must specify the interrupt id when resuming.",
        );
      entries.push([RESUME, command.resume]);
    }
    for (const update of updatesOf(command)) entries.push(...Object.entries(update));
    if (entries.length === 0 && !byId) throw new EmptyInputError("Received empty Command input");
    if (entries.length === 0) return;
    this.#pending = [
      ...this.#pending.filter(([id]) => id !== NULL_TASK),
      ...entries.map(([channel, value]): CheckpointPendingWrite => [NULL_TASK, channel, value]),
    ];
    if (this.#saved && this.#saved.durability !== "exit" && this.#checkpointId)
      this.#saved.putWrites(this.#checkpointId, entries, NULL_TASK);
  }

  /** The questions of unfinished tasks, by id. */
  #questions(): Set<string> {
    const ids = new Set<string>();
    for (const [task, channel, value] of this.#pending)
      if (channel === INTERRUPT)
        for (const one of Array.isArray(value) ? (value as Interrupt[]) : [value as Interrupt]) ids.add(one.id ?? task);
    return ids;
  }

  #readAnswers(): void {
    const parent = this.parent?.run;
    this.answersById ??= parent?.answersById;
    if (parent?.answer) {
      this.answer = parent.answer;
      return;
    }
    const own = this.#pending.find(([id, channel]) => id === NULL_TASK && channel === RESUME);
    if (!own || own[2] === null || own[2] === undefined) return;
    // One that a task has taken is saved with the task, too.
    const value = own[2];
    const fresh = this.config && this.#freshAnswer;
    const text = fresh ? "" : JSON.stringify(value);
    const taken =
      !fresh &&
      this.#pending.some(
        ([id, channel, list]) =>
          id !== NULL_TASK && channel === RESUME && JSON.stringify([list].flat().at(-1)) === text,
      );
    if (!taken) this.answer = { value, taken: false };
  }
  #freshAnswer = false;

  /** Takes the answer that is for no task in particular; nothing if another task has. */
  takeAnswer(): { value: unknown } | undefined {
    const { answer } = this;
    if (!answer || answer.taken) return undefined;
    answer.taken = true;
    return answer;
  }

  // A super-step.

  #prepare(): void {
    const { tasks } = this.#step;
    this.tasks = tasks.map((planned, position) => new Task(this, planned, position));
    const first = this.#pending.length > 0 || this.answersById !== undefined;
    if (first && !this.#replaying) this.#matchSaved();
    else if (first) this.#matchAnswers(new Map());
    else if (this.answer)
      this.plan.answers(
        this.tasks.map(() => 0),
        !this.answer.taken,
      );
    if (this.#wants("checkpoints") && this.#saved) this.#emitCheckpoint();
    for (const task of this.tasks) if (task.restored && !task.hidden) this.#emitUpdates(task, true);
    if (this.#wants("tasks")) for (const task of this.tasks) this.#emitTask(task);
  }

  /** Gives tasks what earlier runs have saved of them. */
  #matchSaved(): void {
    const byTask = new Map<string, [string, unknown][]>();
    for (const [id, channel, value] of this.#pending) {
      if (id === NULL_TASK) continue;
      const list = byTask.get(id);
      if (list) list.push([channel, value]);
      else byTask.set(id, [[channel, value]]);
    }
    this.#matchAnswers(byTask);
    for (const task of [...this.tasks]) {
      const saved = byTask.get(task.id);
      if (!saved) continue;
      const done = saved.filter(([channel]) => !SPECIAL.has(channel));
      if (done.length > 0) task.restore(done);
      else if (saved.some(([channel]) => channel === ERROR_SOURCE)) {
        const [, error] = saved.find(([channel]) => channel === ERROR) ?? [];
        task.error = asError(error);
        task.status = "failed";
        this.#handle(task);
        const handled = this.tasks.at(-1) as Task;
        const handling = byTask.get(handled.id);
        if (handling?.some(([channel]) => !SPECIAL.has(channel))) handled.restore(handling);
      }
    }
  }

  #matchAnswers(byTask: ReadonlyMap<string, readonly [string, unknown][]>): void {
    const { answersById } = this;
    for (const task of this.tasks) {
      const saved = byTask.size > 0 ? byTask.get(task.id) : undefined;
      for (const [channel, value] of saved ?? []) if (channel === RESUME) task.answers.push(...[value].flat());
      if (!answersById) continue;
      const id = [task.interruptId(task.answers.length), task.interruptId(0)].find((one) =>
        Object.hasOwn(answersById, one),
      );
      if (id !== undefined) task.answers.push(answersById[id]);
    }
    this.plan.answers(
      this.tasks.map(({ answers }) => answers.length),
      this.answer !== undefined && !this.answer.taken,
    );
  }

  /** Runs the tasks that are not done. Returns a promise if that takes time. */
  #runTasks(): Promise<void> | undefined {
    const { signal } = this.config;
    if (signal?.aborted) throw aborted(signal);
    const most = this.config.maxConcurrency ?? this.parent?.run.config.maxConcurrency ?? Infinity;
    let next = 0;
    let running = 0;
    let resolve: (() => void) | undefined;
    const launch = () => {
      while (next < this.tasks.length && running < most) {
        const task = this.tasks[next++] as Task;
        if (task.status) continue;
        if (most !== Infinity && this.#failure()) break;
        if (this.#tracing) this.tell("task-start", { task });
        const work = task.start();
        if (!work) this.#ended(task);
        else {
          running++;
          void work.then(() => {
            running--;
            if (this.closed) return;
            this.#ended(task);
            launch();
            if (running === 0) resolve?.();
            else if (this.#failure()) void settle().then(() => resolve?.());
          });
        }
      }
    };
    launch();
    if (running === 0) return undefined;
    return new Promise<void>((done, reject) => {
      resolve = done;
      this.#wake = reject;
      // A node that has answered at once may have failed.
      if (this.#failure()) void settle().then(done);
    });
  }

  /** The first task that has failed for good. */
  #failure(): Task | undefined {
    return this.#failed;
  }
  #failed: Task | undefined;

  /** Notes how a task has ended. */
  #ended(task: Task): void {
    const { status } = task;
    if (status === "done") {
      if (this.#tracing) this.tell("task-end", { task, output: task.updates });
      if (this.#saved)
        this.#saveTask(task, task.answered ? [[RESUME, task.answers], ...task.entries()] : task.entries());
      if (this.#streams && !task.hidden) {
        this.#emitUpdates(task, false);
        if (this.streamsMessages) task.messages?.written(task.updates);
        if (this.#wants("tasks")) this.#emitResult(task);
      }
    } else if (status === "interrupted") {
      if (this.#tracing) this.tell("task-interrupt", { task });
      const { interrupts } = task;
      if (interrupts.length === 0) return;
      const asked: [string, unknown][] = [[INTERRUPT, interrupts.length === 1 ? interrupts[0] : interrupts]];
      if (task.answered) asked.push([RESUME, task.answers]);
      if (this.#saved) this.#saveTask(task, asked);
      this.#emit("updates", { [INTERRUPT]: interrupts });
      this.#emit("values", { [INTERRUPT]: interrupts });
      if (this.#wants("tasks")) this.#emitResult(task);
    } else this.#endedBadly(task);
  }

  #endedBadly(task: Task): void {
    const { error } = task;
    if (error instanceof ParentCommand || (error as Error | undefined)?.name === "ParentCommand") {
      this.#failed ??= task;
      return;
    }
    if (this.#tracing) this.tell("task-error", { task, error });
    const saved: [string, unknown][] = [
      [ERROR, { message: (error as Error)?.message ?? String(error), name: (error as Error)?.name ?? "Error" }],
    ];
    const handled = task.node.handler !== undefined;
    if (handled) saved.push([ERROR_SOURCE, task.name]);
    if (this.#saved) this.#saveTask(task, saved);
    if (this.#wants("tasks")) this.#emitResult(task);
    if (handled) {
      this.#handle(task);
      if (this.#wants("tasks")) this.#emitTask(this.tasks.at(-1) as Task);
    } else if (!this.#failed) {
      this.#failed = task;
      this.#controller?.abort(error);
    }
  }

  /** Has a failed task's handler run, in the same super-step. */
  #handle(task: Task): void {
    task.status = "handled";
    this.#step = this.plan.addHandler(task.position, task.node.handler as number);
    const position = this.#step.tasks.length - 1;
    const handler = new Task(this, this.#step.tasks[position] as Step["tasks"][number], position);
    handler.failure = new NodeError(task.name, asError(task.error));
    this.tasks.push(handler);
  }

  #saveTask(task: Task, entries: [string, unknown][]): void {
    for (const [channel, value] of entries) this.#pending.push([task.id, channel, value]);
    if (this.#saved?.durability !== "exit") this.#saved?.putWrites(this.checkpointId, entries, task.id);
  }

  /** Whether a task asks something: then the run ends. */
  #ask(): boolean {
    const asking = this.tasks.filter(({ status }) => status === "interrupted");
    if (asking.length === 0) return false;
    this.#stopped = true;
    this.#interrupts = asking.flatMap(({ interrupts }) => interrupts);
    // What the others have written is shown, and stays theirs.
    const updates = this.#updates();
    if (updates.length > 0) {
      this.#shown = this.spec.fields.step(this.state, updates);
      this.#emit("values", this.#valuesOf(this.#shown));
    }
    return true;
  }

  /** What the tasks have written, in the order in which it counts. */
  #updates(): Values[] {
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
    const { spec, tasks } = this;
    const { fields } = spec;
    const updates = this.#updates();
    const before = this.state;
    const [only] = tasks;
    let state = before;
    // A condition that has read the only task's state has folded it.
    if (tasks.length === 1 && only?.folded && fields.ephemeral.length === 0) state = only.folded;
    else if (updates.length > 0 || fields.ephemeral.length > 0) state = fields.step(before, updates);
    const { order } = this.#step;
    const step = this.plan.commit(tasks.map(({ writes }) => writes));
    let sends: Send[] | undefined;
    for (const at of order) {
      const task = tasks[at] as Task;
      if (task.sends.length > 0) sends = sends ? [...sends, ...task.sends] : task.sends;
      if (this.#saved) {
        task.holdBranches(this.held);
        if (task.planned.send !== -1) this.#others[task.name] ??= {};
      }
    }
    this.#step = step;
    this.stepNumber = step.step;
    this.state = state;
    this.sends = sends ?? [];
    this.#pending = [];
    this.resuming = false;
    this.#replaying = undefined;
    this.#checkpointId = undefined;
    if (this.#saved) this.#put("loop", growth(fields, before, state, updates));
    if (this.#streams && updates.length > 0) this.#emitValues();
  }

  // How it ends.

  async #end(): Promise<void> {
    const saved = this.#saved;
    if (saved?.durability === "exit" && (!this.parent || this.#stopped)) this.#putAtExit();
    if (this.#stopped && this.#interrupts.length === 0 && !this.parent) {
      this.#emit("updates", { [INTERRUPT]: [] });
      this.#emit("values", { [INTERRUPT]: [] });
    }
    if (saved) await saved.settled();
    this.tell(this.#stopped ? "run-interrupt" : "run-end", { output: this.state });
    if (this.#stopped && this.parent) throw new GraphInterrupt(this.#interrupts);
  }

  async #fail(error: unknown): Promise<void> {
    const saved = this.#saved;
    const inner = error instanceof GraphInterrupt;
    try {
      if (saved?.durability === "exit" && this.#step && !inner) this.#putAtExit();
      await saved?.settled();
    } catch {
      // The first error is the one to throw.
    }
    if (!inner) this.tell("run-error", { error });
  }

  /** What a caller gets. */
  result(): Record<string, unknown> {
    const values = picked(this.#shown ?? this.state, this.spec.outputs);
    if (this.#stopped) values[INTERRUPT] = this.#interrupts;
    return values;
  }

  // Checkpoints.

  #put(source: CheckpointMetadata["source"], grown?: Record<string, readonly unknown[]>): void {
    const saved = this.#saved;
    if (!saved) return;
    this.#parentId = this.#checkpointId ?? this.#parentId;
    this.#metadata = { source, step: this.stepNumber - 1, parents: this.#parents() };
    this.#checkpointId = uuid6(Date.now(), Math.max(0, this.stepNumber));
    if (saved.durability !== "exit") saved.put(this.#snapshot(), this.#metadata, grown);
  }

  #putAtExit(): void {
    const saved = this.#saved as SavedThread;
    const id = this.checkpointId;
    saved.put(this.#snapshot(), this.#metadata);
    for (const task of new Set(this.#pending.map(([of]) => of))) {
      const own = this.#pending.filter(([of]) => of === task);
      saved.putWrites(
        id,
        own.map(([, channel, value]) => [channel, value]),
        task,
      );
    }
  }

  #snapshot(): Snapshot {
    const { state, sends, held } = this;
    return { id: this.checkpointId, plan: this.plan.state(), state, sends, held, others: this.#others };
  }

  /** The checkpoint of each graph around this one. */
  #parents(): Record<string, string> {
    const parents: Record<string, string> = {};
    for (let run = this.parent?.run; run; run = run.parent?.run) parents[run.ns] = run.checkpointId;
    return parents;
  }

  // Signals and time.

  /** Is aborted when the run fails or the caller aborts it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    const given = this.config.signal ?? this.parent?.run.signal;
    return given ? AbortSignal.any([given, this.#controller.signal]) : this.#controller.signal;
  }

  #listen(): void {
    const { signal } = this.config;
    if (!signal) return;
    if (signal.aborted) throw aborted(signal);
    const stop = () => this.#wake?.(aborted(signal));
    signal.addEventListener("abort", stop, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", stop);
  }

  /** Waits, but not beyond the run's end. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    });
  }

  // Streams.

  #wants(mode: string): boolean {
    return this.#streams?.wants(mode, this.parent !== undefined) ?? false;
  }

  streams(mode: "custom" | "messages", up = false): boolean {
    return this.#streams?.wants(mode, !up && this.parent !== undefined) ?? false;
  }

  /** What graphs inside send to. */
  get shownInside(): RunStreams | undefined {
    return this.#streams;
  }

  get streamsMessages(): boolean {
    return this.#streams?.wants("messages", false) ?? false;
  }

  /** The ids of messages that were sent, or need not be. */
  get seenMessages(): Set<string> {
    const { root } = this;
    return (root.#seenMessages ??= new Set());
  }

  messageStream(task: Task): MessageStream {
    return new MessageStream(task, this.seenMessages);
  }

  get #path(): string[] {
    return this.ns === "" ? [] : this.ns.split("|");
  }

  /** Sends to who streams the graph, or a graph around it that shows those inside. */
  #emit(mode: string, payload: unknown): void {
    if (this.#wants(mode)) this.#streams?.push(this.#path, mode, payload, this.stepNumber);
  }

  /** Sends also from inside of graphs whose streams show only themselves. */
  emitUp(mode: "custom" | "messages", payload: unknown): void {
    if (this.#streams?.wants(mode, false)) this.#streams.push(this.#path, mode, payload, this.stepNumber);
  }

  #valuesOf(state: Values): Record<string, unknown> {
    return picked(state, this.spec.fields.keys);
  }

  #emitValues(): void {
    if (this.#wants("values")) this.#emit("values", this.#valuesOf(this.state));
  }

  #emitUpdates(task: Task, cached: boolean): void {
    if (!this.#wants("updates")) return;
    const { numbers } = this.spec.fields;
    const counts = new Map<string, number>();
    for (const update of task.updates)
      for (const key of Object.keys(update)) if (numbers.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    const entries = task.updates.flatMap((update) => Object.entries(update).filter(([key]) => numbers.has(key)));
    const twice = [...counts.values()].some((count) => count > 1);
    this.#emit("updates", {
      [task.name]: twice ? entries.map(([key, value]) => ({ [key]: value })) : Object.fromEntries(entries),
      ...(cached && { __metadata__: { cached: true } }),
    });
  }

  #emitTask(task: Task): void {
    if (task.hidden || task.status) return;
    const { id, name, input, triggers } = task;
    this.#emit("tasks", { id, name, input, triggers, interrupts: [] });
  }

  #emitResult(task: Task): void {
    if (task.hidden) return;
    const { id, name, interrupts, error } = task;
    const result: Record<string, unknown> = {};
    for (const [key, value] of task.status === "done" ? task.entries() : []) {
      if (!this.spec.fields.numbers.has(key)) continue;
      const was = result[key] as { $writes?: unknown[] } | undefined;
      result[key] = key in result ? { $writes: [...(was?.$writes ?? [was]), value] } : value;
    }
    const message = error === undefined ? {} : { error: (error as Error)?.message ?? String(error) };
    this.#emit("tasks", { id, name, result, interrupts, ...message });
  }

  #emitCheckpoint(): void {
    const saved = this.#saved as SavedThread;
    const config = saved.config(this.checkpointId);
    this.#emit("checkpoints", {
      config,
      values: this.#valuesOf(this.state),
      metadata: this.#metadata,
      next: this.tasks.map(({ name }) => name),
      tasks: this.tasks.map(({ id, name, path }) => ({ id, name, path, interrupts: [] })),
      ...(saved.parentConfig && { parentConfig: saved.parentConfig }),
    });
  }

  get #tracing(): boolean {
    return (this.config.on ?? this.root.config.on ?? this.graph.options.on) !== undefined;
  }

  /** Tells who traces. */
  tell(
    type: TraceEvent["type"],
    more: { task?: Task; input?: unknown; output?: unknown; error?: unknown; keys?: readonly string[] },
  ): void {
    const on = this.config.on ?? this.root.config.on ?? this.graph.options.on;
    if (!on) return;
    const { task, ...rest } = more;
    try {
      on({
        type,
        runId: this.runId,
        graph: this.graph.name,
        threadId: this.threadId,
        ns: this.#path,
        parentTaskId: this.parent?.id,
        step: this.stepNumber,
        time: Date.now(),
        ...(task && { node: task.name, taskId: task.id, attempt: task.attempt }),
        ...(type === "task-start" && { input: task?.input }),
        ...rest,
      });
    } catch (error) {
      console.error("What listens to a graph's run threw:", error);
    }
  }
}

const SPECIAL = new Set([ERROR, ERROR_SOURCE, INTERRUPT, RESUME]);

/** The namespace of a graph that runs inside a task: a second one in the same task gets a number. */
function innerNs(task: Task, kept: boolean): string {
  const count = task.subgraphs++;
  const ns = count > 0 ? `${task.ns}|${count}` : task.ns;
  return kept
    ? ns
        .split("|")
        .map((part) => part.split(":")[0])
        .join("|")
    : ns;
}

/** Answers by the ids of questions; undefined if it is one answer. */
function byIds(resume: unknown): Record<string, unknown> | undefined {
  if (typeof resume !== "object" || resume === null || Array.isArray(resume)) return undefined;
  const ids = Object.keys(resume);
  return ids.length > 0 && ids.every((id) => /^[0-9a-f]{32}$/.test(id))
    ? (resume as Record<string, unknown>)
    : undefined;
}

function recursionError(limit: number): GraphRecursionError {
  return new GraphRecursionError(
    `Recursion limit of ${limit} reached without hitting a stop condition. ` +
      'You can increase the limit by setting the "recursionLimit" config key.',
    { lc_error_code: "GRAPH_RECURSION_LIMIT" },
  );
}

function aborted(signal: AbortSignal): Error {
  const error = new BaseLangGraphError("Abort", { cause: signal.reason });
  error.name = "AbortError";
  return error;
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  const { message, name } = (error ?? {}) as Partial<Error>;
  return Object.assign(new Error(message ?? String(error)), name ? { name } : {});
}

/** Lets what has answered already be noted. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await null;
}
