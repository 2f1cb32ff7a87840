// A list of messages in numbers, for the decisions of the agent half's wasm: crates/agent-wasm/src/context.rs reads and writes
// these. The numbers live here; the wasm keeps copies of the lists asked for last. A dropped list leaves nothing, and no
// finalizer has to run.
import { askList, call, extendList, openList, room } from "#agent-core";
import type { Facts } from "./rows.js";
import type { Usage } from "./usage-scale.js";

// The questions, in the order of crates/agent-wasm/src/context.rs.
const TOKENS = 0;
const IS_DUE = 1;
const DUE_AT = 2;
const EDIT_BOUNDARY = 3;
const DUE = 4;
const IS_WHOLE = 5;
const PENDING = 6;
const CUT = 7;
const NEXT_CUT = 8;
const ALL_CUTS = 9;
const REPAIR = 10;

// The kinds of a row.
const OTHER = 0;
const TOOL = 1;
const AI = 2;

/** No id, no provider, no place. */
const NONE = -1;

/** The most numbers that cross at once, but for one long row. */
const SHEET = 8192;

/** The most messages that the wasm keeps, some 100 bytes each; and the messages that a list counts for by itself. */
const MOST = 100_000;
const LIST = 64;

/** The lists in the wasm, the last one asked at the end; the messages of all; the place of the last one. */
const inWasm = new Set<NumberedList>();
let kept = 0;
let last: number | undefined;
/** The free places, and the number of all. */
const free: number[] = [];
let places = 0;

/** A list of messages in numbers. */
export class NumberedList {
  /** The rows, one after the other, and where each starts. */
  readonly #numbers: number[] = [];
  readonly #starts: number[] = [];
  /** The numbers of ids and providers. A removed message also removes those that it added. */
  readonly #numberOf = new Map<unknown, number>([["", 0]]);
  readonly #names: unknown[] = [""];
  readonly #named: number[] = [];
  /** Its place in the wasm, the number of messages there, and the number of those that are still the same. */
  #place = NONE;
  #there = 0;
  #same = 0;

  /** @param policy - The numbers of `policyOf`. */
  constructor(private readonly policy: readonly number[] = []) {}

  get length(): number {
    return this.#starts.length;
  }

