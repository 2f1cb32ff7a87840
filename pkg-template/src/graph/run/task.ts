// One task of a super-step: a node, run until it has answered, failed for good, or asked something.
import { LinkedAbort } from "./linked-abort.js";
import { Command } from "../build/command.js";
import {
  GraphInterrupt,
  isGraphBubbleUp,
  isGraphInterrupt,
  isParentCommand,
  type NodeError,
} from "../build/graph-errors.js";
import { interruptId } from "../ids/ids.js";
import type { Interrupt } from "../build/interrupt.js";
import { identified, messageCallbacks, type MessageStream } from "./message-stream.js";
import { NodeContext } from "../build/node-context.js";
import { takeBranch, takeOutput } from "./node-output.js";
import { retryDelay } from "../build/retry.js";
import type { Run } from "./run.js";
import type { Values } from "../build/state-fields.js";
import { checkedAll } from "../build/state-forms.js";
import { TaskWrites } from "./task-writes.js";
import { timeoutPolicy, Watch } from "../build/timeout.js";

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Most tasks ask nothing. */
const NONE: readonly never[] = [];

export class Task extends TaskWrites {
  error: unknown = undefined;
  interrupts: readonly Interrupt[] = NONE;
  /** The answers to its questions, those of earlier runs first. */
  answers: readonly unknown[] = NONE;
  /** Whether answers are to be saved with it. */
  answered = false;
  attempt = 1;
  /** When its first attempt began, where there may be a second. */
  begun: number | undefined = undefined;
  watch: Watch | undefined = undefined;
  /** Its signal, if its time is limited or it has asked for one. */
  abort: LinkedAbort | undefined = undefined;
  /** How many graphs it has run. */
  subgraphs = 0;
  /** The state with its own writes, if a condition has read it. */
  folded: Values | undefined = undefined;
  /** The graphs inside that run. */
  inside: Set<Run> | undefined = undefined;
  failure: NodeError | undefined = undefined;
  #firstQuestion: string | undefined;
  #context: NodeContext | undefined;
  #messages: MessageStream | undefined;

  get signal(): AbortSignal {
    return (this.abort ??= new LinkedAbort(this.run.abort)).signal;
  }

  // How it runs.

  /** Runs the node. Returns a promise only if it does not answer at once; the promise does not reject. */
  start(): PromiseLike<void> | undefined {
    if (this.node.options.retryPolicy) this.begun ??= Date.now();
    try {
      const work = this.#attempt();
      return isPromise(work) ? (work as PromiseLike<void>) : undefined;
    } catch (error) {
      return this.#recover(error);
    }
  }

