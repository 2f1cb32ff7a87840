// Trims a list of messages. What is kept is decided in Rust (src/context/trim.rs), which asks about the list.
import { answering, call, trim_list } from "#agent-core";
import { reading, ThreadfoldError } from "../errors.js";
import { blockText, withFields } from "./edited.js";
import { fieldsOf, kindOf } from "./message-parts.js";
import { calledBy, isSecond, listed, optionsOf, refuseOthers, wrong } from "./options.js";
import { type Facts, factsOf } from "./rows.js";
import { counterOf, knownOf, type TokenCounter } from "./token-counter.js";

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

// The bits of the rules, the questions and the answers that are no number: as in src/wasm_agent/trim.rs.
const FIRST = 1;
const INCLUDE_SYSTEM = 2;
const ALLOW_PARTIAL = 4;
const AS_LANGCHAIN = 8;
const SYSTEM = 0;
const RESERVE = 1;
const IS_TYPE = 2;
const FITS = 3;
const BLOCKS = 4;
const PIECES = 5;
const ANSWERS = 6;
const FITTING = 7;
const KEPT = 8;
const DROPPED = 9;
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
    const {
      maxTokens,
      tokenCounter,
      strategy,
      startOn,
      endOn,
      includeSystem,
      allowPartial,
      textSplitter,
      toolPairs,
      ...others
    } = optionsOf(options);
    refuseOthers(others);
    const isFirst = isSecond(strategy, "strategy", "last", "first");
    const types = [typesOf(startOn, "startOn"), typesOf(endOn, "endOn")] as const;
    if (typeof maxTokens !== "number" || Number.isNaN(maxTokens)) throw wrong("maxTokens", "a number");
    if (textSplitter != null && typeof textSplitter !== "function") throw wrong("textSplitter", "a function");
    if (isFirst && types[0]) throw refusedFirst("startOn");
    if (isFirst && includeSystem) throw refusedFirst("includeSystem");
    const counter = counterOf(tokenCounter);
    const rules =
      (isFirst ? FIRST : 0) |
      (includeSystem ? INCLUDE_SYSTEM : 0) |
      (allowPartial ? ALLOW_PARTIAL : 0) |
      (isSecond(toolPairs, "toolPairs", "whole", "as-langchain") ? AS_LANGCHAIN : 0);

    let budget = maxTokens;
    let hasSystem = false;
    let pieces: readonly string[] = [];
    let base: number | undefined;
    let [from, to, kept] = [0, 0, 0];
    let dropped: Set<number> | undefined;
    let pairs: Pairs | undefined;

    const count = (start: number, end: number, more?: M): number => {
      const some = list.slice(start, end);
      // As in Python, a counter gets the messages in the order in which they are kept.
      const counted = isFirst ? some : backwards(some);
      if (more) counted.push(more);
      return counter.list(counted);
    };
    const contentAt = (at: number) => fieldsOf(list[at])["content"];
    /** A message with the blocks or pieces nearest to what is kept; for counting the nearest is first. */
    const partOf = (at: number, part: number, toCount: boolean): M => {
      const message = list[at] as M;
      const own = contentAt(at);
      const isReversed = !isFirst && toCount;
      if (part > 0) {
        const blocks = own as unknown[];
        const content = isFirst ? blocks.slice(0, part) : blocks.slice(-part);
        return withFields(message, { content: isReversed ? backwards(content) : content });
      }
      const text = pieces.slice(0, -part);
      const content = (isFirst || isReversed ? text : backwards(text)).join("");
      // All of it may fit after all, with a counter whose counts do not add up.
      return content === own ? message : withFields(message, { content });
    };
    const tokens = (start: number, end: number, part: number): number => {
      if (part === 0) return count(start, end);
      const next = partOf(isFirst ? end : start - 1, part, true);
      if (part > 0) return count(start, end, next);
      return (base ??= count(start, end)) + count(0, 0, next);
    };
    const cut = (at: number): number => {
      const content = contentAt(at);
      const text = blockText(Array.isArray(content) ? content.at(isFirst ? 0 : -1) : content);
      if (!text) return 0;
      const split: unknown = calledBy("textSplitter", () => (textSplitter ?? lines)(text));
      if (!Array.isArray(split) || !split.every((piece) => typeof piece === "string"))
        throw wrong("What textSplitter returns", "a list of strings");
      pieces = isFirst ? split : backwards(split);
      return split.length;
    };
    const fitting = (start: number, end: number): number => {
      if (!counter.one) return NOTHING;
      let [left, at] = [budget, 0];
      for (; at < end - start; at++) {
        const place = isFirst ? start + at : end - at - 1;
        left -= counter.one(list[place] as M);
        if (!(left >= 0)) break;
      }
      return at;
    };
    const answer = (question: number, first: number, second: number, third: number): number | boolean => {
      switch (question) {
        case SYSTEM:
          return (hasSystem = kindOf(list[0], 0) === "system");
        case RESERVE:
          budget = Math.max(0, budget - count(0, 1));
          return true;
        case IS_TYPE:
          return isType(list[first] as M, first, types[second as 0 | 1]);
        case FITS:
          return tokens(first, second, third) <= budget;
        case BLOCKS: {
          const content = contentAt(first);
          return Array.isArray(content) ? content.length : 0;
        }
        case PIECES:
          return cut(first);
        case FITTING:
          return fitting(first, second);
        case KEPT:
          [from, to, kept] = [first, second, third];
          return true;
        case DROPPED:
          (dropped ??= new Set()).add(first);
          return true;
        case ANSWERS:
          return (pairs ??= new Pairs(list)).caller(first);
        default:
          return (pairs ??= new Pairs(list)).areWhole(first);
      }
    };
    // The wasm has to return: what failed is thrown behind it, and it hears only 0 until then.
    let failure: { error: unknown } | undefined;
    const safely = (question: number, first: number, second: number, third: number): number => {
      try {
        if (!failure) return Number(answer(question, first, second, third));
      } catch (error) {
        failure = { error };
      }
      return 0;
    };
    answering(safely, () => call(() => trim_list(list.length, rules)));
    if (failure) throw (failure as { error: unknown }).error;

    let result = list.slice(from, to);
    const cutAt = isFirst ? to - 1 : from;
    if (kept !== 0) result[cutAt - from] = partOf(cutAt, kept, false);
    const gone = dropped;
    if (gone) result = result.filter((_, at) => !gone.has(at + from));
    if (hasSystem) result.unshift(list[0] as M);
    return result.length === list.length && kept === 0 ? (list as M[]) : result;
  });
}

type Types = readonly MessageType[] | undefined;

/** Which result answers which message: reads a list from its end on, once, as far as is needed. */
class Pairs {
  // Who is answered is known from here on.
  #seen: number;
  readonly #callers = new Map<number, number>();
  /** Results whose call is further in front, by its id. */
  readonly #waiting = new Map<string | undefined, number[]>();

  constructor(private readonly list: readonly object[]) {
    this.#seen = list.length;
  }

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
  // As in Python, an empty text or list is none.
  const types: unknown[] = Array.isArray(given) ? given : given ? [given] : [];
  if (!types.every((type) => typeof type === "string" || typeof type === "function"))
    throw wrong(what, "a type of messages, or a list of them");
  return types.length > 0 ? (types as MessageType[]) : undefined;
}

const refusedFirst = (option: string) =>
  new ThreadfoldError("INVALID_VALUE", `${option} parameter is only valid with strategy='last'`);
