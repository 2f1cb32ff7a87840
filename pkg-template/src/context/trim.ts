// Trims a list of messages. What is kept is decided in Rust (src/context/trim.rs), which asks about the list.
import { answering, call, trim_list } from "#agent-core";
import { reading, ThreadfoldError } from "../errors.js";
import { choice } from "../options.js";
import { blockText, kindOf, listed, withFields } from "./edited.js";
import { type Facts, factsOf } from "./rows.js";
import { calledBy, type Counter, counterOf, type TokenCounter, wrong } from "./token-counter.js";

/** A type of messages, such as `"human"`, or a class of them. */
export type MessageType = string | (abstract new (...args: never[]) => object);

/** What {@link trimMessages} keeps. */
export interface TrimMessagesOptions<M = object> {
  /** At most this many tokens. */
  readonly maxTokens: number;
  /** How they are counted: `"approximate"` by default. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
  /** The newest messages, or the `"first"`: `"last"` by default. */
  readonly strategy?: "last" | "first" | undefined;
  /** The types on which what is kept may start. With `"last"` only. A chunk's type is the name of its class. */
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

const STRATEGIES = ["last", "first"];
const TOOL_PAIRS = ["whole", "as-langchain"];

// The bits of the rules, the questions and the answers that are no number: as in src/wasm_agent/trim.rs.
const FIRST = 1;
const INCLUDE_SYSTEM = 2;
const ALLOW_PARTIAL = 4;
const AS_LANGCHAIN = 8;
const [SYSTEM, RESERVE, IS_TYPE, FITS, BLOCKS, PIECES, ANSWERS, FITTING, KEPT] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const FAILED = -1;
const NOTHING = -2;
const NOBODY = -3;

/**
 * Returns the newest messages that fit a number of tokens, or the oldest, by the rules of Python's `trim_messages`
 * (langchain-core 1.7). In one thing it does better, unless `toolPairs` says otherwise: a tool's result never stays
 * without its call.
 *
 * The messages in it are the objects that you gave, but for one that is cut to a part. A list that fits is returned as
 * it is. With the built-in counters only the messages that are kept are looked at, and counts are kept by message, so
 * that the next call costs next to nothing: do not change a message in place.
 *
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for options that Python refuses, too, and for a counter or splitter
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
    if (typeof options !== "object" || options === null) throw wrong("options", "an object");
    const isFirst = choice(options, "strategy", STRATEGIES) === 1;
    const types = [typesOf(options.startOn, "startOn"), typesOf(options.endOn, "endOn")] as const;
    const { maxTokens, includeSystem, allowPartial, textSplitter } = options;
    if (typeof maxTokens !== "number" || Number.isNaN(maxTokens)) throw wrong("maxTokens", "a number");
    if (textSplitter != null && typeof textSplitter !== "function") throw wrong("textSplitter", "a function");
    if (isFirst && types[0]) throw refusedFirst("startOn");
    if (isFirst && includeSystem) throw refusedFirst("includeSystem");
    const rules =
      (isFirst ? FIRST : 0) |
      (includeSystem ? INCLUDE_SYSTEM : 0) |
      (allowPartial ? ALLOW_PARTIAL : 0) |
      (choice(options, "toolPairs", TOOL_PAIRS) === 1 ? AS_LANGCHAIN : 0);
    const asked = new Asked(list, maxTokens, isFirst, types, counterOf(options.tokenCounter), textSplitter ?? lines);
    answering(asked.answer, () => call(() => trim_list(list.length, rules)));
    return asked.kept();
  });
}

type Types = readonly MessageType[] | undefined;

/** A list that is being trimmed, and what is asked about it. */
class Asked<M extends object> {
  #failure: { error: unknown } | undefined;
  #budget: number;
  #pieces: readonly string[] = [];
  #base: { of: number; tokens: number } | undefined;
  // Who answers whom is known from here on to the end.
  #seen: number;
  readonly #callers = new Map<number, number>();
  readonly #facts: Facts[] = [];
  readonly #waiting = new Map<unknown, number[]>();
  #hasSystem = false;
  #from = 0;
  #to = 0;
  #part = 0;
  #dropped: Set<number> | undefined;

  constructor(
    private readonly list: readonly M[],
    maxTokens: number,
    private readonly isFirst: boolean,
    private readonly types: readonly [start: Types, end: Types],
    private readonly counter: Counter<M>,
    private readonly split: (text: string) => readonly string[],
  ) {
    this.#budget = maxTokens;
    this.#seen = list.length;
  }

