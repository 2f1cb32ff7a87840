// The planner of graphs, which is in the wasm: a graph, a checkpoint and a step as numbers. Values, names, time and I/O
// are the host's.
import { call, enter, leave, RawPlan, type RawRun, room, ThreadfoldError } from "#agent-core";
import type {
  PlanOptions,
  PlanSpec,
  PlanState,
  PlanStatus,
  PlanWriter,
  PlanWrites,
  PlannedTask,
  Step,
} from "./plan-types.js";

// In the order of crates/agent-wasm/src/graph.rs.
const STATUS: readonly PlanStatus[] = ["tasks", "done", "limit", "interrupt_before", "interrupt_after"];
const INPUT = 0;
const RESUME = 1;
const COMMAND = 2;
const COMMAND_AND_RESUME = 3;
const COMMIT = 4;
const HANDLER = 5;
const PEEK = 6;
const APPLY = 7;
const ADVANCE = 8;
const LAST_NODE = 9;
const STATE = 10;
const ANSWERS = 11;
const INTERRUPT = 12;
const RESTART = 13;
const OPEN = 14;
const START = 15;

// The kinds of channels in a state.
const HELD = 1;
const FINISHED = 2;
const UPDATED = 4;

const NONE: readonly number[] = Object.freeze([] as number[]);

/** The order of one task. */
const ALONE: readonly number[] = Object.freeze([0]);

const NO_TASKS: readonly PlannedTask[] = Object.freeze([]);

/** How many runs that have ended are kept, to begin anew: making one costs as much as a super-step. */
const KEPT = 8;

/** Writes lists of numbers into the buffer, each after its length. */
class Sheet {
  length = 0;

  push(number: number): this {
    room(this.length + 1)[this.length++] = number;
    return this;
  }

  list(list: readonly (number | boolean)[]): this {
    let at = this.length;
    const all = room(at + list.length + 1);
    all[at++] = list.length;
    for (let of = 0; of < list.length; of++) all[at++] = Number(list[of]);
    this.length = at;
    return this;
  }
}

function refuse(): never {
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    "A number of the graph or of its checkpoint fits no channel, node or task.",
  );
}

/** A graph as the planner knows it. */
export class Plan {
  /** The number of channels. */
  readonly channels: number;
  /** The channel `__start__`. */
  readonly start: number;
  /** The channel `__pregel_tasks`. */
  readonly sends: number;
  readonly #spec: PlanSpec;
  readonly #raw: RawPlan;
  readonly #ended: RawRun[] = [];

  constructor(spec: PlanSpec) {
    this.#spec = spec;
    const sheet = new Sheet().push(Number(spec.python ?? false));
    sheet.list(spec.fields).list(spec.defer).list(spec.ranks);
    for (const { from, to } of spec.joins) sheet.push(to).list(from);
    this.#raw = call(() => RawPlan.of(sheet.length)) ?? refuse();
    this.start = spec.fields.length;
    this.sends = this.start + 1;
    this.channels = this.join(spec.joins.length);
  }

  /** Returns the channel `branch:to:N`. */
  branch(node: number): number {
    return this.start + 2 + node;
  }

