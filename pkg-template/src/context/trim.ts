// Trims a list of messages. src/context/trim.rs is the same in Rust.
import { blockText, withFields } from "./edited.js";
import { fieldsOf, kindOf } from "./message-parts.js";
import { calledBy, flagOr, isSecond, listed, optionsOf, reading, ThreadfoldError, wrong } from "./options.js";
import { checkOptions } from "../shared/options.js";
import { type Facts, factsOf } from "./rows.js";
import { type Counter, counterOf, knownOf, type TokenCounter } from "./token-counter.js";

/** A type of messages, such as `"human"`, or a class of them. */
export type MessageType = string | (abstract new (...args: never[]) => object);

/** The options of {@link trimMessages}. */
export interface TrimMessagesOptions<M = object> {
  /** At most this many tokens. */
  readonly maxTokens: number;
  /** How they are counted: `"approximate"` by default. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
  /** The newest messages, or the `"first"`: `"last"` by default. */
  readonly strategy?: "last" | "first" | undefined;
  /** The types on which the kept part may start. With `"last"` only. A chunk's type is the name of its class. */
  readonly startOn?: MessageType | readonly MessageType[] | undefined;
  /** The types on which it may end. */
  readonly endOn?: MessageType | readonly MessageType[] | undefined;
  /** Whether a system message in front stays, even if it alone is too much. With `"last"` only. */
  readonly includeSystem?: boolean | undefined;
  /** Whether the message that does not fit is cut: to some of its blocks, or some of its text. */
  readonly allowPartial?: boolean | undefined;
  /** How a text is cut: at the ends of its lines, unless given. */
  readonly textSplitter?: ((text: string) => readonly string[]) | undefined;
  /**
   * `"whole"`, the default, keeps a tool call and its result together or not at all, and no result without a call.
   * `"as-langchain"` does exactly what Python does, which leaves such results.
   */
  readonly toolPairs?: "whole" | "as-langchain" | undefined;
}

/**
 * Returns the newest messages that fit a number of tokens, or the oldest, by the rules of Python's `trim_messages`
 * (langchain-core 1.7). In one thing it does better, unless `toolPairs` says otherwise: a tool's result never stays
 * without its call.
 *
 * Its messages are the objects that you gave, except one that is cut to a part. A list that fits is returned as it is.
 * With the built-in counters only the kept messages are read. Counts are cached by message, so that the next call costs
 * next to nothing: do not change a message in place.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options that Python refuses, too, and for a counter or splitter
 *   that throws; `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { trimMessages } from "threadfold/context";
 *
 * const messages = [
 *   { type: "system", content: "Be brief." },
 *   { type: "human", content: "6 × 7?" },
 *   { type: "ai", content: "", tool_calls: [{ name: "times", args: { a: 6, b: 7 }, id: "c1" }] },
 *   { type: "tool", tool_call_id: "c1", content: "42" },
 *   { type: "ai", content: "It is 42." },
 * ];
 * const kept = trimMessages(messages, { maxTokens: 25, includeSystem: true });
 * console.log(kept.map(({ type }) => type)); // [ 'system', 'ai' ]
 * ```
 */
export function trimMessages<M extends object>(messages: readonly M[], options: TrimMessagesOptions<M>): M[] {
  return reading(() => {
    const list = listed(messages);
    const { maxTokens, tokenCounter, strategy, startOn, endOn, includeSystem, allowPartial, textSplitter, toolPairs } =
      optionsOf(options);
    checkOptions("trimMessages", optionsOf(options), [
      "maxTokens",
      "tokenCounter",
      "strategy",
      "startOn",
      "endOn",
      "includeSystem",
      "allowPartial",
      "textSplitter",
      "toolPairs",
    ]);
    const isFirst = isSecond(strategy, "strategy", "last", "first");
    const types = [typesOf(startOn, "startOn"), typesOf(endOn, "endOn")] as const;
    if (typeof maxTokens !== "number" || Number.isNaN(maxTokens)) throw wrong("maxTokens", "a number");
    if (textSplitter != null && typeof textSplitter !== "function") throw wrong("textSplitter", "a function");
    if (isFirst && types[0]) throw refusedFirst("startOn");
    const keepsSystem = flagOr(includeSystem, false, "includeSystem");
    if (isFirst && keepsSystem) throw refusedFirst("includeSystem");
    const trimmed = new Trimmed(list, {
      budget: maxTokens,
      counter: counterOf(tokenCounter),
      isFirst,
      types,
      split: textSplitter ?? lines,
      pairs: isSecond(toolPairs, "toolPairs", "whole", "as-langchain") ? undefined : new Pairs(list),
    });
    return trimmed.kept(keepsSystem, flagOr(allowPartial, false, "allowPartial"));
  });
}

