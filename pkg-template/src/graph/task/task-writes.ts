// The writes of a task: updates of the state, and its next nodes.
import { END, type Send, TASKS, toSend } from "../build/command.js";
import { InvalidUpdateError } from "../build/graph-errors.js";
import type { OpenInterrupt } from "../build/interrupt.js";
import type { Values } from "../types.js";
import type { TaskPlace } from "./task-place.js";

type Entry = readonly [channel: string, value: unknown];

/** The outcome of a task; empty while it runs. `handled`: it failed, and its error handler runs. */
export type TaskStatus = "" | "done" | "failed" | "handled" | "interrupted";

/** A task of a super-step, as streams, savers and the step itself see it. */
export interface StepTask {
  readonly place: TaskPlace;
  readonly writes: TaskWrites;
  readonly status: TaskStatus;
  readonly error: unknown;
  readonly interrupts: readonly OpenInterrupt[];
  readonly attempt: number;
}

/** Most tasks send nothing. */
const NONE: readonly never[] = [];

export class TaskWrites {
  readonly place: TaskPlace;
  /** Whether an earlier run saved them. */
  isRestored = false;
  /** The updates of the state. */
  updates: readonly Values[] = NONE;
  /** The channels of all its writes, as the planner numbers them. */
  channels: number[] = [];
  sends: readonly Send[] = NONE;
  /** How many of the writes come before its edges'. */
  controls = 0;
  /** The values that an earlier run saved of its writes to branches, by their place. */
  #restoredValues: Map<number, unknown> | undefined;

  constructor(place: TaskPlace) {
    this.place = place;
  }

  update(update: Readonly<Record<string, unknown>>): void {
    if (this.place.home.at.spec.fields.note(update, this.channels)) this.#add(update);
  }

  #add(update: Values): void {
    if (this.updates.length === 0) this.updates = [update];
    else (this.updates as Values[]).push(update);
  }

  send(given: Send): void {
    const { spec } = this.place.home.at;
    const send = toSend(given);
    if (!send) throw new InvalidUpdateError("A node leads to names and Sends, and to nothing else.");
    if (send.node === END) throw new InvalidUpdateError("Cannot send a packet to the END node");
    const number = spec.numbers.get(send.node);
    if (number === undefined) throw new InvalidUpdateError(`Invalid node name "${send.node}" in Send packet`);
    if (this.sends.length === 0) this.sends = [];
    (this.sends as Send[]).push(send);
    this.channels.push(spec.plan.send(number));
  }

  go(to: string | Send): void {
    if (typeof to !== "string") {
      this.send(to);
      return;
    }
    if (to === END) return;
    const { spec } = this.place.home.at;
    const number = spec.numbers.get(to);
    if (number === undefined || number === spec.start)
      console.warn(`The node "${this.place.name}" leads to "${to}", which the graph does not have.`);
    else this.channels.push(spec.plan.branch(number));
  }

  /** Takes the writes that an earlier run saved. */
  restore(saved: readonly Entry[]): void {
    const { spec } = this.place.home.at;
    for (const [channel, value] of saved) {
      if (channel === TASKS) {
        const send = toSend(value);
        if (send) this.send(send);
        continue;
      }
      const number = spec.channelNumbers.get(channel);
      if (number === undefined) continue;
      if (number < spec.fields.keys.length) this.#add({ [channel]: value });
      else (this.#restoredValues ??= new Map()).set(this.channels.length, value);
      this.channels.push(number);
    }
    this.isRestored = true;
  }

  /** The updates of the state, field by field. */
  values(): [field: string, value: unknown][] {
    const { numbers } = this.place.home.at.spec.fields;
    return this.updates.flatMap((update) => Object.entries(update).filter(([key]) => numbers.has(key)));
  }

  /** All writes in the form of checkpoints. */
  entries(): [channel: string, value: unknown][] {
    const { spec } = this.place.home.at;
    const { untracked } = spec.fields;
    const list: [string, unknown][] = this.values();
    const edges = this.controls + this.place.node.edges.length;
    let sent = 0;
    for (let at = list.length; at < this.channels.length; at++) {
      const channel = this.channels[at] as number;
      if (channel >= spec.channels.length) list.push([TASKS, this.sends[sent++]]);
      else list.push([spec.channels[channel] as string, this.#edgeValue(channel, at, edges)]);
    }
    if (list.length === 0) list.push(["__no_writes__", null]);
    return untracked.length > 0 ? list.filter(([key]) => !untracked.includes(key)) : list;
  }

  #edgeValue(channel: number, at: number, edges: number): unknown {
    if (this.#restoredValues) return this.#restoredValues.get(at);
    const { place } = this;
    if (channel >= place.home.at.spec.plan.join(0)) return place.name;
    return at >= this.controls && at < edges ? null : place.name;
  }

  /** Records the values of the branch channels that it writes: null from an edge, its name from a choice. */
  holdBranches(held: Map<number, unknown>): void {
    const { plan } = this.place.home.at.spec;
    const edges = this.controls + this.place.node.edges.length;
    for (let at = 0; at < this.channels.length; at++) {
      const channel = this.channels[at] as number;
      if (channel > plan.sends && channel < plan.join(0)) held.set(channel, this.#edgeValue(channel, at, edges));
    }
  }

  /** Drops all writes, as the node failed. */
  clear(): void {
    this.updates = this.sends = NONE;
    this.channels = [];
  }
}
