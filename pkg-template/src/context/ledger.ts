// The messages of a context, read and counted: a look reads only the changes. The decisions are made over their numbers.
import { fieldsOf } from "./message-parts.js";
import { NumberedList } from "./numbered-list.js";
import { type Facts, factsOf } from "./rows.js";
import { type Listed, listOf } from "./shared-list.js";
import { type Usage, usageOf } from "./usage-scale.js";

/** The compaction due. */
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

const NONE = listOf<object>([]);

/** The messages of one conversation, as they were looked at last. */
export class Ledger {
  #list: Listed<object> = NONE;
  readonly #numbers: NumberedList;

  /**
   * @param policy - The numbers of `policyOf`.
   * @param count - Counts a message.
   * @param ours - The providers whose own count of an answer counts for a trigger.
   */
  constructor(
    policy: readonly number[],
    private readonly count: (message: object) => number,
    private readonly ours: readonly unknown[],
  ) {
    this.#numbers = new NumberedList(policy);
  }

  /**
   * Looks at a list. Messages at its start that are the same objects are not looked at again.
   *
   * @param grown - The list that it grew from, and how many messages both begin with at least.
   */
  show(list: Listed<object>, grown?: { readonly from: Listed<object>; readonly same: number }): this {
    const before = this.#list;
    if (before === list) return this;
    let same = grown?.from === before ? grown.same : 0;
    const most = Math.min(before.length, list.length);
    while (same < most && before.at(same) === list.at(same)) same++;
    const rows: Row[] = [];
    for (let at = same; at < list.length; at++) rows.push(this.#read(list.at(at) as object, at));
    // Nothing has changed yet if a message could not be read. Unless the caller's code, which reading runs, looked, too.
    if (this.#list !== before) return this.show(list);
    // Should the stack overflow on the way, all is counted anew.
    this.#list = NONE;
    this.#numbers.truncate(same);
    for (const { facts, tokens, usage } of rows)
      this.#numbers.push(facts, tokens, usage, usage && this.ours.includes(usage.provider));
    this.#list = list;
    return this;
  }

  #read(message: object, at: number): Row {
    const facts = factsOf(message, at);
    const usage = facts.kind === "ai" ? usageOf({ fields: fieldsOf(message) }) : undefined;
    return { facts, tokens: this.count(message), usage };
  }

  /** Whether the messages need no repair. */
  get isWhole(): boolean {
    return this.#numbers.isWhole;
  }

  /** Returns the tokens of all, `beside` them what repairs them takes. */
  tokens(beside = 0): number {
    return this.#numbers.tokens(beside);
  }

  /** Whether something may be due: a trigger holds. */
  isDue(beside: number): boolean {
    return this.#numbers.isDue(beside);
  }

  /** The tokens from which on a trigger holds, with so many messages. */
  dueAt(messages: number): number {
    return this.#numbers.dueAt(messages);
  }

  /** The first message that edits leave alone. */
  editBoundary(): number {
    return this.#numbers.editBoundary();
  }

  /**
   * Decides what is due where a trigger holds. `front` messages stay in front whatever happens; editing those before
   * {@link editBoundary} would save so many tokens up to each message, itself included.
   */
  due(front: number, beside: number, saved: readonly number[]): Decision | undefined {
    const due = this.#numbers.due(front, beside, saved);
    return due && { cutoff: due[0] as number, editedBefore: due[1] as number };
  }
}
