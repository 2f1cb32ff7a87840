// The list that a record leaves of the full track, before it is repaired. Between two records it only grows.
import { clearToolUses, type ClearToolUsesOptions } from "./clear.js";
import { kindOf } from "./edited.js";
import { type ContextRecord, cutoffOf, idOf, placeOf, withoutReasoning } from "./record.js";
import { truncateToolArgs, type TruncateToolArgsOptions } from "./truncate-args.js";

/** The edits of a context, without when they are due. */
export interface Edits {
  readonly clear: ClearToolUsesOptions | undefined;
  readonly truncate: TruncateToolArgsOptions | undefined;
}

/** Returns the messages with those before a position edited. */
export function edited<M extends object>(
  messages: readonly M[],
  { clear, truncate }: Edits,
  before: number,
): readonly M[] {
  if (before <= 0) return messages;
  const cleared = clear
    ? clearToolUses(messages, { ...clear, editedBefore: before } as ClearToolUsesOptions<M>)
    : messages;
  return truncate
    ? truncateToolArgs(cleared, { ...truncate, editedBefore: before } as TruncateToolArgsOptions<M>)
    : cleared;
}

export const isSystem = (message: unknown): boolean => kindOf(message, 0) === "system";

/** The system messages before a position. */
export const systemsBefore = <M>(messages: readonly M[], end: number): M[] => messages.slice(0, end).filter(isSystem);

/** What is sent of a full track, and where in it each part comes from. */
export interface Effective<M> {
  readonly list: readonly M[];
  /** How many messages stand in front: the system messages that stay, the summary. */
  readonly front: number;
  readonly summary: object | null;
  /** The position in the full track of the first message that is kept. */
  readonly cutoff: number;
  /** The position in the list before which messages are edited. */
  readonly editedBefore: number;
  /** The list that it was made from, and how many of its messages it has at its start. */
  readonly grown?: { readonly from: readonly M[]; readonly same: number };
}

/** Makes the lists of one full track as it changes: what stays the same is taken from the list before. */
export class Effectives<M extends object> {
  #full: readonly M[] = [];
  #record: ContextRecord | null = null;
  #last: Effective<M> | undefined;
  /** How many messages of the full track went into `#head`, which holds all that is not just as it came. */
  #settled = 0;
  #head: readonly M[] = [];

  constructor(
    private readonly edits: Edits,
    private readonly preserveSystem: boolean,
  ) {}

  of(full: readonly M[], record: ContextRecord | null): Effective<M> {
    const last = this.#last;
    let same = 0;
    if (last && record === this.#record) {
      const before = this.#full;
      const most = Math.min(before.length, full.length);
      while (same < most && full[same] === before[same]) same++;
      if (same === before.length && same === full.length) return last;
    }
    // A copy: the caller may push to the list.
    this.#full = full.slice();
    if (last && record === this.#record && same >= this.#settled) {
      const list = record ? this.#head.concat(full.slice(this.#settled)) : this.#full;
      this.#last = { ...last, list, grown: { from: last.list, same: last.front + Math.max(0, same - last.cutoff) } };
    } else {
      this.#record = record;
      this.#last = this.#make(this.#full, record);
    }
    return this.#last;
  }

  #make(full: readonly M[], record: ContextRecord | null): Effective<M> {
    const cutoff = record && cutoffOf(full, record);
    if (!record || cutoff === undefined || cutoff === null) {
      // Of a record that is not about this list a message may still come.
      [this.#settled, this.#head] = [record ? Infinity : 0, []];
      return { list: full, front: 0, summary: null, cutoff: 0, editedBefore: 0 };
    }
    const {
      cutoff_index: index,
      cutoff_id: id,
      summary_message: summary,
      created_at_index: made,
      edited_before: edit,
    } = record;
    const front = systemsBefore(full, this.preserveSystem ? cutoff : 0);
    if (summary) front.push(summary as M);
    const edge = typeof edit === "number" ? Math.min(edit, full.length) : placeOf(full, edit, 0);
    // What is not there yet may still come: then nothing is settled.
    const isAll =
      index <= full.length &&
      (id === undefined || idOf(full[cutoff]) === id) &&
      !(Number.isInteger(made) && (made as number) > full.length) &&
      (typeof edit !== "string" || edge >= 0);
    const bound = Number.isInteger(made) ? Math.min(made as number, full.length) : cutoff;
    const before = typeof edit === "number" ? edge : Math.max(0, edge);
    const settled = Math.max(cutoff, bound, before);
    const kept = full
      .slice(cutoff, settled)
      .map((message, at) => (at < bound - cutoff ? withoutReasoning(message, at) : message));
    const short = edited(kept, this.edits, before - cutoff);
    this.#settled = isAll ? settled : Infinity;
    this.#head = [...front, ...short];
    const editedBefore = Math.max(0, before - cutoff) + front.length;
    return { list: this.#head.concat(full.slice(settled)), front: front.length, summary, cutoff, editedBefore };
  }
}
