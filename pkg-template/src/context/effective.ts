// The list that a record leaves of the full track, before it is repaired. Between two records it only grows.
import { idOf } from "./edited.js";
import { isForScreen, kindOf } from "./message-parts.js";
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

/** What is sent of a full track, and where in it each part comes from. */
export interface Effective<M> {
  readonly list: readonly M[];
  /** How many messages stand in front: the system messages that stay, the summary. */
  readonly front: number;
  readonly summary: object | null;
  /** The messages of the full track, without those that are only for the screen. */
  readonly track: readonly M[];
  /** The position of each of them in the full track, unless they are all of it. */
  readonly places: readonly number[] | undefined;
  /** The number of messages of the full track. */
  readonly length: number;
  /** The position in it of the first message that is kept. */
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
  /** The position in the full track of each message of `track`. */
  readonly #places: number[] = [];
  /** How many messages of the track went into `#head`, which holds all that is not just as it came. */
  #settled = 0;
  #head: readonly M[] = [];

  constructor(
    private readonly edits: readonly Edit[],
    private readonly preserveSystem: boolean,
  ) {}

  of(full: readonly M[], record: ContextRecord | null): Effective<M> {
    const last = this.#last;
    const before = last ? this.#full : [];
    const most = Math.min(before.length, full.length);
    let same = 0;
    while (same < most && full[same] === before[same]) same++;
    const isSame = last && record === this.#record;
    if (isSame && same === before.length && same === full.length) return last;
    // Copies: the caller may push to the list.
    const places = this.#places;
    let kept = Math.min(same, places.length);
    while (kept > 0 && (places[kept - 1] as number) >= same) kept--;
    while (places.length > kept) places.pop();
    this.#last = undefined;
    for (let at = same; at < full.length; at++) if (!isForScreen(full[at])) places.push(at);
    const { length } = full;
    const isWhole = places.length === length;
    this.#full = full.slice();
    const track = isWhole ? this.#full : places.map((at) => full[at] as M);
    const placed = isWhole ? undefined : places.slice();
    if (isSame && kept >= this.#settled) {
      const list = record ? this.#head.concat(track.slice(this.#settled)) : track;
      const { front, summary, cutoff, editedBefore } = last;
      const grown = { from: last.list, same: front + Math.max(0, kept - cutoff) };
      // Not with `...`, which takes V8 several times as long.
      return (this.#last = { list, front, summary, track, places: placed, length, cutoff, editedBefore, grown });
    }
    this.#record = record;
    return (this.#last = { track, length, places: placed, ...this.#make(full, track, record) });
  }

  /** How many messages of `track` are before a position in the full track. */
  #before(place: number): number {
    const at = this.#places.findIndex((one) => one >= place);
    return at < 0 ? this.#places.length : at;
  }

  #make(full: readonly M[], track: readonly M[], record: ContextRecord | null) {
    const place = record && cutoffOf(full, record);
    if (!record || place === undefined || place === null) {
      // Of a record that is not about this list a message may still come.
      [this.#settled, this.#head] = [record ? Infinity : 0, []];
      return { list: track, front: 0, summary: null, cutoff: 0, editedBefore: 0 };
    }
    const { cutoff_index: index, cutoff_id: id, summary_message: summary, created_at_index: made } = record;
    const cutoff = this.#before(place);
    const front = systemsBefore(track, this.preserveSystem ? cutoff : 0);
    if (summary) front.push(summary as M);
    const edge = edgeOf(full, record);
    const length = Number.isInteger(made) ? (made as number) : undefined;
    // What is not there yet may still come: then nothing is settled.
    const isAll =
      index <= full.length &&
      (id === undefined || idOf(full[place]) === id) &&
      !(length !== undefined && length > full.length) &&
      edge !== undefined;
    const bound = length === undefined ? cutoff : this.#before(length);
    const before = this.#before(edge ?? 0);
    // A boundary that only its own message says holds as long as that one stays.
    const leans = (first: unknown, last: unknown, at: number) =>
      typeof first === "string" && idOf(full[at - 1]) !== last ? 1 : 0;
    const settled = Math.max(
      cutoff + leans(id, record.summarized_id, place),
      bound,
      before + leans(record.edited_before, record.edited_id, edge ?? 0),
    );
    const head = track
      .slice(cutoff, settled)
      .map((message, at) => (at < bound - cutoff ? withoutReasoning(message, at) : message));
    this.#settled = isAll ? settled : Infinity;
    this.#head = [...front, ...edited(head, this.edits, before - cutoff)];
    const editedBefore = Math.max(0, before - cutoff) + front.length;
    const list = this.#head.concat(track.slice(settled));
    return { list, front: front.length, summary, cutoff, editedBefore };
  }
}