interface Trimming<M> {
  budget: number;
  readonly counter: Counter<M>;
  readonly isFirst: boolean;
  /** The types on which the kept part may start and end. */
  readonly types: readonly [start: Types, end: Types];
  readonly split: (text: string) => readonly string[];
  /** Unless results may lose their calls. */
  readonly pairs: Pairs | undefined;
}

/** The messages from one position up to another. */
type Range = readonly [from: number, to: number];

/** The kept part of a list. */
class Trimmed<M extends object> {
  constructor(
    private readonly list: readonly M[],
    private readonly by: Trimming<M>,
  ) {}

  kept(includesSystem: boolean, allowsPart: boolean): M[] {
    const { list, by } = this;
    const { length } = list;
    let all: Range = [0, length];
    let hasSystem = false;
    if (!by.isFirst) {
      const to = this.#end(length, length);
      hasSystem = includesSystem && to > 0 && kindOf(list[0], 0) === "system";
      if (hasSystem) by.budget = Math.max(0, by.budget - this.#count([0, 1]));
      all = [hasSystem ? 1 : 0, to];
    }
    const fitting = this.#fitting(all);
    let kept = this.#nearest(all, fitting);
    let part = allowsPart && fitting < all[1] - all[0] ? this.#part(kept) : undefined;
    const whole = part ? this.#nearest(all, fitting + 1) : kept;
    kept = by.isFirst ? [whole[0], this.#end(whole[1], length)] : [this.#start(whole), whole[1]];
    const [from, to] = kept;
    if (from !== whole[0] || to !== whole[1]) part = undefined;

    const result = list.slice(from, to);
    if (part) result[by.isFirst ? result.length - 1 : 0] = part;
    const { pairs } = by;
    const paired =
      pairs && from < to && !pairs.areWhole(from)
        ? result.filter((_, at) => pairs.caller(from + at) !== NOBODY)
        : result;
    if (hasSystem) paired.unshift(list[0] as M);
    return paired.length === length && !part ? (list as M[]) : paired;
  }

  /** So many messages of these, from the end on that is kept. */
  #nearest([from, to]: Range, count: number): Range {
    return this.by.isFirst ? [from, from + count] : [to - count, to];
  }

  /** As in Python, a counter gets the messages in the order in which they are kept. */
  #count([from, to]: Range, ...more: M[]): number {
    const { isFirst, counter } = this.by;
    const some = this.list.slice(from, to);
    return counter.list([...(isFirst ? some : backwards(some)), ...more]);
  }

  /** Returns how many of these messages fit. */
  #fitting(all: Range): number {
    const { budget, counter, isFirst } = this.by;
    const [from, to] = all;
    const length = to - from;
    if (counter.one) {
      let left = budget;
      for (let at = 0; at < length; at++) {
        left -= counter.one(this.list[isFirst ? from + at : to - at - 1] as M);
        if (!(left >= 0)) return at;
      }
      return length;
    }
    const fits = (count: number) => this.#count(this.#nearest(all, count)) <= budget;
    return length === 0 || fits(length) ? length : most(length, fits);
  }

  /** Returns the message beside these with as much of its content as still fits. */
  #part(kept: Range): M | undefined {
    const { budget, counter, isFirst, split } = this.by;
    const message = this.list[isFirst ? kept[1] : kept[0] - 1] as M;
    const own = fieldsOf(message)["content"];
    // For counting, the messages nearest to the kept ones come first.
    const inOrder = <T>(some: T[], toCount: boolean) => (isFirst || toCount ? some : backwards(some));
    const withContent = (content: unknown) =>
      // All of it may fit after all, with a counter whose counts do not add up.
      content === own ? message : withFields(message, { content });
    if (Array.isArray(own)) {
      const near: unknown[] = isFirst ? own : backwards(own);
      const withBlocks = (count: number, toCount: boolean) => withContent(inOrder(near.slice(0, count), toCount));
      const fits = (count: number) => this.#count(kept, withBlocks(count, true)) <= budget;
      let blocks = own.length - 1;
      if (counter.one) blocks = most(blocks, fits);
      // One by one, as in Python: less content may count more.
      else while (blocks > 0 && !fits(blocks)) blocks--;
      if (blocks > 0) return withBlocks(blocks, false);
    }
    const text = blockText(Array.isArray(own) ? own.at(isFirst ? 0 : -1) : own);
    if (!text) return undefined;
    const pieces: unknown = calledBy("textSplitter", () => split(text));
    if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === "string"))
      throw wrong("The result of textSplitter", "a list of strings");
    const near: string[] = isFirst ? pieces : backwards(pieces);
    const withPieces = (count: number, toCount: boolean) =>
      withContent(inOrder(near.slice(0, count), toCount).join(""));
    const base = this.#count(kept);
    const count = most(near.length, (count) => base + counter.list([withPieces(count, true)]) <= budget);
    return count > 0 ? withPieces(count, false) : undefined;
  }

  #isType(at: number, types: Types): boolean {
    return isType(this.list[at] as M, at, types);
  }

  /** Returns where the kept messages end: on a type on which they may, with no call whose result is cut off. */
  #end(end: number, seen: number): number {
    const { pairs, types } = this.by;
    for (;;) {
      while (end > 0 && !this.#isType(end - 1, types[1])) end--;
      if (!pairs || end === seen) return end;
      // Every result after the end is read once.
      const [from, to] = [end, seen];
      seen = end;
      for (let at = from; at < to; at++) {
        const caller = pairs.caller(at);
        if (caller >= 0) end = Math.min(end, caller);
      }
    }
  }

  /** Returns where the kept messages start: on a type on which they may, with no result whose call is cut off. */
  #start([from, to]: Range): number {
    const { pairs, types } = this.by;
    // For each message: the position after the last result that answers it, and after the last result that answers a
    // cut-off message.
    const answered = new Map<number, number>();
    let split = 0;
    if (pairs && from < to && !(pairs.areWhole(from) && this.#isType(from, types[0]))) {
      for (let at = from; at < to; at++) {
        const caller = pairs.caller(at);
        if (caller >= from) answered.set(caller, at + 1);
        else if (caller >= 0) split = at + 1;
      }
    }
    for (let at = from; at < to; at++) {
      if (split <= at && this.#isType(at, types[0])) return at;
      split = Math.max(split, answered.get(at) ?? 0);
    }
    return to;
  }
}

