// The calls of a list of messages and what answers them, followed by the wasm as the list changes at its end.
import * as core from "#agent-core";
import { reading, ThreadfoldError } from "../errors.js";
import { type Facts, factsOf, Rows } from "./rows.js";

/** Returns the facts of each message of a list. Throws what a public function does that was given anything else. */
export function factsOfAll(messages: readonly unknown[]): Facts[] {
  return reading(() => {
    if (!Array.isArray(messages)) throw new ThreadfoldError("INVALID_VALUE", "messages should be a list of messages.");
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

/** What `src/context/cut.rs` keeps, and the numbers of the ids of calls. */
export class Track {
  readonly #raw = core.call(() => new core.RawTrack());
  readonly #rows = new Rows();
  #last: Facts | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(facts: readonly Facts[]): void {
    if (facts.length === 0) return;
    const rows = this.#rows.of(facts);
    core.call(() => this.#raw.push(rows));
    this.#last = facts.at(-1);
    this.#length += facts.length;
  }

  truncate(length: number): void {
    if (length >= this.#length) return;
    core.call(() => this.#raw.truncate(length));
    this.#last = undefined;
    this.#length = length;
  }

  /** Does nothing for the same message with one more token, whatever the wasm would do for it. */
  replaceLast(facts: Facts): void {
    if (this.#last !== undefined && sameFacts(this.#last, facts)) return;
    this.truncate(this.#length - 1);
    this.push([facts]);
  }

  cut(target: number): number {
    return core.call(() => this.#raw.cut(target));
  }

  nextCut(target: number): number | undefined {
    const cut = core.call(() => this.#raw.nextCut(target));
    return cut < 0 ? undefined : cut;
  }

  all(): number[] {
    return Array.from(core.call(() => this.#raw.cuts()));
  }

  /** The position of a message with a call that waits for its result, or the number of messages. */
  get pending(): number {
    return core.call(() => this.#raw.pending());
  }

  /** Whether {@link repair} has nothing to do from a safe cut on. */
  isWhole(from: number): boolean {
    return core.call(() => this.#raw.isWhole(from));
  }

  /**
   * Returns what the messages from `from` on become: for each its position, or an answer that {@link answeredBy} knows.
   * Returns undefined if there is nothing to do. Calls that wait for their results are answered only if `all`.
   */
  repair(from: number, all: boolean): Uint32Array | undefined {
    return core.call(() => this.#raw.repair(from, all));
  }

  free(): void {
    core.call(() => this.#raw.free());
  }
}

const ANSWER = 0x80000000;

/** Returns the position of the call that a number of a plan answers; undefined if it is the position of a message. */
export const answeredBy = (step: number): number | undefined => (step >= ANSWER ? step - ANSWER : undefined);

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