  /** Returns the channel of a list edge. */
  join(index: number): number {
    return this.branch(this.#spec.defer.length) + index;
  }

  /** Returns the write of a Send; -1 is a node that the graph does not have. */
  send(node: number): number {
    return this.channels + (node < 0 ? this.#spec.defer.length : node);
  }

  /** Begins a run. */
  open({ state, recursionLimit, interruptBefore, interruptAfter }: PlanOptions): PlanRun {
    const sheet = new Sheet().push(recursionLimit);
    for (const nodes of [interruptBefore, interruptAfter])
      sheet.list(nodes === "*" ? Array.from({ length: this.#spec.defer.length }, (_, node) => node) : (nodes ?? NONE));
    if (state) this.#writeState(sheet, state);
    return new PlanRun(this.#ended.pop() ?? call(() => this.#raw.run()), this, sheet.length);
  }

  /** @internal */
  keep(ended: RawRun): void {
    if (this.#ended.length < KEPT) this.#ended.push(ended);
    else ended.free();
  }

  free(): void {
    for (const ended of this.#ended) ended.free();
    this.#ended.length = 0;
    this.#raw.free();
  }

  #writeState(sheet: Sheet, state: PlanState): void {
    sheet
      .push(state.step)
      .push(state.floor ?? 0)
      .push(Number(state.updated !== undefined));
    // A number below zero is not a node.
    sheet.list(state.sends.map((node) => (node < 0 ? this.channels : node)));
    sheet.list(state.joins.flatMap((nodes, join) => nodes.flatMap((node) => [this.join(join), node])));
    const flags = state.versions.map(() => 0);
    for (const [flag, list] of [
      [HELD, state.held],
      [FINISHED, state.finished],
      [UPDATED, state.updated ?? NONE],
    ] as const)
      for (const channel of list) flags[channel] = (flags[channel] ?? 0) | flag;
    for (let at = 0; at < flags.length; at++) {
      for (const list of [state.versions, state.seen, state.breakpoints, flags]) sheet.push(list[at] ?? NaN);
    }
  }

  /** @internal */
  readState(all: Float64Array): PlanState {
    let at = 4;
    const [step, highest, knows, sent] = all as unknown as [number, number, number, number];
    const nodes = this.#spec.defer.length;
    const state: PlanState = {
      step,
      versions: [],
      seen: [],
      breakpoints: [],
      held: [],
      finished: [],
      joins: this.#spec.joins.map(() => []),
      sends: [],
    };
    for (const end = at + sent; at < end; at++)
      state.sends.push((all[at] as number) < nodes ? (all[at] as number) : -1);
    for (let left = all[at++] as number; left > 0; left -= 2) {
      state.joins[(all[at] as number) - this.join(0)]?.push(all[at + 1] as number);
      at += 2;
    }
    const updated: number[] = [];
    let top = 0;
    for (let channel = 0; channel < this.channels; channel++) {
      const version = all[at++] as number;
      top = Math.max(top, version);
      state.versions.push(version);
      state.seen.push(all[at++] as number);
      state.breakpoints.push(all[at++] as number);
      const flags = all[at++] as number;
      if (flags & HELD && channel !== this.sends && channel < this.join(0)) state.held.push(channel);
      if (flags & FINISHED) state.finished.push(channel);
      if (flags & UPDATED) updated.push(channel);
    }
    if (knows === 1) state.updated = updated;
    if (highest > top) state.floor = highest;
    return state;
  }
}

/** One run of a graph. Each method is one call of the wasm; one that throws has changed nothing. */
export class PlanRun {
  private raw: RawRun | undefined;

  /** @internal */
  constructor(
    raw: RawRun,
    private readonly plan: Plan,
    length: number,
  ) {
    this.raw = raw;
    this.#act(OPEN, length);
  }

  /** Takes new input. A checkpoint `"input"` is due. */
  input(): Step {
    return this.#step(INPUT, 0);
  }

  /** Takes new input and ends its step: `writes` is what `__start__` wrote. No checkpoint is due. */
  start(writes: PlanWrites): Step {
    return this.#step(START, new Sheet().list(writes).length);
  }

  /** Goes on where the thread was left. No checkpoint is due. */
  resume(): Step {
    return this.#step(RESUME, 0);
  }

  /** Takes a command's writes. Unless it is a resume as well, a checkpoint `"input"` is due. */
  command(writes: PlanWrites, resume: boolean): Step {
    return this.#step(resume ? COMMAND_AND_RESUME : COMMAND, new Sheet().list(writes).length);
  }

  /** Ends the step: all tasks are finished, and this is what each wrote. A checkpoint `"loop"` is due. */
  commit(tasks: readonly { readonly writes: { readonly channels: PlanWrites } }[]): Step {
    let at = 0;
    for (let task = 0; task < tasks.length; task++) {
      const list = (tasks[task] as (typeof tasks)[number]).writes.channels;
      const all = room(at + list.length + 1);
      all[at++] = list.length;
      for (let of = 0; of < list.length; of++) all[at++] = list[of] as number;
    }
    return this.#step(COMMIT, at);
  }

  /** Adds the task of an error's handler, at the end of `tasks`. */
  addHandler(failed: number, handler: number): Step {
    return this.#step(HANDLER, new Sheet().push(failed).push(handler).length);
  }

  /** Finds the tasks that the state implies and changes nothing: no limit holds, no breakpoint. */
  peek(): Step {
    return this.#step(PEEK, 0);
  }

  /** Applies writes as a step, without going on. Returns the fields that lost their values. */
  apply(writers: readonly PlanWriter[]): readonly number[] {
    const sheet = new Sheet().list(
      writers.map((writer) => ("task" in writer ? writer.task : "node" in writer ? -2 - writer.node : -1)),
    );
    for (const { writes } of writers) sheet.list(writes);
    return this.#step(APPLY, sheet.length).cleared;
  }

  /** Counts a step: a checkpoint was put. */
  nextStep(): void {
    this.#act(ADVANCE, 0);
  }

  /** Returns the node as which a state is updated if none is named; -1: there is no such one. */
  lastNode(): number {
    return this.#act(LAST_NODE, 0)[0] as number;
  }

  /** Returns everything, for a checkpoint. */
  state(): PlanState {
    return this.plan.readState(this.#act(STATE, 0));
  }

  /** Says how many answers each task has, and whether there is one for no task in particular. */
  answers(saved: readonly number[], shared: boolean): void {
    this.#act(ANSWERS, new Sheet().push(Number(shared)).list(saved).length);
  }

  /** Returns what a task's next interrupt gets: its answer of this index, the one for no task, or none. */
  interrupt(task: number): number | "take" | "raise" {
    const answer = this.#act(INTERRUPT, new Sheet().push(task).length)[0] as number;
    return answer >= 0 ? answer : answer === -1 ? "take" : "raise";
  }

  /** Has a task start over: its next interrupt is the first again. */
  restart(task: number): void {
    this.#act(RESTART, new Sheet().push(task).length);
  }

  /** Ends it: another run may begin with what it had. */
  free(): void {
    const { raw } = this;
    this.raw = undefined;
    if (raw) this.plan.keep(raw);
  }

  #step(what: number, length: number): Step {
    return readStep(this.#act(what, length));
  }

  #act(what: number, length: number): Float64Array {
    const { raw } = this;
    if (!raw) refuse();
    // As `call` does, but without a function for each step.
    enter();
    let answer: number;
    try {
      answer = raw.act(what, length);
    } catch (error) {
      leave();
      throw error;
    }
    if (answer === 0) refuse();
    return room(answer);
  }
}

// A number of the buffer is a double until an operator makes a small integer of it.

/** Faster than what arrays have for it, on the few numbers that there are. */
function copy(all: Float64Array, from: number, to: number): readonly number[] {
  if (from === to) return NONE;
  // An array that grows by a push has room for a dozen.
  const list = [(all[from] as number) | 0];
  for (let at = from + 1; at < to; at++) list.push((all[at] as number) | 0);
  return list;
}

function readStep(all: Float64Array): Step {
  const count = (all[2] as number) | 0;
  const tasks = count === 0 ? NO_TASKS : [readTask(all, 4)];
  let at = 4;
  for (let task = 1; task <= count; task++) {
    at += 3 + ((all[at + 2] as number) | 0);
    if (task < count) (tasks as PlannedTask[]).push(readTask(all, at));
  }
  const order = count === 1 ? ALONE : copy(all, at, at + count);
  const cleared = all[3] === 0 ? NONE : copy(all, at + count, at + count + (all[3] as number));
  return { status: STATUS[all[0] as number] as PlanStatus, step: all[1] as number, tasks, order, cleared };
}

function readTask(all: Float64Array, at: number): PlannedTask {
  return {
    node: (all[at] as number) | 0,
    send: (all[at + 1] as number) | 0,
    trigger: all[at + 2] === 0 ? -1 : (all[at + 3] as number) | 0,
  };
}
