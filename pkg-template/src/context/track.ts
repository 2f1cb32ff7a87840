// A list of messages as the wasm has it, in numbers.
import { call, RawLedger, room } from "#agent-core";
import type { Facts } from "./rows.js";

// What src/wasm_agent/ledger.rs is told of a message.
const OTHER = 0;
const AI = 1;
const TOOL = 2;

// What it is asked.
export const TOKENS = 0;
export const IS_DUE = 1;
export const IS_WHOLE = 2;
export const CUT = 3;
export const NEXT_CUT = 4;
export const EDIT_BOUNDARY = 5;
export const PENDING = 6;

/** Writes numbers where the wasm reads them. Returns how many. */
function given(numbers: readonly number[]): number {
  room(numbers.length).set(numbers);
  return numbers.length;
}

/** Reads so many numbers that the wasm has written. */
const taken = (length: number): number[] => Array.from(room(length).subarray(0, length));

/** What an AI message says about its making. */
export interface Making {
  readonly provider: unknown;
  readonly total: number;
  /** Whether it is of a provider of ours. */
  readonly isOurs: boolean;
}

const UNKNOWN: Making = { provider: null, total: NaN, isOurs: false };

/** What src/context/ledger.rs keeps of a list of messages, and the numbers of the ids in it. */
export class Track {
  readonly #raw: RawLedger;
  /** LangChain takes an empty id for none: it is known by its number. */
  readonly #numbers = new Map<unknown, number>([["", 0]]);

  constructor(policy: number[] = []) {
    this.#raw = call(() => RawLedger.of(given(policy)));
  }

  /** Adds what the wasm reads about a message to a list of rows. */
  add(rows: number[], { kind, ids, invalid, answers }: Facts, tokens = 0, { provider, total, isOurs } = UNKNOWN): void {
    if (kind === "tool") {
      rows.push(TOOL, tokens, this.#number(answers));
    } else if (kind === "ai") {
      rows.push(AI, tokens, this.#number(provider), total, Number(isOurs));
      // How many could be parsed, how many there are, and they.
      rows.push(ids.length - invalid, ids.length);
      for (const id of ids) rows.push(this.#number(id));
    } else {
      rows.push(OTHER, tokens);
    }
  }

  #number(name: unknown): number {
    if (name === undefined || name === null) return NaN;
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = this.#numbers.size));
    return number;
  }

  /** Keeps the first messages, and adds others by their rows. */
  replace(length: number, rows: number[]): void {
    call(() => this.#raw.replace(length, given(rows)));
  }

  /** Asks one of the questions above. */
  ask(what: number, number = 0): number {
    return call(() => this.#raw.ask(what, number));
  }

  /** Returns the cutoff and the boundary of edits, which save so much up to each message; nothing, if nothing is due. */
  due(front: number, beside: number, saved: number[]): number[] {
    return call(() => (this.#raw.due(front, beside, given(saved)) ? taken(2) : []));
  }

  /** Returns all safe cuts, in ascending order. */
  cuts(): number[] {
    const cuts = call(() => taken(this.#raw.cuts()));
    return cuts.map((_, at) => cuts.at(-1 - at) as number);
  }

  free(): void {
    call(() => this.#raw.free());
  }
}