  /** Adds a message at the end. `isOurs`: its reported total counts for a trigger. */
  push(facts: Facts, tokens = 0, usage?: Usage, isOurs = false): void {
    this.#starts.push(this.#numbers.length);
    this.#named.push(this.#names.length);
    const { kind, ids, invalid, answers } = facts;
    const numbers = this.#numbers;
    numbers.push(tokens);
    if (kind === "other") numbers.push(OTHER);
    else if (kind === "tool") numbers.push(TOOL, answers === undefined ? NONE : this.#number(answers));
    else {
      const { provider = null, totalTokens = NaN } = usage ?? {};
      numbers.push(AI, provider === null ? NONE : this.#number(provider), totalTokens, Number(isOurs));
      numbers.push(ids.length - invalid, ids.length);
      for (const id of ids) numbers.push(this.#number(id));
    }
  }

  /** Keeps the first `length` messages. */
  truncate(length: number): void {
    if (length >= this.length) return;
    const names = this.#named[length] as number;
    while (this.#names.length > names) this.#numberOf.delete(this.#names.pop());
    // One by one, which is faster than a new length for the few of a message that is replaced.
    for (const end = this.#starts[length] as number; this.#numbers.length > end;) this.#numbers.pop();
    for (const list of [this.#starts, this.#named]) while (list.length > length) list.pop();
    this.#same = Math.min(this.#same, length);
  }

  /** Returns the tokens of all, with so many beside them. */
  tokens(beside: number): number {
    return this.#ask(TOKENS, beside);
  }

  /** Whether a trigger holds, with so many tokens beside them. */
  isDue(beside: number): boolean {
    return this.#ask(IS_DUE, beside) > 0;
  }

  /** Returns the tokens from which on a trigger holds, with so many messages. */
  dueAt(messages: number): number {
    return this.#ask(DUE_AT, messages);
  }

  /** Returns the first message that edits leave alone. */
  editBoundary(): number {
    return this.#ask(EDIT_BOUNDARY);
  }

  /** Returns where to cut and up to where to edit; undefined if nothing is due. */
  due(front: number, beside: number, saved: readonly number[]): number[] | undefined {
    this.#inWasm();
    const { length } = saved;
    if (length > 0) room(length).set(saved);
    return answered(this.#ask(DUE, front, beside, length));
  }

  /** Whether it needs no repair. */
  get isWhole(): boolean {
    return this.#ask(IS_WHOLE) > 0;
  }

  /** The position of a message with a call that waits for its result: nothing follows it but results. */
  get pending(): number | undefined {
    const at = this.#ask(PENDING);
    return at < this.length ? at : undefined;
  }

  /** Returns the largest safe cut that keeps all messages from `target` on. */
  cut(target: number): number {
    return this.#ask(CUT, target);
  }

  /** Returns the smallest safe cut from `target` on. */
  nextCut(target: number): number | undefined {
    const cut = this.#ask(NEXT_CUT, target);
    return cut < 0 ? undefined : cut;
  }

  /** Returns all safe cuts, in ascending order. */
  cuts(): number[] {
    const cuts = answered(this.#ask(ALL_CUTS)) ?? [];
    return cuts.map((_, at) => cuts.at(-1 - at) as number);
  }

  /**
   * Returns the repaired list: positions, and `-1 - position` for an answer to a call of the last message of a model.
   * Undefined if nothing changes. `all`: also calls that wait are answered.
   */
  repair(all: boolean): number[] | undefined {
    return answered(this.#ask(REPAIR, Number(all)))?.slice(1);
  }

  #ask(what: number, first = 0, second = 0, length = 0): number {
    this.#inWasm();
    return call(() => askList(this.#place, what, first, second, length));
  }

  #number(name: unknown): number {
    let number = this.#numberOf.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#numberOf.set(name, number);
    }
    return number;
  }

  /** Brings the wasm's copy up to date. */
  #inWasm(): void {
    if (this.#place !== last || this.#same < this.length || this.#there > this.length) this.#bring();
  }

  #bring(): void {
    if (this.#place < 0) this.#open();
    if (this.#place !== last) {
      inWasm.delete(this);
      inWasm.add(this);
      last = this.#place;
    }
    const { length } = this;
    while (this.#same < length || this.#there > length) this.#extend();
    if (kept <= MOST) return;
    for (const list of inWasm) {
      if (kept <= MOST || list === this) break;
      list.#leave();
    }
  }

  #open(): void {
    const place = free.pop() ?? places++;
    const { policy } = this;
    if (policy.length > 0) room(policy.length).set(policy);
    call(() => openList(place, policy.length));
    [this.#place, this.#there, this.#same] = [place, 0, 0];
    kept += LIST;
  }

  /** Writes some messages after those that are the same. */
  #extend(): void {
    const [from, starts, numbers] = [this.#same, this.#starts, this.#numbers];
    const start = starts[from] ?? numbers.length;
    let [to, end] = [from, start];
    while (to < starts.length && end - start < SHEET) end = starts[++to] ?? numbers.length;
    const sheet = room(Math.max(1, end - start));
    for (let at = start; at < end; at++) sheet[at - start] = numbers[at] as number;
    call(() => extendList(this.#place, from, end - start));
    kept += to - this.#there;
    this.#there = this.#same = to;
  }

  /** Frees its place in the wasm. */
  #leave(): void {
    inWasm.delete(this);
    call(() => openList(this.#place, 0));
    free.push(this.#place);
    kept -= this.#there + LIST;
    [this.#place, this.#there, this.#same] = [NONE, 0, 0];
  }
}

/** Returns the numbers of an answer; undefined for none. */
const answered = (length: number): number[] | undefined =>
  length > 0 ? Array.from(room(length).subarray(0, length)) : undefined;
