// One task of a super-step: a node, run until it has answered, failed for good, or asked something.
import { Command } from "../build/command.js";
import {
  GraphInterrupt,
  isGraphBubbleUp,
  isGraphInterrupt,
  isParentCommand,
  type NodeError,
} from "../build/graph-errors.js";
import type { OpenInterrupt } from "../build/interrupt.js";
import { type ContextTask, NodeContext } from "../given/node-context.js";
import type { PlannedTask } from "../planner/plan-types.js";
import { retryDelay } from "../build/retry.js";
import type { StreamConfig } from "../given/run-config.js";
import type { Values } from "../types.js";
import { type TimeoutPolicy, timeoutPolicy } from "../build/timeout.js";
import { isPromise } from "../../shared/is-promise.js";
import { type ResultTask, takeResult } from "../task/take-result.js";
import { TaskPlace } from "../task/task-place.js";
import { type StepTask, type TaskStatus, TaskWrites } from "../task/task-writes.js";
import type { InterruptibleTask } from "./resume-values.js";
import { AttemptTimes } from "./attempt-times.js";
import { identified, withMessageIds } from "./message-ids.js";
import { messageCallbacks, type MessageStream } from "./message-stream.js";
import { TaskInterrupts } from "./task-interrupts.js";
import type { RunParts } from "./run-parts.js";
import type { RunScope } from "./run-scope.js";
import type { Stoppable } from "./stops.js";

const NONE: readonly never[] = [];

/** The graphs that a task runs inside: how many in this attempt, and those that resume. */
export interface InnerRuns {
  count: number;
  readonly open: Set<Stoppable>;
  /** The namespaces of those that began, in earlier attempts too. */
  readonly begun: Set<string>;
}

export class Task implements StepTask, ResultTask, ContextTask, InterruptibleTask {
  readonly run: RunParts;
  readonly place: TaskPlace;
  readonly writes: TaskWrites;
  status: TaskStatus = "";
  error: unknown = undefined;
  folded: Values | undefined = undefined;
  /** The error that its node handles, if it is another's error handler. */
  failure: NodeError | undefined = undefined;
  #context: NodeContext | undefined = undefined;
  // Most tasks need none of these.
  #interrupts: TaskInterrupts | undefined = undefined;
  #attempts: AttemptTimes | undefined = undefined;
  #messages: MessageStream | undefined = undefined;
  #inner: InnerRuns | undefined = undefined;

  constructor(run: RunParts, planned: PlannedTask, position: number) {
    this.run = run;
    this.place = new TaskPlace(run, planned, position);
    this.writes = new TaskWrites(this.place);
  }

  get ownInterrupts(): TaskInterrupts {
    return (this.#interrupts ??= new TaskInterrupts(this.place));
  }

  /** Its open interrupts. */
  get interrupts(): readonly OpenInterrupt[] {
    return this.#interrupts?.open ?? NONE;
  }

  /** The answers to save with it; undefined if its interrupts got none. */
  get savedAnswers(): readonly unknown[] | undefined {
    return this.#interrupts?.isAnswered ? this.#interrupts.answers : undefined;
  }

  get inner(): InnerRuns {
    return (this.#inner ??= { count: 0, open: new Set(), begun: new Set() });
  }

  get attempts(): AttemptTimes {
    return (this.#attempts ??= new AttemptTimes());
  }

  // How it runs.

  /** Runs the node. Returns a promise only if it does not answer at once; the promise does not reject. */
  start(): PromiseLike<void> | undefined {
    const { place } = this;
    try {
      const { isHidden } = place;
      const output = isHidden ? place.input : this.#call();
      if (isPromise(output)) return this.#await(output, false);
      // The input was checked as it came.
      return this.#take(output, isHidden);
    } catch (error) {
      return this.#recover(error);
    }
  }

  #call(): unknown {
    const { place, run } = this;
    const { node, planned } = place;
    const sent = planned.send >= 0 ? timeoutPolicy(run.at.sends[planned.send]?.timeout) : undefined;
    const policy = sent ?? node.timeout;
    if (node.options.retryPolicy) void this.attempts.begun;
    return policy ? this.#inTime(policy) : this.#work();
  }

  #inTime(policy: TimeoutPolicy): unknown {
    const { attempts } = this;
    attempts.time(this.place.name, policy, this.run.stops.linked);
    return attempts.race(this.#work(), (error) => this.stop(error));
  }

  #work(): unknown {
    const { failure, place } = this;
    const { input } = place;
    const { action } = place.node;
    const ctx = (this.#context = new NodeContext(this)) as NodeContext<never, never>;
    if (typeof action !== "function") return action.invoke(input, ctx);
    const work = action as (...given: unknown[]) => unknown;
    return failure ? work(input, failure, ctx) : work(input, ctx);
  }

  /** Takes the node's answer. Returns a promise if checks or conditions take time. */
  #take(output: unknown, isChecked: boolean): PromiseLike<void> | undefined {
    const deciding = takeResult(this, output, isChecked);
    if (deciding) return this.#await(deciding, true);
    this.status = "done";
    return undefined;
  }

  /** Waits for the node's answer, or with `isTaken` for what takes it. */
  async #await(work: PromiseLike<unknown>, isTaken: boolean): Promise<void> {
    try {
      const output = await work;
      if (!isTaken) {
        if (this.run.stops.isClosed) return;
        const deciding = takeResult(this, output);
        if (deciding) await deciding;
      }
      this.status = "done";
    } catch (error) {
      await this.#recover(error);
    }
  }

