// The messages of a context in numbers, kept in the wasm: what changed since the last look is all that is counted anew.
import { fieldsOf } from "./message-parts.js";
import { factsOf } from "./rows.js";
import { Track } from "./track.js";
import { usageOf } from "./usage-scale.js";

/** A list of messages, counted. */
export class Ledger extends Track {
  #list: readonly object[] = [];

  constructor(
    policy: number[],
    private readonly count: (message: object) => number,
    private readonly ours: readonly string[],
  ) {
    super(policy);
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
    const rows: number[] = [];
    for (let at = same; at < list.length; at++) this.#add(rows, list[at] as object, at);
    // Nothing has changed yet if a message could not be read.
    this.replace(same, rows);
    this.#list = list;
    return this;
  }

  #add(rows: number[], message: object, at: number): void {
    const facts = factsOf(message, at);
    const tokens = this.count(message);
    if (facts.kind !== "ai") return this.add(rows, facts, tokens);
    const { provider, totalTokens = NaN } = usageOf({ fields: fieldsOf(message) });
    this.add(rows, facts, tokens, { provider, total: totalTokens, isOurs: this.ours.includes(provider as string) });
  }
}
