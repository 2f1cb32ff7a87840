// The messages of a context in numbers, and what a policy makes of them: what changed since the last look is all that is
// counted anew. src/context/ledger.rs is the same in Rust.
import { Track } from "./cut.js";
import { fieldsOf } from "./message-parts.js";
import type { Limits } from "./policy.js";
import { type Facts, factsOf } from "./rows.js";
import { factorOf, type Scale, scaledBy, UNSCALED, type Usage, usageOf } from "./usage-scale.js";

/** What is due. */
export interface Decision {
  /** Summarize the messages before this one of the list; 0 for none. */
  readonly cutoff: number;
  /** Edit the messages before this one; 0 for no change. */
  readonly editedBefore: number;
}

/** A message that was read and is not counted yet. */
interface Row {
  readonly facts: Facts;
  readonly tokens: number;
  readonly usage: Usage | undefined;
}

/** A list of messages, counted. */
export class Ledger {
  #list: readonly object[] = [];
  readonly #track = new Track();
  /** The tokens up to each message, itself included. */
  readonly #sums: number[] = [];
  /** What the answers up to each message took. */
  readonly #scales: Scale[] = [];
  /** What the last answer up to each message took, if it is of a provider of ours; else 0. */
  readonly #reported: number[] = [];

  constructor(
    private readonly limits: Limits,
    private readonly count: (message: object) => number,
    private readonly ours: readonly unknown[],
  ) {}

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
    const rows: Row[] = [];
    for (let at = same; at < list.length; at++) rows.push(this.#read(list[at] as object, at));
    // Nothing has changed yet if a message could not be read. Unless the caller's code, which reading runs, looked, too.
    if (this.#list !== before) return this.show(list);
    // Should the stack overflow on the way, all is counted anew.
    this.#list = [];
    this.#track.truncate(same);
    for (const own of [this.#sums, this.#scales, this.#reported]) while (own.length > same) own.pop();
    for (const row of rows) this.#push(row);
    this.#list = list;
    return this;
  }

  #read(message: object, at: number): Row {
    const facts = factsOf(message, at);
    const usage = facts.kind === "ai" ? usageOf({ fields: fieldsOf(message) }) : undefined;
    return { facts, tokens: this.count(message), usage };
  }

  #push({ facts, tokens, usage }: Row): void {
    const sum = this.#sum + tokens;
    const isOurs = usage && this.ours.includes(usage.provider);
    const reported = usage ? ((isOurs ? usage.totalTokens : undefined) ?? 0) : this.#lastReported;
    this.#scales.push(usage ? scaledBy(this.#scale, usage, sum) : this.#scale);
    this.#sums.push(sum);
    this.#reported.push(reported);
    this.#track.push(facts);
  }

  get #length(): number {
    return this.#sums.length;
  }

  get #sum(): number {
    return this.#sums.at(-1) ?? 0;
  }

  get #scale(): Scale {
    return this.#scales.at(-1) ?? UNSCALED;
  }

  get #lastReported(): number {
    return this.#reported.at(-1) ?? 0;
  }

  /** Whether the messages need no repair. */
  get isWhole(): boolean {
    return this.#track.isWhole;
  }

  /** The tokens before a message. */
  #before(at: number): number {
    return this.#sums[at - 1] ?? 0;
  }

  /** Returns the tokens of all, `beside` them what repairs them takes. */
  tokens(beside = 0): number {
    const { overhead, apart, isScaled } = this.limits;
    const counted = overhead + this.#sum + beside;
    return Math.ceil(isScaled ? counted * factorOf(this.#scale, overhead, this.#length + apart) : counted);
  }

  /** Whether something may be due: a trigger holds. */
  isDue(beside: number): boolean {
    const { most, thresholds } = this.limits;
    const tokens = this.tokens(beside);
    const reached = Math.max(tokens, this.#lastReported);
    return tokens > most || thresholds.some(([least, messages]) => reached >= least && this.#length >= messages);
  }

  /**
   * Decides what is due where a trigger holds: edits, if no trigger holds after them and they save at least half of what a summary would; else a
   * summary, of what is edited then. `front` messages stay in front whatever happens; editing those before
   * {@link editBoundary} would save so many tokens up to each message, itself included.
   */
  due(front: number, beside: number, saved: readonly number[]): Decision | undefined {
    const room = saved.at(-1) ?? 0;
    const editedBefore = room > 0 ? this.editBoundary() : 0;
    if (room > 0) {
      // A little less is not worth a prompt cache: it would be due again soon.
      const bySummary = this.#sum - this.limits.keep[0];
      if (room >= bySummary / 2 && !this.isDue(beside - room)) return { cutoff: 0, editedBefore };
    }
    const cutoff = this.#cutoff(front, room > 0 ? saved : []);
    return cutoff > 0 || editedBefore > 0 ? { cutoff, editedBefore } : undefined;
  }

  /** The first message that edits leave alone. */
  editBoundary(): number {
    const { editKeepResults, editKeepMessages } = this.limits;
    let byResults = this.#length;
    for (let kept = 0; kept < editKeepResults && byResults > 0; kept++)
      do byResults--;
      while (byResults > 0 && !this.#track.isResult(byResults));
    return Math.min(Math.max(0, this.#length - editKeepMessages), byResults);
  }

  /** Returns the first message to keep, or 0 to keep all. */
  #cutoff(front: number, saved: readonly number[]): number {
    const { keep, frontCounts, asLangchain } = this.limits;
    const tokens = frontCounts ? Math.max(1, keep[0] - this.#before(front)) : keep[0];
    const byTokens = this.#byTokens(tokens, saved);
    const byMessages = Math.max(0, this.#length - keep[1]);
    const target = Math.max(byTokens ?? 0, byMessages);
    // Scaled, all may be too much, and as it is it is not: then it moves off a result.
    if (asLangchain) return byTokens === undefined && byMessages === 0 ? 0 : this.#langchainCut(target);
    if (target <= front) return 0;
    const cut = this.#track.cut(target);
    if (cut > front) return cut;
    // Nothing that keeps all of it: what keeps a little less.
    const next = this.#track.nextCut(target) ?? 0;
    return next > front ? next : 0;
  }

  /**
   * The earliest message from which on the messages have no more tokens, and at least one stays; none, if all have no more.
   */
  #byTokens(keep: number, saved: readonly number[]): number | undefined {
    const length = this.#length;
    const sum = this.#sum;
    const room = saved.at(-1) ?? 0;
    // As the reference has it, all are counted scaled, and parts are not.
    const all = this.limits.isScaled ? Math.ceil(sum * factorOf(this.#scale, 0, length)) : sum;
    if (all - room <= keep) return undefined;
    const from = (at: number) => Math.ceil(sum - this.#before(at)) - (room - (saved[at - 1] ?? 0));
    let [least, most] = [0, length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (from(middle) <= keep) most = middle;
      else least = middle + 1;
    }
    if (least < length) return least;
    return length > 1 ? length - 1 : undefined;
  }

  /**
   * Where LangChain cuts: not between a run of results and the nearest message with a call of one of them; if there is
   * none, behind the run.
   */
  #langchainCut(target: number): number {
    let end = target;
    let caller = -1;
    for (; this.#track.isResult(end); end++) caller = Math.max(caller, this.#track.caller(end) ?? -1);
    return caller < 0 ? end : caller;
  }
}
