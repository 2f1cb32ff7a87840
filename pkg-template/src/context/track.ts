// The calls of a list of messages and what answers them, followed by the wasm as the list changes at its end.
import { call, RawLedger, room } from "#agent-core";
import { reading } from "../errors.js";
import { listed } from "./options.js";
import { type Facts, factsOf } from "./rows.js";

/** Returns the facts of each message of a list. Throws what a public function does that was given anything else. */
export function factsOfAll(messages: readonly unknown[]): Facts[] {
  return reading(() => {
    listed(messages);
    const facts: Facts[] = [];
    for (let at = 0, { length } = messages; at < length; at++) facts.push(factsOf(messages[at], at));
    return facts;
  });
}

/**
 * Whether each message with calls is followed at once by its results, and there are no others: a list that needs no repair
 * is known as such without its ids having numbers. Where it may say no, the wasm decides.
 */
export function isWhole(facts: readonly Facts[]): boolean {
  let open: string[] = [];
  for (const { kind, ids, answers } of facts) {
    // Each result looks for its call among those that are open.
    if (ids.length > 32) return false;
    if (kind === "tool") {
      const at = open.indexOf(answers as string);
      if (at < 0) return false;
      open.splice(at, 1);
    } else if (open.length > 0) {
      return false;
    } else if (ids.length > 0) {
      open = ids.length > 1 ? [...new Set(ids)] : [...ids];
    }
  }
  return open.length === 0;
}

// What src/wasm_agent/ledger.rs is told of a message, and asked.
const [OTHER, AI, TOOL] = [0, 1, 2];
const [TOKENS, IS_DUE, IS_WHOLE, CUT, NEXT_CUT, EDITS, PENDING] = [0, 1, 2, 3, 4, 5, 6];

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

/** What src/context/cut.rs and policy.rs keep of a list of messages, and the numbers of the ids in it. */
export class Track {
  readonly #raw: RawLedger;
  /** LangChain takes an empty id for none: it is known by its number. */
  readonly #numbers = new Map<unknown, number>([["", 0]]);
  #last: Facts | undefined;
  #length = 0;

  constructor(policy: number[] = []) {
    this.#raw = call(() => RawLedger.of(given(policy)));
  }

  get length(): number {
    return this.#length;
  }

  /** Adds what the wasm reads about a message to a list of rows. */
  add(rows: number[], { kind, ids, invalid, answers }: Facts, tokens = 0, { provider, total, isOurs } = UNKNOWN): void {
    if (kind === "tool") {
      rows.push(TOOL, tokens, this.#number(answers));
    } else if (kind === "ai") {
      rows.push(AI, tokens, this.#number(provider), total, Number(isOurs));
      // How many could be parsed, and they; how many could not, and they.
      const valid = ids.length - invalid;
      rows.push(valid);
      for (let at = 0; at < valid; at++) rows.push(this.#number(ids[at]));
      rows.push(invalid);
      for (let at = valid; at < ids.length; at++) rows.push(this.#number(ids[at]));
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
  replace(length: number, rows: number[] = []): void {
    call(() => this.#raw.replace(length, given(rows)));
  }

  push(facts: readonly Facts[]): void {
    const rows: number[] = [];
    for (const one of facts) this.add(rows, one);
    this.replace(this.#length, rows);
    this.#last = facts.at(-1);
    this.#length += facts.length;
  }

  truncate(length: number): void {
    if (length >= this.#length) return;
    this.replace(length);
    this.#last = undefined;
    this.#length = length;
  }

  /** Does nothing for the same message with one more token, whatever the wasm would do for it. */
  replaceLast(facts: Facts): void {
    if (this.#last !== undefined && sameFacts(this.#last, facts)) return;
    this.truncate(this.#length - 1);
    this.push([facts]);
  }

  #ask(what: number, number = 0): number {
    return call(() => this.#raw.ask(what, number));
  }

  tokens(beside: number): number {
    return this.#ask(TOKENS, beside);
  }

  isDue(beside: number): boolean {
    return this.#ask(IS_DUE, beside) > 0;
  }

  /** The first message that edits leave alone. */
  get editBoundary(): number {
    return this.#ask(EDITS);
  }

  /** Returns the cutoff and the boundary of edits, which save so much of each message; nothing, if nothing is due. */
  due(front: number, beside: number, saved: number[]): number[] {
    return call(() => (this.#raw.due(front, beside, given(saved)) ? taken(2) : []));
  }

  /** Whether the list needs no repair. */
  get isWhole(): boolean {
    return this.#ask(IS_WHOLE) > 0;
  }

  cut(target: number): number {
    return this.#ask(CUT, target);
  }

  nextCut(target: number): number | undefined {
    const cut = this.#ask(NEXT_CUT, target);
    return cut < 0 ? undefined : cut;
  }

  /** The position of a message with a call that waits for its result, or the number of messages. */
  get pending(): number {
    return this.#ask(PENDING);
  }

  all(): number[] {
    return call(() => taken(this.#raw.cuts()));
  }

  free(): void {
    call(() => this.#raw.free());
  }
}

function sameFacts(one: Facts, other: Facts): boolean {
  return (
    one === other ||
    (one.kind === other.kind &&
      one.answers === other.answers &&
      one.invalid === other.invalid &&
      one.ids.length === other.ids.length &&
      one.ids.every((id, at) => id === other.ids[at]))
  );
}
