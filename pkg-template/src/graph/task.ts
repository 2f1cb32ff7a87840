// One task of a super-step: a node, run until it has answered, failed for good, or asked something.
import { Command, END, type Send, toSend } from "./command.js";
import {
  GraphInterrupt,
  InvalidUpdateError,
  isGraphBubbleUp,
  isGraphInterrupt,
  isParentCommand,
  NodeError,
} from "./graph-errors.js";
import type { GraphNode } from "./graph-spec.js";
import { interruptId, uuid5 } from "./ids.js";
import type { Interrupt } from "./interrupt.js";
import { messageCallbacks, type MessageStream } from "./message-stream.js";
import { NodeContext } from "./node-context.js";
import { takeBranch, takeOutput } from "./node-output.js";
import type { PlannedTask } from "./planner.js";
import { retryDelay } from "./retry.js";
import type { Run } from "./run.js";
import { picked, type Values } from "./state-fields.js";
import { timeoutPolicy, Watch } from "./timeout.js";

/** What became of a task; empty while it runs. `handled`: it failed, and its error handler runs. */
export type TaskStatus = "" | "done" | "failed" | "handled" | "interrupted";

type Entry = readonly [channel: string, value: unknown];

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Most tasks send and ask nothing. */
const NONE: readonly never[] = [];

/** What a task reads of the thread that it runs on. */
export interface TaskHome {
  readonly spec: Run["spec"];
  readonly ns: string;
  readonly stepNumber: number;
  readonly checkpointId: string;
  readonly state: Values;
  readonly sends: readonly Send[];
  readonly held: ReadonlyMap<number, unknown>;
  readonly tasks: readonly Task[];
}

export class Task {
  readonly run: Run;
  readonly node: GraphNode;
  /** Its place among the tasks of the step. */
  readonly position: number;
  readonly planned: PlannedTask;
  status: TaskStatus = "";
  /** Whether its writes were saved by an earlier run. */
  restored = false;
  error: unknown = undefined;
  interrupts: readonly Interrupt[] = NONE;
  /** What it writes to the state. */
  updates: readonly Values[] = NONE;
  /** What it writes, as the planner knows it. */
  writes: number[] = [];
  sends: readonly Send[] = NONE;
  /** How many of the writes come before its edges'. */
  controls = 0;
  /** The answers to its questions, those of earlier runs first. */
  answers: readonly unknown[] = NONE;
  /** Whether answers are to be saved with it. */
  answered = false;
  attempt = 1;
  /** When its first attempt began, where there may be a second. */
  begun: number | undefined = undefined;
  watch: Watch | undefined = undefined;
  controller: AbortController | undefined = undefined;
  /** How many graphs it has run. */
  subgraphs = 0;
  /** The state with its own writes, if a condition has read it. */
  folded: Values | undefined = undefined;
  /** The graphs inside that run. */
  inside: Set<Run> | undefined = undefined;
  failure: NodeError | undefined = undefined;
  #id: string | undefined;
  #firstQuestion: string | undefined;
  #context: NodeContext | undefined;
  #input: unknown;
  #messages: MessageStream | undefined;
  #signal: AbortSignal | undefined;
  /** What an earlier run has saved of its writes to branches, by their place. */
  #restoredValues: Map<number, unknown> | undefined;

  /** Without a run it is only looked at, and what it would write is asked for. */
  constructor(home: Run | TaskHome, planned: PlannedTask, position: number) {
    const run = home as Run;
    this.run = run;
    this.planned = planned;
    this.position = position;
    this.node = run.spec.nodes[planned.node] as GraphNode;
  }

  /** What the node is given. */
  get input(): unknown {
    return (this.#input ??= this.#read());
  }

  #read(): unknown {
    const { run, node, planned } = this;
    if (planned.send >= 0) return run.sends[planned.send]?.args;
    if (planned.send < -1) return run.tasks[-2 - planned.send]?.input;
    if (node.number === run.spec.start) return run.held.get(run.spec.plan.start);
    return node.reads ? picked(run.state, node.reads) : { ...run.state };
  }

  get name(): string {
    return this.node.name;
  }

  get hidden(): boolean {
    return this.node.number === this.run.spec.start;
  }

  /** The names of what triggered it, as streams and ids have them. */
  get triggers(): string[] {
    const [first] = this.planned.triggers;
    return this.planned.send === -1 ? [this.run.spec.channels[first as number] as string] : ["__pregel_push"];
  }

  get path(): readonly unknown[] {
    const { send } = this.planned;
    if (send === -1) return ["__pregel_pull", this.name];
    if (send >= 0) return ["__pregel_push", send];
    return ["__pregel_push", this.run.tasks[-2 - send]?.name, this.name, false];
  }

  /** LangGraph's id of the task: the same whenever it is planned behind the same checkpoint. */
  get id(): string {
    return (this.#id ??= this.#makeId());
  }

  #makeId(): string {
    const { run, name, planned } = this;
    const behind =
      planned.send === -1
        ? ["__pregel_pull", this.triggers]
        : planned.send >= 0
          ? ["__pregel_push", String(planned.send)]
          : ["__pregel_push", "node_error_handler", run.tasks[-2 - planned.send]?.id];
    const where = run.ns ? `${run.ns}|${name}` : name;
    return uuid5(JSON.stringify([where, String(run.stepNumber), name, ...behind]), run.checkpointId);
  }

