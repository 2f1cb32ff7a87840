// Clears old tool results. src/context/clear.rs is the same in Rust.
import { sameJson } from "../shared/same-json.js";
import { answeredCall, callId, callName, toolCallsOf, withArgs } from "./call-fields.js";
import { ClearedCalls } from "./cleared-calls.js";
import { type EditedBefore, freeField, idOf, positionOf, withFields } from "./edited.js";
import { type Fields, fieldsOf, kindOf } from "./message-parts.js";
import { checkOptions } from "../shared/options.js";
import { flagOr, listed, numberOr, optionsOf, reading, wrong } from "./options.js";
import { dictOr } from "./python-text.js";
import { counterOf, type TokenCounter } from "./token-counter.js";

/** The options of {@link clearToolUses}. */
export interface ClearToolUsesOptions<M = object> {
  /** Clears when the messages have more tokens than this: 100,000. */
  readonly trigger?: number | undefined;
  /** Stops when this many tokens are cleared; 0, the default, clears all. */
  readonly clearAtLeast?: number | undefined;
  /** Leaves this many of the last results: 3. */
  readonly keep?: number | undefined;
  /** Whether the arguments of the cleared results' calls are cleared, too: false. */
  readonly clearToolInputs?: boolean | undefined;
  /** The tools whose results stay. */
  readonly excludeTools?: readonly string[] | undefined;
  /** The text of a cleared result: `[cleared]`. */
  readonly placeholder?: string | undefined;
  /** How tokens are counted: `"approximate"`. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
  /**
   * Clears every result before this message, and counts nothing: `trigger`, `keep` and `clearAtLeast` say when to move
   * the boundary.
   */
  readonly editedBefore?: EditedBefore | undefined;
}

/**
 * Returns the messages with old tool results cleared, by the rules of LangChain's `ClearToolUsesEdit` in Python. A
 * result is cleared if the nearest assistant message before it has its call. Returns `messages` itself if there is
 * nothing to clear. All other messages stay the same objects.
 *
 * @param tokens - The tokens of the messages, if you know them.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { clearToolUses } from "threadfold/context";
 *
 * const messages = [
 *   { type: "ai", content: "", tool_calls: [{ name: "search", args: { q: "x" }, id: "c1" }] },
 *   { type: "tool", tool_call_id: "c1", content: "a long text" },
 * ];
 * console.log(clearToolUses(messages, { trigger: 10, keep: 0 })[1]?.content); // [cleared]
 * console.log(clearToolUses(messages) === messages); // true
 * ```
 */
export function clearToolUses<M extends object>(
  messages: readonly M[],
  options?: ClearToolUsesOptions<M>,
  tokens?: number,
): M[] {
  return reading(() => {
    const list = listed(messages);
    const { trigger, clearAtLeast, keep, clearToolInputs, excludeTools, placeholder, tokenCounter, editedBefore } =
      optionsOf(options);
    checkOptions("clearToolUses", optionsOf(options), [
      "trigger",
      "clearAtLeast",
      "keep",
      "clearToolInputs",
      "excludeTools",
      "placeholder",
      "tokenCounter",
      "editedBefore",
    ]);
    const counter = counterOf(tokenCounter);
    const excluded = excludeTools ?? [];
    if (!Array.isArray(excluded)) throw wrong("excludeTools", "a list of names");
    if (placeholder != null && typeof placeholder !== "string") throw wrong("placeholder", "a string");
    const clearsInputs = flagOr(clearToolInputs, false, "clearToolInputs");
    let results = list.flatMap((message, at) => (kindOf(message, at) === "tool" ? at : []));
    let least = numberOr(clearAtLeast, 0, "clearAtLeast");
    const kept = numberOr(keep, 3, "keep");
    const most = numberOr(trigger, 100_000, "trigger");
    let before = 0;
    if (editedBefore != null) {
      const end = positionOf(editedBefore, list);
      results = results.filter((at) => at < end);
      least = 0;
    } else {
      before = numberOr(tokens, undefined, "tokens") ?? counter.list(list);
      if (before <= most) return list as M[];
      results = results.slice(0, Math.max(0, results.length - kept));
    }
    const made = list.slice();
    let now = before;
    const replace = (at: number, by: M) => {
      if (least > 0 && counter.one) now += counter.one(by) - counter.one(made[at] as M);
      made[at] = by;
    };
    let callers: Callers | undefined;
    let [nearest, seen, changed] = [-1, 0, false];
    let calls = new Map<unknown, unknown>();
    /** Calls of the nearest message whose arguments are cleared with the next ones. */
    let cleared: string[] = [];
    /** It, if it is counted already without them. */
    let counted: ClearedCalls | undefined;
    const clearInputs = () => {
      if (cleared.length > 0) {
        const [at, by] = [callers?.first(nearest) ?? nearest, withoutArgs(made[nearest] as M, nearest, cleared)];
        if (counted) made[at] = by;
        else replace(at, by);
      }
      cleared = [];
      counted = undefined;
    };
    for (const at of results) {
      for (; seen < at; seen++) {
        if (kindOf(list[seen], seen) !== "ai") continue;
        clearInputs();
        nearest = seen;
        // Of two calls with one id the first counts.
        calls = new Map();
        for (const call of toolCallsOf(list[seen], seen)?.calls ?? [])
          if (!calls.has(callId(call))) calls.set(callId(call), call);
      }
      const id = clearable(made[at] as M, calls, excluded);
      if (id === undefined) continue;
      changed = true;
      replace(at, clearedResult(made[at] as M, placeholder ?? "[cleared]"));
      if (clearsInputs) {
        callers ??= new Callers(made);
        cleared.push(id);
        // Where all are counted each time, or another message may be meant, one by one.
        if (callers.areEqual(nearest) || (least > 0 && !counter.units)) clearInputs();
        else if (least > 0 && counter.units)
          now -= (counted ??= new ClearedCalls(made[nearest] as M, nearest, counter.units)).clear(id);
      }
      if (least > 0) {
        if (!counter.one) now = counter.list(made);
        if (before - now >= least) break;
      }
    }
    clearInputs();
    return changed ? made : (list as M[]);
  });
}

