// The list that a record leaves of the full track, before it is repaired. Between two records it only grows.
import { idOf } from "./edited.js";
import { isForScreen, kindOf } from "./message-parts.js";
import { Headed, type Listed, SharedList, Stem } from "./shared-list.js";
import { type ContextRecord, cutoffOf, edgeOf, isSummary, withoutReasoning } from "./record.js";

/** Returns the messages with those before a position edited, and `messages` itself if nothing is. */
export type Edit = <M extends object>(messages: readonly M[], before: number) => readonly M[];

/** Returns the messages with those before a position edited in every way. */
export const edited = <M extends object>(messages: readonly M[], edits: readonly Edit[], before: number) =>
  before <= 0 ? messages : edits.reduce((list, edit) => edit(list, before), messages);

/** Whether it is a system message that stays in front: a summary does not, the next one stands for it, too. */
export const isSystem = (message: unknown): boolean => kindOf(message, 0) === "system" && !isSummary(message);

/** The system messages before a position. */
export const systemsBefore = <M>(messages: readonly M[], end: number): M[] => messages.slice(0, end).filter(isSystem);

/** The list to send of a full track, and the origin of its parts. */
export interface Effective<M> {
  readonly list: Listed<M>;
  /** How many messages stand in front: the system messages that stay, the summary. */
  readonly front: number;
  readonly summary: object | null;
  /** The messages of the full track, without those that are only for the screen. */
  readonly track: Listed<M>;
  /** Returns the position in the full track of one of them; the length of the full track if there is none. */
  readonly placed: (at: number) => number;
  /** The number of messages of the full track. */
  readonly length: number;
  /** The position in it of the first message that is kept. */
  readonly cutoff: number;
  /** The position in the list before which messages are edited. */
  readonly editedBefore: number;
  /** The list that it was made from, and how many of its messages it has at its start. */
  readonly grown?: { readonly from: Listed<M>; readonly same: number };
}

/** A full track at its last look, and its list. */
interface Seen<M> {
  readonly stem: Stem<M>;
  readonly full: SharedList<M>;
  readonly of: Effective<M>;
}

/** Makes the lists of one full track as it changes: what stays the same is taken from the list before. */
export class Effectives<M extends object> {
  #record: ContextRecord | null = null;
  #last: Seen<M> | undefined;
  /** How many messages of the track went into `#head`, which holds all that is not just as it came. */
  #settled = 0;
  #head: readonly M[] = [];

  constructor(
    private readonly edits: readonly Edit[],
    private readonly preserveSystem: boolean,
  ) {}

  of(full: readonly M[], record: ContextRecord | null): Effective<M> {
    const last = this.#last;
    const same = last ? last.full.same(full) : 0;
    const isSame = last && record === this.#record;
    const { length } = full;
    if (isSame && same === last.full.length && same === length) return last.of;
    // All but the last message, which is the one that changes as a rule. Where less is the same, it is another stem.
    const end = Math.max(0, length - 1);
    const stem = last && Math.min(same, end) >= last.stem.length ? last.stem : new Stem<M>();
    const from = stem.length;
    const sent: boolean[] = [];
    for (let at = from; at < length; at++) sent.push(!isForScreen(full[at]));
    // The caller's code, which reading runs, may have looked, too.
    if (this.#last !== last) return this.of(full, record);
    this.#last = undefined;
    for (let at = from; at < end; at++) stem.push(full[at] as M, sent[at - from] as boolean);
    const tip = full.slice(end);
    const { track, placed, before } = stem.sent(tip, sent[end - from] ?? false);
    const kept = before(same);
    const seen = (of: Effective<M>) => {
      this.#last = { stem, full: new SharedList(stem.full, end, tip), of };
      return of;
    };
    if (isSame && kept >= this.#settled) {
      const { front, summary, cutoff, editedBefore, list: from } = last.of;
      const list = record ? new Headed(this.#head, track, this.#settled) : track;
      const grown = { from, same: front + Math.max(0, kept - cutoff) };
      // Not with `...`, which takes V8 several times as long.
      return seen({ list, front, summary, track, placed, length, cutoff, editedBefore, grown });
    }
    this.#record = record;
    return seen({ track, length, placed, ...this.#make(full, track, record, before) });
  }

  /** @param before - How many messages of `track` are before a position in `full`. */
  #make(full: readonly M[], track: Listed<M>, record: ContextRecord | null, before: (place: number) => number) {
    const place = record && cutoffOf(full, record);
    if (!record || place === undefined || place === null) {
      // A message of a record that is not about this list may still arrive.
      [this.#settled, this.#head] = [record ? Infinity : 0, []];
      return { list: track, front: 0, summary: null, cutoff: 0, editedBefore: 0 };
    }
    const { cutoff_index: index, cutoff_id: id, summary_message: summary, created_at_index: made } = record;
    const cutoff = before(place);
    const front = systemsBefore(track.array, this.preserveSystem ? cutoff : 0);
    if (summary) front.push(summary as M);
    const edge = edgeOf(full, record);
    const length = Number.isInteger(made) ? (made as number) : undefined;
    // A missing message may still arrive: then nothing is settled.
    const isAll =
      index <= full.length &&
      (id === undefined || idOf(full[place]) === id) &&
      !(length !== undefined && length > full.length) &&
      edge !== undefined;
    const bound = length === undefined ? cutoff : before(length);
    const border = before(edge ?? 0);
    // A boundary recorded only by its own message holds as long as that message stays.
    const leans = (first: unknown, last: unknown, at: number) =>
      typeof first === "string" && idOf(full[at - 1]) !== last ? 1 : 0;
    const settled = Math.max(
      cutoff + leans(id, record.summarized_id, place),
      bound,
      border + leans(record.edited_before, record.edited_id, edge ?? 0),
    );
    const head = track.array
      .slice(cutoff, settled)
      .map((message, at) => (at < bound - cutoff ? withoutReasoning(message, at) : message));
    this.#settled = isAll ? settled : Infinity;
    this.#head = [...front, ...edited(head, this.edits, border - cutoff)];
    const editedBefore = Math.max(0, border - cutoff) + front.length;
    const list = new Headed(this.#head, track, settled);
    return { list, front: front.length, summary, cutoff, editedBefore };
  }
}
