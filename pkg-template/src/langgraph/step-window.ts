import type { Overwrite } from "../state/fields.js";
import type { Schema } from "../state/schema.js";
import type { Dict } from "./merge.js";
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
}

/** The parts of a stream since the last super-step that is known to be saved. They may be of one super-step or of more. */
export class StepWindow {
  /** The confirmed state before the first of it. */
  readonly base: Dict;
  readonly writes: Write[] = [];
  /** The writes of an earlier run, which left the super-step unfinished. */
  left = 0;
  /** The new messages, in the order in which they were first shown. */
  readonly shown = new Set<string>();
  readonly places = new Map<string, Place>();
  /** The tasks that wrote. */
  readonly #taken = new Set<string>();

  constructor(base: Dict) {
    this.base = base;
  }

  /** Adds what a task wrote. If several would have one place, none of theirs is known: one message may be of all. */
  add(write: Write): void {
    const place = placeOf(write);
    if (place === undefined || !this.#taken.has(place)) this.writes.push(write);
    else {
      const other = this.writes.findIndex((one) => placeOf(one) === place);
      const known = this.writes[other];
      if (known) this.writes[other] = { ...known, path: undefined };
      this.writes.push({ ...write, path: undefined });
    }
    if (place !== undefined) this.#taken.add(place);
  }

  /** The fields that the tasks wrote. */
  get fields(): readonly string[] {
    return [...new Set(this.writes.flatMap(({ updates }) => updates.flatMap((update) => Object.keys(update))))];
  }

  /** The tasks that wrote a field. */
  writersOf(field: string): readonly Write[] {
    return this.writes.filter(({ updates }) => updates.some((update) => Object.hasOwn(update, field)));
  }

  /** Whether the last write of a field also is the last in the server's order. */
  isLast(field: string, schema: Schema<unknown>): boolean {
    if (isGuarded(field, schema)) return true;
    const writers = this.writersOf(field);
    return inOrder(writers).writes.at(-1) === writers.at(-1) && !writers.some((write) => overwrites(write, field));
  }

  /** Returns a copy to go back to. */
  copy(): StepWindow {
    const copy = new StepWindow(this.base);
    for (const write of this.writes) copy.add(write);
    copy.left = this.left;
    for (const id of this.shown) copy.shown.add(id);
    for (const [id, place] of this.places) copy.places.set(id, place);
    return copy;
  }

  /** Folds a field's writes into its value before the window. Returns undefined if the schema refuses them. */
  folded(field: string, schema: Schema<unknown>): Folded | undefined {
    const { writes, isSure } = isGuarded(field, schema)
      ? { writes: this.writersOf(field), isSure: true }
      : inOrder(this.writersOf(field));
    const value = (order: readonly Write[]) => foldInto(this.base, field, order, schema);
    try {
      const folded = value(writes);
      const others = isSure ? [] : ordersOf(writes);
      return { value: folded, isSure: others?.every((order) => sameJson(value(order), folded)) ?? false };
    } catch {
      return undefined;
    }
  }

  /** The ids of the new messages in the order in which the tasks wrote them. */
  writtenIds(): readonly string[] {
    const { writes } = inOrder(this.writersOf("messages"));
    const ids = new Set(writes.flatMap((write) => write.updates.flatMap(messageIds)));
    return [...ids].filter((id) => this.shown.has(id));
  }

  /** The ids of the new messages that no task wrote. */
  unwrittenIds(): readonly string[] {
    const written = new Set(this.writtenIds());
    return [...this.shown].filter((id) => !written.has(id));
  }

  /** Whether all messages that the tasks wrote are new ones. */
  get onlyAdds(): boolean {
    const isNew = ({ updates }: Write) => updates.flatMap(messageIds).every((id) => this.shown.has(id));
    return this.writersOf("messages").every(isNew);
  }
}

const placeOf = ({ step, path }: Write): string | undefined => path && JSON.stringify([step, path]);

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