  /** The wasm has to return normally: what failed is thrown by {@link Asked.kept}. */
  readonly answer = (question: number, first: number, second: number, third: number): number => {
    try {
      return Number(this.#answer(question, first, second, third));
    } catch (error) {
      this.#failure = { error };
      return FAILED;
    }
  };

  #answer(question: number, first: number, second: number, third: number): number | boolean {
    switch (question) {
      case SYSTEM:
        return (this.#hasSystem = kindOf(this.list[0], 0) === "system");
      case RESERVE:
        this.#budget = Math.max(0, this.#budget - this.#count(0, 1));
        return true;
      case IS_TYPE:
        return this.#isType(first, this.types[second as 0 | 1]);
      case FITS:
        return this.#tokens(first, second, third) <= this.#budget;
      case BLOCKS: {
        const { content } = this.list[first] as { content?: unknown };
        return Array.isArray(content) ? content.length : 0;
      }
      case PIECES:
        return this.#cut(first);
      case ANSWERS:
        return this.#answers(first);
      case FITTING:
        return this.#fitting(first, second);
      case KEPT:
        [this.#from, this.#to, this.#part] = [first, second, third];
        return true;
      default:
        (this.#dropped ??= new Set()).add(first);
        return true;
    }
  }

  #isType(at: number, types: Types): boolean {
    if (!types) return true;
    const message = this.list[at]!;
    const names = typesOfMessage(message, at);
    return types.some((type) => (typeof type === "string" ? names.includes(type) : message instanceof type));
  }

  #count(from: number, to: number, more?: M): number {
    const list = this.list.slice(from, to);
    // As in Python, a counter gets the messages in the order in which they are kept.
    if (!this.isFirst) list.reverse();
    if (more) list.push(more);
    return this.counter.list(list);
  }

  #tokens(from: number, to: number, part: number): number {
    if (part === 0) return this.#count(from, to);
    const next = this.#partOf(this.isFirst ? to : from - 1, part, true);
    if (part > 0) return this.#count(from, to, next);
    if (this.#base?.of !== from) this.#base = { of: from, tokens: this.#count(from, to) };
    return this.#base.tokens + this.#count(0, 0, next);
  }

  /** A message with the blocks or pieces nearest to what is kept; for counting the nearest is first. */
  #partOf(at: number, part: number, toCount: boolean): M {
    const message = this.list[at]!;
    const reverse = !this.isFirst;
    if (part < 0) {
      const pieces = this.#pieces.slice(0, -part);
      const content = (reverse && !toCount ? pieces.reverse() : pieces).join("");
      // All of it may fit after all, with a counter whose counts do not add up.
      return content === (message as { content?: unknown }).content ? message : withFields(message, { content });
    }
    const blocks = (message as unknown as { content: readonly unknown[] }).content;
    const kept = reverse ? blocks.slice(-part) : blocks.slice(0, part);
    return withFields(message, { content: reverse && toCount ? kept.reverse() : kept });
  }

  #cut(at: number): number {
    const { content } = this.list[at] as { content?: unknown };
    const nearest: unknown = Array.isArray(content) ? content.at(this.isFirst ? 0 : -1) : content;
    const text = blockText(nearest);
    if (!text) return 0;
    const pieces: unknown = calledBy("textSplitter", () => this.split(text));
    if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === "string"))
      throw wrong("What textSplitter returns", "a list of strings");
    this.#pieces = this.isFirst ? pieces : [...pieces].reverse();
    return pieces.length;
  }

  /** Reads the list from its end on, once, as far as is needed. */
  #answers(at: number): number {
    while (this.#seen > at) this.#look();
    const { kind, answers } = this.#facts[at]!;
    if (kind !== "tool") return NOTHING;
    if (answers === undefined) return NOBODY;
    while (!this.#callers.has(at) && this.#seen > 0) this.#look();
    return this.#callers.get(at) ?? NOBODY;
  }

  #look(): void {
    const at = --this.#seen;
    const facts = factsOf(this.list[at], at);
    this.#facts[at] = facts;
    if (facts.answers !== undefined) {
      const waiting = this.#waiting.get(facts.answers);
      if (waiting) waiting.push(at);
      else this.#waiting.set(facts.answers, [at]);
    } else if (this.#waiting.size > 0) {
      for (const { id } of facts.calls) {
        for (const result of this.#waiting.get(id) ?? []) this.#callers.set(result, at);
        this.#waiting.delete(id);
      }
    }
  }

  #fitting(from: number, to: number): number {
    const { one } = this.counter;
    if (!one) return NOTHING;
    let left = this.#budget;
    let fitting = 0;
    while (fitting < to - from) {
      left -= one(this.list[this.isFirst ? from + fitting : to - fitting - 1]!);
      if (!(left >= 0)) break;
      fitting++;
    }
    return fitting;
  }

  kept(): M[] {
    if (this.#failure) throw this.#failure.error;
    const kept = this.list.slice(this.#from, this.#to);
    if (this.#part !== 0) {
      const at = this.isFirst ? this.#to - 1 : this.#from;
      kept[at - this.#from] = this.#partOf(at, this.#part, false);
    }
    const dropped = this.#dropped;
    const list = dropped ? kept.filter((_, at) => !dropped.has(at + this.#from)) : kept;
    if (this.#hasSystem) list.unshift(this.list[0]!);
    return list.length === this.list.length && this.#part === 0 ? (this.list as M[]) : list;
  }
}

/** A text's lines, each with its end, as Python's `trim_messages` has them. */
const lines = (text: string): string[] => text.split(/(?<=\n)/).concat(text.endsWith("\n") ? [""] : []);

/** The types by which a message goes: a chunk's is its class, as in Python; AG-UI's has LangChain's type and its role. */
function typesOfMessage(message: object, at: number): unknown[] {
  const { type, role } = message as { type?: unknown; role?: unknown };
  if (typeof type === "string" && type.endsWith("Chunk")) return [type];
  const kind = kindOf(message, at);
  return type === undefined ? [kind, role] : [kind];
}

function typesOf(given: unknown, what: string): Types {
  // As in Python, an empty text or list is none.
  const types: unknown[] = Array.isArray(given) ? given : given ? [given] : [];
  if (!types.every((type) => typeof type === "string" || typeof type === "function"))
    throw wrong(what, "a type of messages, or a list of them");
  return types.length > 0 ? (types as MessageType[]) : undefined;
}

const refusedFirst = (option: string) =>
  new ThreadfoldError("INVALID_VALUE", `${option} parameter is only valid with strategy='last'`);
