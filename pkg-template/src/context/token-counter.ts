// The counters of whole lists, and their cached counts of messages.
import { unitsOf } from "./count.js";
import { scanMessage } from "./estimate-message.js";
import { calledBy, wrong } from "./options.js";
import type { Facts } from "./rows.js";

/**
 * How tokens are counted: `"approximate"` gives Python's number ({@link countTokens}), `"estimate"` comes nearer to
 * what a model reads ({@link estimateMessageTokens}), and a function of your own counts a list of messages.
 */
export type TokenCounter<M = object> = "approximate" | "estimate" | ((messages: readonly M[]) => number);

/** Counts lists; and single messages, where those add up to the list. */
export interface Counter<M> {
  readonly one?: (message: M) => number;
  readonly list: (messages: readonly M[]) => number;
  readonly units?: Units;
}

/** The sum of a message's parts. Divide by the units per token and round up. */
export interface Units {
  readonly of: (message: object) => number;
  readonly aToken: number;
}

/** The cached facts about a message, valid while it is the same object. */
export interface Known {
  approximate?: number;
  estimate?: number;
  facts?: Facts;
}

const KNOWN = new WeakMap<object, Known>();

export function knownOf(message: unknown): Known {
  if (typeof message !== "object" || message === null) return {};
  let known = KNOWN.get(message);
  if (!known) KNOWN.set(message, (known = {}));
  return known;
}

/** Counts each message once. */
function kept(name: "approximate" | "estimate", units: Units): Required<Counter<object>> {
  const one = (message: object) => (knownOf(message)[name] ??= Math.ceil(units.of(message) / units.aToken));
  return { one, list: (messages) => messages.reduce((sum, message) => sum + one(message), 0), units };
}

const COUNTERS = {
  approximate: kept("approximate", { of: unitsOf, aToken: 4 }),
  estimate: kept("estimate", { of: (message) => scanMessage(message as never).sum, aToken: 100 }),
};

/** Returns the counter that an option names: Python's by default. */
export function counterOf<M extends object>(given: TokenCounter<M> | undefined): Counter<M> {
  const own: unknown = given ?? "approximate";
  if (typeof own === "function") {
    return {
      list: (messages) => {
        const tokens: unknown = calledBy("tokenCounter", () => (own as (messages: readonly M[]) => unknown)(messages));
        if (typeof tokens !== "number" || Number.isNaN(tokens)) throw wrong("The result of tokenCounter", "a number");
        return tokens;
      },
    };
  }
  if (own === "approximate" || own === "estimate") return COUNTERS[own];
  throw wrong("tokenCounter", "'approximate', 'estimate' or a function");
}
