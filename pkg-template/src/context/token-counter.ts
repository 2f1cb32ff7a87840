// The counters of whole lists, and what they kept of messages counted before.
import { ThreadfoldError } from "../errors.js";
import type { MessageLike } from "../messages.js";
import { messageTokens } from "./count.js";
import { estimateMessageTokens } from "./estimate-message.js";

/**
 * How tokens are counted: `"approximate"` gives Python's number ({@link countTokens}), `"estimate"` comes nearer to what
 * a model reads ({@link estimateMessageTokens}), and a function of your own counts a list of messages.
 */
export type TokenCounter<M = object> = "approximate" | "estimate" | ((messages: readonly M[]) => number);

/** Counts lists; and single messages, where those add up to the list. */
export interface Counter<M> {
  readonly one?: (message: M) => number;
  readonly list: (messages: readonly M[]) => number;
}

/** Counts a message once, as long as it is the same object. */
function kept(count: (message: MessageLike) => number): Required<Counter<object>> {
  const counts = new WeakMap<object, number>();
  const one = (message: object) => {
    let tokens = counts.get(message);
    if (tokens === undefined) {
      tokens = count(message as MessageLike);
      if (typeof message === "object" && message !== null) counts.set(message, tokens);
    }
    return tokens;
  };
  return { one, list: (messages) => messages.reduce((sum, message) => sum + one(message), 0) };
}

const COUNTERS = { approximate: kept(messageTokens), estimate: kept(estimateMessageTokens) };

/** Returns the counter that an option names: Python's by default. */
export function counterOf<M extends object>(given: TokenCounter<M> | undefined): Counter<M> {
  const own: unknown = given ?? "approximate";
  if (typeof own === "function") {
    return {
      list: (messages) => {
        const tokens: unknown = calledBy("tokenCounter", () => (own as (messages: readonly M[]) => unknown)(messages));
        if (typeof tokens !== "number" || Number.isNaN(tokens)) throw wrong("What tokenCounter returns", "a number");
        return tokens;
      },
    };
  }
  if (own === "approximate" || own === "estimate") return COUNTERS[own];
  throw wrong("tokenCounter", "'approximate', 'estimate' or a function");
}

/** Calls a function of the caller's. */
export function calledBy<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new ThreadfoldError("INVALID_VALUE", `${what} threw: see the cause.`, { cause });
  }
}

export const wrong = (what: string, expected: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_VALUE", `${what} should be ${expected}.`);