  /** The namespace of the checkpoints of a graph that runs inside. */
  get ns(): string {
    const { run, name } = this;
    return `${run.ns ? `${run.ns}|` : ""}${name}:${this.id}`;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.controller
      ? AbortSignal.any([this.run.signal, this.controller.signal])
      : this.run.signal);
  }

  // What it writes.

  update(update: Readonly<Record<string, unknown>>): void {
    if (this.run.spec.fields.note(update, this.writes)) this.#add(update);
  }

  #add(update: Values): void {
    if (this.updates.length === 0) this.updates = [update];
    else (this.updates as Values[]).push(update);
  }

  send(given: Send): void {
    const { spec } = this.run;
    const send = toSend(given);
    if (!send) throw new InvalidUpdateError("A node leads to names and Sends, and to nothing else.");
    if (send.node === END) throw new InvalidUpdateError("Cannot send a packet to the END node");
    const number = spec.numbers.get(send.node);
    if (number === undefined) throw new InvalidUpdateError(`Invalid node name "${send.node}" in Send packet`);
    if (this.sends.length === 0) this.sends = [];
    (this.sends as Send[]).push(send);
    this.writes.push(spec.plan.send(number));
  }

  go(to: string | Send): void {
    if (typeof to !== "string") {
      this.send(to);
      return;
    }
    if (to === END) return;
    const { spec } = this.run;
    const number = spec.numbers.get(to);
    if (number === undefined || number === spec.start)
      console.warn(`The node "${this.name}" leads to "${to}", which the graph does not have.`);
    else this.writes.push(spec.plan.branch(number));
  }

  /** Takes what an earlier run has saved of it. */
  restore(saved: readonly Entry[]): void {
    const { spec } = this.run;
    for (const [channel, value] of saved) {
      if (channel === "__pregel_tasks") {
        const send = toSend(value);
        if (send) this.send(send);
        continue;
      }
      const number = spec.channelNumbers.get(channel);
      if (number === undefined) continue;
      if (number < spec.fields.keys.length) this.#add({ [channel]: value });
      else (this.#restoredValues ??= new Map()).set(this.writes.length, value);
      this.writes.push(number);
    }
    this.restored = true;
    this.status = "done";
  }

  /** What it writes to the state, by field. */
  values(): [field: string, value: unknown][] {
    const { numbers } = this.run.spec.fields;
    return this.updates.flatMap((update) => Object.entries(update).filter(([key]) => numbers.has(key)));
  }

  /** What it writes, in the form of checkpoints. */
  entries(): [channel: string, value: unknown][] {
    const { spec } = this.run;
    const { untracked } = spec.fields;
    const list: [string, unknown][] = this.values();
    const edges = this.controls + this.node.edges.length;
    let sent = 0;
    for (let at = list.length; at < this.writes.length; at++) {
      const channel = this.writes[at] as number;
      if (channel >= spec.channels.length) list.push(["__pregel_tasks", this.sends[sent++]]);
      else list.push([spec.channels[channel] as string, this.#edgeValue(channel, at, edges)]);
    }
    if (list.length === 0) list.push(["__no_writes__", null]);
    return untracked.length > 0 ? list.filter(([key]) => !untracked.includes(key)) : list;
  }

  #edgeValue(channel: number, at: number, edges: number): unknown {
    const { spec } = this.run;
    if (this.#restoredValues) return this.#restoredValues.get(at);
    if (channel >= spec.plan.join(0)) return this.name;
    return at >= this.controls && at < edges ? null : this.name;
  }

  /** Notes the values of the branch channels that it writes: null from an edge, its name from a choice. */
  holdBranches(held: Map<number, unknown>): void {
    const { spec } = this.run;
    const edges = this.controls + this.node.edges.length;
    for (let at = 0; at < this.writes.length; at++) {
      const channel = this.writes[at] as number;
      if (channel > spec.plan.sends && channel < spec.plan.join(0))
        held.set(channel, this.#edgeValue(channel, at, edges));
    }
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
    const { node, run } = this;
    const output = node.number === run.spec.start ? this.input : this.#call();
    if (isPromise(output)) return this.#later(output);
    const deciding = this.#take(output);
    return isPromise(deciding) ? this.#later(deciding, true) : undefined;
  }

  #call(): unknown {
    const { node, run, planned } = this;
    const sent = planned.send >= 0 ? timeoutPolicy(run.sends[planned.send]?.timeout) : undefined;
    const policy = sent ?? node.timeout;
    if (policy) {
      this.controller = new AbortController();
      this.#signal = undefined;
      this.watch = new Watch(node.name, policy);
    }
    const work = this.#work();
    const { watch, controller } = this;
    if (!policy) return work;
    return (watch as Watch).race(Promise.resolve(work), (error) => {
      controller?.abort();
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

  /** Takes the node's answer, and what its edges and conditions add to it. */
  #take(output: unknown): unknown {
    const { node } = this;
    takeOutput(this, output);
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
    const { spec, state } = this.run;
    const same = this.updates.length === 0 && spec.fields.ephemeral.length === 0;
    // Of several tasks the run does not go on from one's alone.
    return same ? state : spec.fields.step(state, this.updates, this.run, this.run.tasks.length > 1);
  }

  #done(): void {
    this.status = "done";
  }

  /** Says what an error means. Goes on with the next attempt, if there is one. */
  #recover(error: unknown): PromiseLike<void> | undefined {
    const { run, node } = this;
    this.updates = NONE;
    this.writes = [];
    this.sends = NONE;
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
    this.run.emitUp("custom", value);
  }

  message(message: object, metadata?: object): void {
    if (this.run.closed) return;
    this.watch?.touch(false);
    this.messages?.chunk(message, metadata);
  }

  /** Where its messages go, if somebody streams them. */
  get messages(): MessageStream | undefined {
    if (!this.run.wantsInside("messages")) return undefined;
    return (this.#messages ??= this.run.messageStream(this));
  }

  /** LangChain's callbacks that see the tokens of models inside. */
  callbacks(given: unknown): unknown {
    const { messages } = this;
    return messages ? messageCallbacks(messages, given) : given;
  }
}