/** Returns the largest number up to `max` that fits, by halving as Python does: a count need not grow with its list. */
function most(max: number, fits: (count: number) => boolean): number {
  let least = 0;
  while (least < max) {
    const middle = Math.ceil((least + max) / 2);
    if (fits(middle)) least = middle;
    else max = middle - 1;
  }
  return least;
}

type Types = readonly MessageType[] | undefined;

// Marks a message that is not a result, and a result whose call does not exist.
const NOTHING = -2;
const NOBODY = -1;

/** Which result answers which message: reads a list from its end on, once, as far as is needed. */
class Pairs {
  // From here on, the answered messages are known.
  #seen: number;
  readonly #callers = new Map<number, number>();
  /** Results whose call is further in front, by its id. */
  readonly #waiting = new Map<string | undefined, number[]>();

  constructor(private readonly list: readonly object[]) {
    this.#seen = list.length;
  }

  /** Returns the position of the message whose call a result answers. */
  caller(at: number): number {
    while (this.#seen > at) this.#look();
    const { kind, answers } = this.#facts(at);
    if (kind !== "tool") return NOTHING;
    if (answers === undefined) return NOBODY;
    while (!this.#callers.has(at) && this.#seen > 0) this.#look();
    return this.#callers.get(at) ?? NOBODY;
  }

  /** Whether each result from here on has its call there. */
  areWhole(from: number): boolean {
    while (this.#seen > from) this.#look();
    return this.#seen === from && this.#waiting.size === 0;
  }

  #facts(at: number): Facts {
    const known = knownOf(this.list[at]);
    return (known.facts ??= factsOf(this.list[at], at));
  }

  #look(): void {
    const at = --this.#seen;
    const { kind, answers, ids } = this.#facts(at);
    if (kind === "tool") {
      const waiting = this.#waiting.get(answers);
      if (waiting) waiting.push(at);
      else this.#waiting.set(answers, [at]);
    } else if (this.#waiting.size > 0) {
      for (const id of ids) {
        for (const result of this.#waiting.get(id) ?? []) this.#callers.set(result, at);
        this.#waiting.delete(id);
      }
    }
  }
}

const backwards = <T>(list: readonly T[]): T[] => list.map((_, at) => list[list.length - 1 - at] as T);

/** A text's lines, each with its end, as Python's `trim_messages` has them. */
const lines = (text: string): string[] => text.split(/(?<=\n)/).concat(text.endsWith("\n") ? [""] : []);

function isType(message: object, at: number, types: Types): boolean {
  if (!types) return true;
  const names = namesOf(message, at);
  return types.some((type) => (typeof type === "string" ? names.includes(type) : message instanceof type));
}

/** The types by which a message goes: a chunk's is its class, as in Python; AG-UI's has LangChain's type and its role. */
function namesOf(message: object, at: number): unknown[] {
  const { type, role } = message as { type?: unknown; role?: unknown };
  if (typeof type === "string" && type.endsWith("Chunk")) return [type];
  const kind = kindOf(message, at);
  return type === undefined ? [kind, role] : [kind];
}

function typesOf(given: unknown, what: string): Types {
  // As in Python, an empty text or list counts as absent.
  const types: unknown[] = Array.isArray(given) ? given : given ? [given] : [];
  if (!types.every((type) => typeof type === "string" || typeof type === "function"))
    throw wrong(what, "a type of messages, or a list of them");
  return types.length > 0 ? (types as MessageType[]) : undefined;
}

const refusedFirst = (option: string) =>
  new ThreadfoldError("INVALID_ARGUMENT", `${option} parameter is only valid with strategy='last'`);
