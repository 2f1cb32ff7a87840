import type { Overwrite } from "../state/fields.js";
import type { Schema } from "../state/schema.js";
import type { Dict } from "../shared/dict.js";
import { inOrder, ordersOf, type TaskPath, type Write } from "./write-order.js";
import { sameJson } from "../shared/same-json.js";

/** The task of the root graph that sent a message. */
export interface Place {
  readonly node: unknown;
  readonly step?: number | undefined;
  readonly path?: TaskPath | undefined;
}

/** A field after the writes of a window. */
export interface Folded {
  readonly value: unknown;
  /** Whether every order that the stream leaves open gives this value. */
  readonly isSure: boolean;
  /** Whether the writes came in the server's order, so that the thread has this value. */
  readonly isInTurn: boolean;
}

/** The parts of a stream since the last super-step that is known to be saved. They may be of one super-step or of more. */
export class StepWindow {
  /** The confirmed state before the first of it. */
  readonly base: Dict;
  /** The thread's snapshots when it was opened. */
  readonly snapshots: number;
  /** Whether the base has writes of an unfinished super-step, without their tasks. */
  readonly hasUnknown: boolean;
  readonly writes: Write[] = [];
  /** For each message the places in `writes` of its tasks. */
  readonly #writersOf = new Map<string, number[]>();
  /** The writes of an earlier run, which left the super-step unfinished. */
  left = 0;
  /** The new messages, in the order in which they were first shown. */
  readonly shown = new Set<string>();
  readonly places = new Map<string, Place>();
  /** The message that the last part was about. */
  lastId: string | undefined;

  constructor(base: Dict, snapshots: number, hasUnknown: boolean) {
    this.base = base;
    this.snapshots = snapshots;
    this.hasUnknown = hasUnknown;
  }

  /** Adds what a task wrote. */
  add(write: Write): void {
    for (const id of new Set(write.updates.flatMap(messageIds))) {
      const known = this.#writersOf.get(id);
      if (known) known.push(this.writes.length);
      else this.#writersOf.set(id, [this.writes.length]);
    }
    this.writes.push(write);
  }

