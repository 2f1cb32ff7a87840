// Truncates long arguments of old tool calls. src/context/truncate.rs is the same in Rust.
import { type ContextSize, type EditedBefore, firstChars, positionOf, withFields } from "./edited.js";
import { checkOptions } from "../shared/options.js";
import { listed, numberOr, optionsOf, reading, wrong } from "./options.js";
import { isDict } from "../shared/dict.js";
import { type Counter, counterOf, type TokenCounter } from "./token-counter.js";
import { callArgs, callName, toolCallsOf, withArgs } from "./call-fields.js";

/** The options of {@link truncateToolArgs}. */
export interface TruncateToolArgsOptions<M = object> {
  /** Truncates when the context has this size: `{ messages: 20 }`; null never does. */
  readonly trigger?: ContextSize | null | undefined;
  /** The newest messages that stay as they are: `{ messages: 20 }`. */
  readonly keep?: ContextSize | undefined;
  /** The base of a fraction. */
  readonly maxInputTokens?: number | undefined;
  /** The tools whose calls are truncated: `write_file` and `edit_file`. */
  readonly tools?: readonly string[] | undefined;
  /** The most characters of an argument: 2,000. */
  readonly maxLength?: number | undefined;
  /** The text after the first twenty characters: `...(argument truncated)`. */
  readonly truncationText?: string | undefined;
  /** How tokens are counted: `"approximate"`. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
  /**
   * Truncates every call before this message, and counts nothing: `trigger` and `keep` say when to move the boundary.
   */
  readonly editedBefore?: EditedBefore | undefined;
}

/** How much of a truncated argument stays. */
const HEAD = 20;
const FALLBACK = 20;

/**
 * Returns the messages with long text arguments of old tool calls truncated, by deepagents' rules in Python. Returns
 * `messages` itself if there is nothing to truncate, and every other message as the object that it is.
 *
 * @param tokens - The tokens of the whole request, with the system message and tools; the messages' own if left out.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { truncateToolArgs } from "threadfold/context";
 *
 * const args = { file_path: "/a.txt", content: "x".repeat(9000) };
 * const messages = [
 *   { type: "ai", content: "", tool_calls: [{ name: "write_file", args, id: "c1" }] },
 *   { type: "tool", tool_call_id: "c1", content: "ok" },
 * ];
 * const short = truncateToolArgs(messages, { trigger: { messages: 2 }, keep: { messages: 1 } });
 * console.log(short[0]?.tool_calls?.[0]?.args.content); // xxxxxxxxxxxxxxxxxxxx...(argument truncated)
 * console.log(short[1] === messages[1]); // true
 * ```
 */
export function truncateToolArgs<M extends object>(
  messages: readonly M[],
  options?: TruncateToolArgsOptions<M>,
  tokens?: number,
): M[] {
  return reading(() => {
    const list = listed(messages);
    const { trigger, keep, maxInputTokens, tools, maxLength, truncationText, tokenCounter, editedBefore } =
      optionsOf(options);
    checkOptions("truncateToolArgs", optionsOf(options), [
      "trigger",
      "keep",
      "maxInputTokens",
      "tools",
      "maxLength",
      "truncationText",
      "tokenCounter",
      "editedBefore",
    ]);
    const counter = counterOf(tokenCounter);
    const limit = numberOr(maxInputTokens, undefined, "maxInputTokens");
    const most = numberOr(maxLength, 2000, "maxLength");
    const tail: unknown = truncationText ?? "...(argument truncated)";
    if (typeof tail !== "string") throw wrong("truncationText", "a string");
    const names: unknown = tools ?? ["write_file", "edit_file"];
    if (!Array.isArray(names)) throw wrong("tools", "a list of names");
    const due = trigger === null ? undefined : sizeOf(trigger, "trigger");
    const kept = sizeOf(keep, "keep");
    let end: number;
    if (editedBefore != null) end = positionOf(editedBefore, list);
    else if (due && isDue(list, due, limit, () => numberOr(tokens, undefined, "tokens") ?? counter.list(list)))
      end = cutoff(list, kept, limit, counter);
    else return list as M[];
    // As Python has it: if nothing is to be kept, nothing is old.
    if (editedBefore == null && end >= list.length) return list as M[];

    const short = (text: unknown): unknown => {
      if (typeof text !== "string" || firstChars(text, most) === text) return text;
      return firstChars(text, HEAD) + tail;
    };
    let made: M[] | undefined;
    for (let at = 0; at < end; at++) {
      const found = toolCallsOf(list[at], at);
      if (!found) continue;
      let changed = false;
      const calls = found.calls.map((call) => {
        const args = names.includes(callName(call)) ? callArgs(call) : undefined;
        const own = Object.entries(args ?? {});
        if (!own.some(([, value]) => short(value) !== value)) return call;
        changed = true;
        return withArgs(call, Object.fromEntries(own.map(([key, value]) => [key, short(value)])));
      });
      if (changed) (made ??= list.slice())[at] = withFields(list[at] as M, { [found.field]: calls });
    }
    return made ?? (list as M[]);
  });
}

type Size = readonly [kind: "messages" | "tokens" | "fraction", value: number];

function sizeOf(given: ContextSize | undefined, what: string): Size {
  const size: unknown = given ?? { messages: 20 };
  for (const kind of ["messages", "tokens", "fraction"] as const) {
    const value = isDict(size) ? size[kind] : undefined;
    if (typeof value === "number" && value >= 0 && Object.keys(size as object).length === 1) return [kind, value];
  }
  throw wrong(what, "{ messages }, { tokens } or { fraction }");
}

/** A share of the input tokens, at least one. */
const share = (limit: number, fraction: number) => Math.max(1, Math.floor(limit * fraction));

function isDue(list: readonly object[], [kind, value]: Size, limit: number | undefined, tokens: () => number): boolean {
  if (kind === "messages") return list.length >= value;
  if (kind === "tokens") return tokens() >= value;
  return limit !== undefined && tokens() >= share(limit, value);
}

/** Where the messages begin that stay as they are. */
function cutoff<M>(list: readonly M[], [kind, value]: Size, limit: number | undefined, counter: Counter<M>): number {
  const count = kind === "messages" ? value : kind === "fraction" && limit === undefined ? FALLBACK : undefined;
  if (count !== undefined) return list.length <= count ? list.length : list.length - Math.floor(count);
  let left = kind === "fraction" ? share(limit ?? 0, value) : Math.max(1, Math.floor(value));
  for (let at = list.length - 1; at >= 0; at--) {
    left -= counter.list([list[at] as M]);
    if (left < 0) return at + 1;
  }
  return 0;
}
