import type { MessageLike } from "../state/message-types.js";
import { NumberedList } from "./numbered-list.js";
import { reading, ThreadfoldError, wrong } from "./options.js";
import { factsOf, factsOfAll } from "./rows.js";

/**
 * The places where a list of messages can be cut so that no tool result loses its call: an iterable of positions.
 *
 * A cut `c` keeps the messages from position `c` on. It is safe if no result from `c` on belongs to a call before `c`.
 * A result belongs to the nearest earlier message that calls its id. It grows with its list: a message costs O(1)
 * amortised, a query O(log n).
 *
 * {@link safeCuts} makes one.
 */
export class SafeCuts {
  /** @internal */
  static readonly name = "SafeCuts";
  readonly #list = new NumberedList();

  /** The number of messages. */
  get length(): number {
    return this.#list.length;
  }

  /**
   * The position of a message with a call that waits for its result: nothing follows it but results. Undefined if there is
   * none.
   */
  get pending(): number | undefined {
    return this.#list.pending;
  }

  /**
   * Adds messages at the end.
   *
   * @throws ThreadfoldError `INVALID_MESSAGE`, `UNREADABLE_VALUE`: nothing is added then.
   */
  push(...messages: MessageLike[]): void {
    const { length } = this;
    for (const facts of reading(() => messages.map((message, at) => factsOf(message, length + at))))
      this.#list.push(facts);
  }

  /**
   * Puts a message in the place of the last one, such as the same with one more token.
   *
   * @throws ThreadfoldError `INVALID_MESSAGE`, `UNREADABLE_VALUE`; `INVALID_ARGUMENT` if there is no message.
   */
  replaceLast(message: MessageLike): void {
    const last = this.length - 1;
    if (last < 0) throw new ThreadfoldError("INVALID_ARGUMENT", "There is no message to replace.");
    const facts = reading(() => factsOf(message, last));
    this.#list.truncate(last);
    this.#list.push(facts);
  }

  /**
   * Keeps the first `length` messages.
   *
   * @throws ThreadfoldError `INVALID_ARGUMENT`.
   */
  truncate(length: number): void {
    this.#list.truncate(position(length, "length"));
  }

  /**
   * Returns the largest safe cut that keeps all messages from `target` on, and a call that waits for its result: 0 if it
   * keeps all. No other cut that keeps all of these keeps fewer messages.
   *
   * @throws ThreadfoldError `INVALID_ARGUMENT`.
   */
  cut(target: number): number {
    return this.#list.cut(position(target, "target"));
  }

  /**
   * Returns the smallest safe cut from `target` on that keeps a call that waits for its result. Use it when something
   * has to go and {@link cut} keeps all. Undefined if there is none.
   *
   * @throws ThreadfoldError `INVALID_ARGUMENT`.
   */
  nextCut(target: number): number | undefined {
    return this.#list.nextCut(position(target, "target"));
  }

  /** All safe cuts, in ascending order. 0 and the number of messages are always safe. */
  [Symbol.iterator](): Iterator<number> {
    return this.#list.cuts()[Symbol.iterator]();
  }

  /** @internal */
  static of(messages: readonly unknown[]): SafeCuts {
    const cuts = new SafeCuts();
    for (const facts of factsOfAll(messages)) cuts.#list.push(facts);
    return cuts;
  }
}

/**
 * Returns the places where a list of messages can be cut so that no tool result loses its call.
 *
 * @throws ThreadfoldError `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { safeCuts } from "threadfold/context";
 *
 * const cuts = safeCuts([
 *   { type: "human", content: "What is the weather?" },
 *   { type: "ai", content: "", tool_calls: [{ id: "c1", name: "weather", args: {} }] },
 *   { type: "tool", content: "Sunny.", tool_call_id: "c1" },
 * ]);
 * console.log([...cuts].join(" ")); // 0 1 3
 * // A cut at 2 would part the result from its call.
 * console.log(cuts.cut(2)); // 1
 *
 * cuts.push({ type: "ai", content: "It is sunny." });
 * console.log([...cuts].join(" ")); // 0 1 3 4
 * ```
 */
export function safeCuts(messages: readonly MessageLike[]): SafeCuts {
  return SafeCuts.of(messages);
}

function position(value: number, what: string): number {
  if (typeof value !== "number" || Number.isNaN(value)) throw wrong(what, "a number");
  return Math.max(Math.trunc(value), 0);
}
