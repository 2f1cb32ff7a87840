// A task that does not run: it is looked at, or its writes come from an earlier run or a caller.
import { GraphInterrupt } from "../build/graph-errors.js";
import { type ContextScope, type ContextTask, NodeContext } from "../given/node-context.js";
import type { PlannedTask } from "../planner/plan-types.js";
import type { Values } from "../types.js";
import { interruptId } from "../ids/ids.js";
import { type ResultTask, takeResult } from "../task/take-result.js";
import { type TaskHome, TaskPlace } from "../task/task-place.js";
import { TaskWrites } from "../task/task-writes.js";

/** Nobody has called a run. */
const NO_RUN: ContextScope = {
  config: {},
  context: undefined,
  configurable: {},
  threadId: undefined,
  recursionLimit: 25,
  store: undefined,
};

export class ThreadTask implements ResultTask, ContextTask {
  readonly place: TaskPlace;
  readonly writes: TaskWrites;
  /** Whether an earlier run finished it. */
  isDone = false;
  folded: Values | undefined = undefined;

  constructor(home: TaskHome, planned: PlannedTask, position: number) {
    this.place = new TaskPlace(home, planned, position);
    this.writes = new TaskWrites(this.place);
  }

  /** Writes as if the node had answered. */
  async answer(output: unknown): Promise<void> {
    await takeResult(this, output);
    this.isDone = true;
  }

  updated(): void {}

  // The values of the context that a condition may read.

  get context(): NodeContext {
    return new NodeContext(this);
  }

  get scope(): ContextScope {
    return NO_RUN;
  }

  get attempt(): number {
    return 1;
  }

  get begun(): number {
    return Date.now();
  }

  get signal(): AbortSignal {
    return new AbortController().signal;
  }

  get hasSignal(): boolean {
    return false;
  }

  get givesMore(): boolean {
    return false;
  }

  hears(): boolean {
    return false;
  }

  interrupt(value: unknown): never {
    throw new GraphInterrupt([{ id: interruptId(this.place.ns), value }]);
  }

  write(): void {}

  message(): void {}

  heartbeat(): void {}

  callbacks(): undefined {
    return undefined;
  }

  writtenBeside(): readonly never[] {
    return [];
  }
}
