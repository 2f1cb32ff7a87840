// The messages of a context in numbers, kept in the wasm: what changed since the last look is all that is counted anew.
import { call, RawLedger } from "#agent-core";
import { type Facts, factsOf } from "./rows.js";
import { isDict } from "./python-text.js";

const [OTHER, AI, TOOL] = [0, 1, 2];

/** A list of messages, counted. */
export class Ledger {
  readonly #raw: RawLedger;
  /** LangChain takes an empty id for none: it is known by its number. */
  readonly #ids = new Map<unknown, number>([["", 0]]);
  readonly #providers = new Map<unknown, number>();
  #list: readonly object[] = [];

  constructor(
    policy: Float64Array,
    private readonly count: (message: object) => number,
    private readonly ours: readonly string[],
  ) {
    this.#raw = call(() => new RawLedger(policy));
  }

  /**
   * Makes it that of another list; messages from the start on that are the same objects are not looked at again.
   *
   * @param grown - The list that it grew from, and how many messages both begin with at least.
   */
  show(list: readonly object[], grown?: { readonly from: readonly object[]; readonly same: number }): this {
    const before = this.#list;
    if (before === list) return this;
    let same = grown?.from === before ? grown.same : 0;
    const most = Math.min(before.length, list.length);
    while (same < most && before[same] === list[same]) same++;
    if (same === before.length && same === list.length) return this;
    const row: number[] = [];
    for (let at = same; at < list.length; at++) this.#add(row, list[at] as object, at);
    // Nothing has changed yet if a message could not be read.
    call(() => this.#raw.replace(same, new Float64Array(row)));
    this.#list = list;
    return this;
  }

  #add(row: number[], message: object, at: number): void {
    const facts: Facts = factsOf(message, at);
    const tokens = this.count(message);
    if (facts.kind === "tool") {
      row.push(TOOL, tokens, facts.answers === undefined ? NaN : numberOf(this.#ids, facts.answers));
    } else if (facts.kind === "ai") {
      const { response_metadata: response, usage_metadata: usage } = message as Record<string, unknown>;
      const provider = isDict(response) ? (response["model_provider"] ?? null) : null;
      const total = isDict(usage) ? usage["total_tokens"] : undefined;
      row.push(
        AI,
        tokens,
        facts.ids.length,
        facts.invalid,
        provider === null ? NaN : numberOf(this.#providers, provider),
        Number.isInteger(total) ? (total as number) : NaN,
        Number(this.ours.includes(provider as string)),
      );
      for (const id of facts.ids) row.push(numberOf(this.#ids, id));
    } else {
      row.push(OTHER, tokens);
    }
  }

  tokens(beside: number): number {
    return call(() => this.#raw.tokens(beside));
  }

  isDue(beside: number): boolean {
    return call(() => this.#raw.isDue(beside));
  }

  /** Returns the cutoff and the boundary of edits; nothing, if nothing is due. */
  due(front: number, edited: number, beside: number, saved: readonly number[]): Uint32Array {
    return call(() => this.#raw.due(front, edited, beside, new Float64Array(saved)));
  }

  /** Whether the list needs no repair. */
  get isWhole(): boolean {
    return call(() => this.#raw.isWhole());
  }

  /** The tokens and the messages of each trigger. */
  get thresholds(): Float64Array {
    return call(() => this.#raw.thresholds());
  }
}

function numberOf(numbers: Map<unknown, number>, name: unknown): number {
  let number = numbers.get(name);
  if (number === undefined) numbers.set(name, (number = numbers.size));
  return number;
}