  /**
   * Adds what a task wrote. Its place is that of its messages, if no other task wrote one of them: a message names only
   * the first task that sent it.
   */
  place(write: Write): void {
    const ids = new Set(write.updates.flatMap(messageIds));
    const placed = [...ids].filter((id) => this.places.get(id)?.node === write.node);
    const writers = new Set(placed.flatMap((id) => this.#writersOf.get(id) ?? []));
    const others = [...writers].filter((at) => this.writes[at]?.node === write.node);
    // The first of them ran in the message's super-step; a later one need not.
    for (const at of others) this.writes[at] = { ...(this.writes[at] as Write), path: undefined };
    const shared = placed.map((id) => this.places.get(id) as Place);
    const [first] = shared;
    const isOne =
      first !== undefined && shared.every(({ step, path }) => step === first.step && sameJson(path, first.path));
    this.add(others.length === 0 && isOne ? { ...write, step: first.step, path: first.path } : write);
  }

  /** Whether a task wrote this message. */
  hasWritten(id: string): boolean {
    return this.#writersOf.has(id);
  }

  /** The fields that the tasks wrote. */
  get fields(): readonly string[] {
    return [...new Set(this.writes.flatMap(({ updates }) => updates.flatMap((update) => Object.keys(update))))];
  }

  /** The tasks of the last super-step; undefined if it is not known whether a task was one of them. */
  get lastStep(): readonly Write[] | undefined {
    const { writes } = this;
    if (writes.length < 2) return writes;
    const steps = writes.map(({ step }) => step ?? Number.NaN);
    const last = Math.max(...steps);
    return Number.isNaN(last) ? undefined : writes.filter(({ step }) => step === last);
  }

  /** The tasks that wrote a field. */
  writersOf(field: string): readonly Write[] {
    return this.writes.filter(({ updates }) => updates.some((update) => Object.hasOwn(update, field)));
  }

  /** Returns a copy to go back to. */
  copy(): StepWindow {
    const copy = new StepWindow(this.base, this.snapshots, this.hasUnknown);
    for (const write of this.writes) copy.add(write);
    copy.left = this.left;
    for (const id of this.shown) copy.shown.add(id);
    for (const [id, place] of this.places) copy.places.set(id, place);
    return copy;
  }

  /** Folds a field's writes into its value before the window. Returns undefined if the schema refuses them. */
  folded(field: string, schema: Schema<unknown>): Folded | undefined {
    const writers = this.writersOf(field);
    const guarded = isGuarded(field, schema);
    const { writes, isSure } = guarded ? { writes: writers, isSure: true } : inOrder(writers);
    const isInTurn = guarded || writers.every((write, at) => write === writes[at] && !overwrites(write, field));
    const value = (order: readonly Write[]) => foldInto(this.base, field, order, schema);
    try {
      const folded = value(writes);
      const others = isSure ? [] : ordersOf(writes);
      return { value: folded, isSure: others?.every((order) => sameJson(value(order), folded)) ?? false, isInTurn };
    } catch {
      return undefined;
    }
  }

  /** The new messages that tasks wrote, in the server's order as far as it is known. */
  get written(): { readonly ids: readonly string[]; readonly isSure: boolean } {
    const newOf = ({ updates }: Write) => updates.flatMap(messageIds).filter((id) => this.shown.has(id));
    const { writes, isSure } = inOrder(this.writes.filter((write) => newOf(write).length > 0));
    return { ids: [...new Set(writes.flatMap(newOf))], isSure };
  }

  /** The ids of the new messages that no task wrote. */
  unwrittenIds(): readonly string[] {
    const written = new Set(this.written.ids);
    return [...this.shown].filter((id) => !written.has(id));
  }

  /** Whether all messages that the tasks wrote are new ones. */
  get onlyAdds(): boolean {
    const isNew = (update: Dict) => messageIds(update).every((id) => this.shown.has(id));
    return this.writes.every(({ updates }) => updates.every((one) => isNew(one) && !isOverwrite(one["messages"])));
  }
}

/** Whether a second write in one super-step is an error: then two writes are of two super-steps, as they came. */
function isGuarded(field: string, schema: Schema<unknown>): boolean {
  const { kind, guard } = (schema.fields as Record<string, { kind: string; guard?: boolean }>)[field] ?? {};
  return ["replace", "todos", "ephemeral", "untracked"].includes(kind ?? "") && guard !== false;
}

/** Folds the writes of a field, super-step by super-step as far as they are known. */
function foldInto(base: Dict, field: string, writes: readonly Write[], schema: Schema<unknown>): unknown {
  let state: Dict = Object.hasOwn(base, field) ? { [field]: base[field] } : {};
  for (let at = 0; at < writes.length;) {
    const { step } = writes[at] as Write;
    const next = writes.findIndex((write, place) => place > at && (step === undefined || write.step !== step));
    const end = next < 0 ? writes.length : next;
    const updates = writes.slice(at, end).flatMap((write) => write.updates.filter((one) => Object.hasOwn(one, field)));
    state = schema.step(state, updates.map((update) => ({ [field]: update[field] })) as never) as Dict;
    at = end;
  }
  return state[field];
}

const overwrites = ({ updates }: Write, field: string): boolean => updates.some((update) => isOverwrite(update[field]));

export const isOverwrite = (value: unknown): value is Overwrite<unknown> =>
  typeof value === "object" && value !== null && "__overwrite__" in value;

/** The ids of an update's messages. */
export function messageIds({ messages: given }: Dict): readonly string[] {
  const messages = isOverwrite(given) ? given.__overwrite__ : given;
  return (Array.isArray(messages) ? (messages as unknown[]) : [messages]).flatMap((message) => {
    const { id } = (message ?? {}) as { id?: unknown };
    return typeof id === "string" ? [id] : [];
  });
}
