// A graph, its checkpoint and its steps, in the numbers of the planner.

/** A compiled graph in numbers. Nodes are 0 … n-1 in order of insertion; `__start__` is node n. */
export interface PlanSpec {
  /** For each field, in the schema's order: whether it loses its value in a step in which nobody writes it. */
  readonly fields: readonly boolean[];
  /** For each node, in order of insertion: whether it waits until nothing else can run. */
  readonly defer: readonly boolean[];
  /** Each node's place in the order of names, `__start__`'s last of the list. */
  readonly ranks: readonly number[];
  /** List edges, in order of insertion; a member may be `__start__`. */
  readonly joins: readonly { readonly from: readonly number[]; readonly to: number }[];
  /** Counts versions as langgraph for Python does. For recorded answers. */
  readonly python?: boolean;
}

/** A checkpoint in numbers. Lists of versions go by the channel's number. */
export interface PlanState {
  /** The step of its metadata; -2 for a thread that has none. */
  step: number;
  /** Versions; 0 for a channel that has none yet. */
  versions: number[];
  /** The version of a trigger that its node has seen, or 0: `versions_seen[node][trigger]`. */
  seen: number[];
  /** `versions_seen.__interrupt__`. */
  breakpoints: number[];
  /** The highest version of channels that the checkpoint has and the graph has not. */
  floor?: number;
  /** Which of `__start__`, `branch:to:N` and the fields that clear hold a value. */
  held: number[];
  /** Which channels of deferred nodes are `finished`. */
  finished: number[];
  /** For each join, the nodes that have arrived, in that order. */
  joins: number[][];
  /** The node of each Send; -1 for one that the graph does not have. */
  sends: number[];
  /** The fields that the last step updated, if known. */
  updated?: number[];
}

/** A task of a step. */
export interface PlannedTask {
  readonly node: number;
  /** The index of its Send; -1 if its node was triggered; -2 - the position of the task whose error it handles. */
  readonly send: number;
  /** The first of its node's triggers that triggered it, which langgraph.js's ids name; -1 if none did. */
  readonly trigger: number;
}

/** `interrupt_before`: nothing is to run, unless all tasks have saved writes. `interrupt_after`: `tasks` is empty. */
export type PlanStatus = "tasks" | "done" | "limit" | "interrupt_before" | "interrupt_after";

/** The next step to run. */
export interface Step {
  readonly status: PlanStatus;
  /** The number of the step that the tasks are of. A checkpoint that is due has the number before it. */
  readonly step: number;
  /** In the order in which they start. */
  readonly tasks: readonly PlannedTask[];
  /** Positions in `tasks`, in the order in which their writes count. */
  readonly order: readonly number[];
  /** The fields that just lost their values. */
  readonly cleared: readonly number[];
}

/** A task's writes to channels: their numbers, and `plan.send(node)`. */
export type PlanWrites = readonly number[];

/** The writer in `PlanRun.apply`: a task by its position, a node, or the input. */
export type PlanWriter =
  | { readonly task: number; readonly writes: PlanWrites }
  | { readonly node: number; readonly writes: PlanWrites }
  | { readonly writes: PlanWrites };

export interface PlanOptions {
  /** A checkpoint's; without one the thread is new. */
  readonly state?: PlanState | undefined;
  readonly recursionLimit: number;
  readonly interruptBefore?: readonly number[] | "*" | undefined;
  readonly interruptAfter?: readonly number[] | "*" | undefined;
}