  /** One attempt: returns nothing when it has answered, a promise when that takes time. */
  #attempt(): unknown {
    const output = this.hidden ? this.input : this.#call();
    if (isPromise(output)) return this.#later(output);
    // The input was checked as it came.
    const deciding = this.#take(output, this.hidden);
    return isPromise(deciding) ? this.#later(deciding, true) : undefined;
  }

  #call(): unknown {
    const { node, run, planned } = this;
    const sent = planned.send >= 0 ? timeoutPolicy(run.sends[planned.send]?.timeout) : undefined;
    const policy = sent ?? node.timeout;
    if (policy) {
      this.abort = new LinkedAbort(run.abort);
      this.watch = new Watch(node.name, policy);
    }
    const work = this.#work();
    const { watch, abort } = this;
    if (!policy) return work;
    return (watch as Watch).race(Promise.resolve(work), (error) => {
      abort?.abort();
      this.stop(error);
    });
  }

  #work(): unknown {
    const { input, failure } = this;
    const { action } = this.node;
    const ctx = (this.#context = new NodeContext(this)) as NodeContext<never, never>;
    if (typeof action !== "function") return action.invoke(input, ctx);
    const work = action as (...given: unknown[]) => unknown;
    return failure ? work(input, failure, ctx) : work(input, ctx);
  }

  async #later(work: PromiseLike<unknown>, decided = false): Promise<void> {
    try {
      const output = await work;
      const deciding = decided || this.run.closed ? undefined : this.#take(output);
      if (deciding) await deciding;
    } catch (error) {
      await this.#recover(error);
    }
  }

  /** Writes as if the node had answered. */
  async answer(output: unknown): Promise<void> {
    await this.#take(output);
  }

  /** Takes the node's answer, and what its edges and conditions add to it. `isChecked`: the schema has seen it. */
  #take(output: unknown, isChecked = false): unknown {
    takeOutput(this, output);
    const { check } = this.run.spec.parts.state;
    if (isChecked || !check || this.updates.length === 0) return this.#lead();
    const update = (updates: readonly Values[]) => {
      this.updates = updates;
      return this.#lead();
    };
    const checked = checkedAll(this.updates, check);
    return checked instanceof Promise ? checked.then(update) : update(checked);
  }

  /** Goes where the node's edges and conditions lead. */
  #lead(): unknown {
    const { node } = this;
    if (this.run.streams && !this.hidden && this.messages) this.updates = this.updates.map(identified);
    this.controls = this.writes.length;
    for (const channel of node.edges) this.writes.push(channel);
    const waiting = node.branches.length > 0 ? this.#decide(0) : undefined;
    if (isPromise(waiting)) return waiting.then(() => this.#done());
    this.#done();
    return undefined;
  }

  /** Asks the conditions, from the `at`-th on, in order. */
  #decide(from: number): PromiseLike<void> | undefined {
    const { branches } = this.node;
    for (let at = from; at < branches.length; at++) {
      const { path, ends } = branches[at] as (typeof branches)[number];
      const state = (this.folded ??= this.#fold());
      const answer = path({ ...state }, (this.#context ??= new NodeContext(this)));
      if (isPromise(answer))
        return answer.then((decided) => {
          takeBranch(this, decided, ends);
          return this.#decide(at + 1) as undefined;
        });
      takeBranch(this, answer, ends);
    }
    return undefined;
  }

  /** The state as conditions read it: with this task's own writes, without what was for this step alone. */
  #fold(): Values {
    const { spec, state, known, tasks } = this.run;
    const same = this.updates.length === 0 && spec.fields.ephemeral.length === 0;
    // Of several tasks the run does not go on from one's alone.
    return same ? state : spec.fields.step(state, this.updates, known, tasks.length > 1);
  }

  #done(): void {
    this.status = "done";
  }

  /** Says what an error means. Goes on with the next attempt, if there is one. */
  #recover(error: unknown): PromiseLike<void> | undefined {
    const { run, node } = this;
    this.clear();
    this.folded = undefined;
    if (run.closed) return undefined;
    if (isParentCommand(error) && error.command.graph !== Command.PARENT) {
      // From a graph inside: the command is this node's answer.
      try {
        const deciding = this.#take(error.command);
        return isPromise(deciding) ? this.#later(deciding, true) : undefined;
      } catch (worse) {
        return this.#recover(worse);
      }
    }
    if (isGraphInterrupt(error)) {
      this.status = "interrupted";
      this.interrupts = error.interrupts;
      return undefined;
    }
    const policies = node.options.retryPolicy;
    this.error = error;
    try {
      const delay = isGraphBubbleUp(error) ? undefined : retryDelay(policies, error, this.attempt);
      if (delay !== undefined) return this.#again(delay, error);
    } catch (worse) {
      // What decides on a retry has failed itself.
      this.error = worse;
    }
    this.status = "failed";
    return undefined;
  }

  async #again(delay: number, error: unknown): Promise<void> {
    const { run } = this;
    run.tell("task-retry", { task: this, error });
    await new Promise((resolve) => setTimeout(resolve, delay));
    if (run.closed) return;
    this.attempt++;
    this.error = undefined;
    this.subgraphs = 0;
    run.plan.restart(this.position);
    await this.start();
  }

  /** Ends the graphs that it runs. */
  stop(error: unknown): void {
    for (const run of this.inside ?? []) run.stop(error);
  }

  // What the node calls.

  interruptId(answered: number): string {
    if (answered > 0) return interruptId(`${this.ns}|${answered}`);
    return (this.#firstQuestion ??= interruptId(this.ns));
  }

  interrupt(value: unknown): unknown {
    const { run } = this;
    const answer = run.plan.interrupt(this.position);
    if (typeof answer === "number") {
      this.answered = true;
      return this.answers[answer];
    }
    if (answer === "take") {
      const taken = run.takeAnswer();
      if (taken) {
        this.answered = true;
        this.answers = [...this.answers, taken.value];
        return taken.value;
      }
    }
    throw new GraphInterrupt([{ id: this.interruptId(this.answers.length), value }]);
  }

  write(value: unknown): void {
    if (this.run.closed || this.status) return;
    this.watch?.touch(false);
    this.run.emitCustom(value);
  }

  message(message: object, metadata?: object): void {
    if (this.run.closed) return;
    this.watch?.touch(false);
    this.messages?.chunk(message, metadata);
  }

  /** Where its messages go, if somebody streams them. */
  get messages(): MessageStream | undefined {
    if (!this.run.hears("messages")) return undefined;
    return (this.#messages ??= this.run.messageStream(this));
  }

  /** LangChain's callbacks that see the tokens of models inside. */
  callbacks(given: unknown): unknown {
    const { messages } = this;
    return messages ? messageCallbacks(messages, given) : given;
  }
}