/** Returns the id of the call, if its result may be cleared. */
function clearable(
  result: object,
  calls: ReadonlyMap<unknown, unknown>,
  excluded: readonly unknown[],
): string | undefined {
  const fields = fieldsOf(result);
  if (dictOr(dictOr(fields[freeField(result, "response_metadata")])["context_editing"])["cleared"]) return undefined;
  const id = answeredCall(fields);
  if (id === undefined || !calls.has(id)) return undefined;
  return excluded.includes(fields["name"] || callName(calls.get(id))) ? undefined : id;
}

function clearedResult<M extends object>(result: M, content: string): M {
  const edit = { content, ...marked(result, () => ({ cleared: true, strategy: "clear_tool_uses" })) };
  return withFields(result, "artifact" in fieldsOf(result) ? { ...edit, artifact: null } : edit);
}

/** Returns the field that records how a message was edited. */
function marked(message: object, mark: (known: Fields) => Fields): Fields {
  const field = freeField(message, "response_metadata");
  const known = dictOr(fieldsOf(message)[field]);
  return { [field]: { ...known, context_editing: mark(dictOr(known["context_editing"])) } };
}

function withoutArgs<M extends object>(asked: M, at: number, cleared: readonly string[]): M {
  const found = toolCallsOf(asked, at);
  if (!found) return asked;
  const { field, calls } = found;
  const gone = new Set<unknown>(cleared);
  return withFields(asked, {
    [field]: calls.map((call) => (gone.has(callId(call)) ? withArgs(call, {}) : call)),
    ...marked(asked, (known) => {
      const ids = known["cleared_tool_inputs"];
      return { ...known, cleared_tool_inputs: [...new Set([...(Array.isArray(ids) ? ids : []), ...cleared])].sort() };
    }),
  });
}

/** The assistant messages by what equal ones have in common: as in Python, of equal messages the first is changed. */
class Callers {
  readonly #by = new Map<string, number[]>();
  /** Of each message the others that it may be equal to. */
  readonly #of = new Map<number, readonly number[]>();

  constructor(private readonly messages: readonly object[]) {
    for (const [at, message] of messages.entries()) {
      const calls = toolCallsOf(message, at)?.calls;
      if (!calls) continue;
      const key = JSON.stringify([idOf(message), calls.map(callId)]);
      const own = this.#by.get(key) ?? [];
      own.push(at);
      this.#by.set(key, own);
      this.#of.set(at, own);
    }
  }

  /** Whether another message may be equal to it. */
  areEqual(at: number): boolean {
    return (this.#of.get(at)?.length ?? 0) > 1;
  }

  /** The first message that is equal to it. */
  first(at: number): number | undefined {
    return this.#of.get(at)?.find((one) => one === at || sameJson(this.messages[one], this.messages[at]));
  }
}
