// What a task writes: updates of the state, and where it leads.
import { END, type Send, TASKS, toSend } from "../build/command.js";
import { InvalidUpdateError } from "../build/graph-errors.js";
import { TaskPlace } from "./task-place.js";
import type { Values } from "../build/state-fields.js";

type Entry = readonly [channel: string, value: unknown];

/** What became of a task; empty while it runs. `handled`: it failed, and its error handler runs. */
export type TaskStatus = "" | "done" | "failed" | "handled" | "interrupted";

/** Most tasks send nothing. */
const NONE: readonly never[] = [];

export class TaskWrites extends TaskPlace {
  status: TaskStatus = "";
  /** Whether its writes were saved by an earlier run. */
  restored = false;
  /** What it writes to the state. */
  updates: readonly Values[] = NONE;
  /** What it writes, as the planner knows it. */
  writes: number[] = [];
  sends: readonly Send[] = NONE;
  /** How many of the writes come before its edges'. */
  controls = 0;
  /** What an earlier run has saved of its writes to branches, by their place. */
  #restoredValues: Map<number, unknown> | undefined;

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
      if (channel === TASKS) {
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
      if (channel >= spec.channels.length) list.push([TASKS, this.sends[sent++]]);
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

  /** Forgets what it has written, as it failed. */
  protected clear(): void {
    this.updates = this.sends = NONE;
    this.writes = [];
  }
}