  /** Decides what an error means. Begins the next attempt, if there is one. */
  #recover(error: unknown): PromiseLike<void> | undefined {
    this.writes.clear();
    this.folded = undefined;
    if (this.run.stops.isClosed) return undefined;
    if (isParentCommand(error) && error.command.graph !== Command.PARENT) {
      // From a graph inside: the command is this node's answer.
      try {
        return this.#take(error.command, false);
      } catch (worse) {
        return this.#recover(worse);
      }
    }
    if (isGraphInterrupt(error)) {
      this.status = "interrupted";
      this.ownInterrupts.open = error.interrupts;
      return undefined;
    }
    this.error = error;
    try {
      const { retryPolicy } = this.place.node.options;
      const delay = isGraphBubbleUp(error) ? undefined : retryDelay(retryPolicy, error, this.attempt);
      if (delay !== undefined) return this.#again(delay, error);
    } catch (worse) {
      // The retry condition has failed itself.
      this.error = worse;
    }
    this.status = "failed";
    return undefined;
  }

  async #again(delay: number, error: unknown): Promise<void> {
    const { run } = this;
    run.reports.trace("task-retry", { task: this, error });
    await run.stops.wait(delay);
    if (run.stops.isClosed) return;
    this.attempts.count++;
    this.error = undefined;
    if (this.#inner) this.#inner = { ...this.#inner, count: 0, open: new Set() };
    run.at.plan.restart(this.place.position);
    await this.start();
  }

  /** Ends the graphs that it runs. */
  stop(error: unknown): void {
    for (const run of this.#inner?.open ?? NONE) (run as Stoppable).stop(error);
  }

  updated(): void {
    const { reports, scope, at } = this.run;
    if (!reports.streams || this.place.isHidden) return;
    const { writes } = this;
    if (this.messages) writes.updates = writes.updates.map(identified);
    if (!(scope.config as StreamConfig).messageIds) return;
    const { messages } = at.spec.fields;
    writes.updates = writes.updates.map((update) => withMessageIds(update, messages));
  }

  // The functions that the node calls.

  get context(): NodeContext {
    return (this.#context ??= new NodeContext(this));
  }

  get scope(): RunScope {
    return this.run.scope;
  }

  get attempt(): number {
    return this.#attempts?.count ?? 1;
  }

  get begun(): number {
    return this.attempts.begun;
  }

  get signal(): AbortSignal {
    return this.attempts.signal(this.run.stops.linked);
  }

  get hasSignal(): boolean {
    return this.#attempts?.hasSignal === true || this.run.scope.hasSignal;
  }

  get givesMore(): boolean {
    const { scope, reports } = this.run;
    return scope.givesMore || reports.streams !== undefined || this.#attempts !== undefined;
  }

  hears(mode: "custom" | "messages"): boolean {
    return this.run.reports.hears(mode);
  }

  interrupt(value: unknown): unknown {
    const { run, ownInterrupts: interrupts } = this;
    const answer = run.at.plan.interrupt(this.place.position);
    if (typeof answer === "number") {
      interrupts.isAnswered = true;
      return interrupts.answers[answer];
    }
    if (answer === "take") {
      const taken = run.resumeValues.takeShared();
      if (taken) {
        interrupts.add(taken.value);
        return taken.value;
      }
    }
    throw new GraphInterrupt([{ id: interrupts.id(interrupts.answers.length), value }]);
  }

  write(value: unknown): void {
    if (this.run.stops.isClosed || this.status) return;
    this.#attempts?.touch(false);
    this.run.reports.emitCustom(value);
  }

  message(message: object, metadata?: object): void {
    if (this.run.stops.isClosed) return;
    this.#attempts?.touch(false);
    this.messages?.sent(message, metadata);
  }

  heartbeat(): void {
    this.#attempts?.touch(true);
  }

  /** Where its messages go, if somebody streams them. */
  get messages(): MessageStream | undefined {
    if (!this.run.reports.hears("messages")) return undefined;
    return (this.#messages ??= this.run.reports.messageStream(this));
  }

  /** Returns LangChain's callbacks, with one that sees the tokens of models inside. */
  callbacks(given: unknown): unknown {
    if (!this.run.reports.streams) return given;
    const { messages } = this;
    return messages ? messageCallbacks(messages, given) : given;
  }

  writtenBeside(field: string): readonly unknown[] {
    return (this.run.tasks as readonly Task[])
      .filter((task) => task !== this && task.status === "done")
      .flatMap(({ writes }) => writes.updates.filter((update) => Object.hasOwn(update, field)))
      .map((update) => update[field]);
  }
}
