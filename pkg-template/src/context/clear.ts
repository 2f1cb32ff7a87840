// Clears old tool results. src/context/clear.rs is the same in Rust.
import { reading } from "../errors.js";
import { sameJson } from "../same-json.js";
import { dictOr, type EditedBefore, type Fields, freeField, kindOf, positionOf, withFields } from "./edited.js";
import { listed, numberOr, wrong } from "./options.js";
import { counterOf, type TokenCounter } from "./token-counter.js";
import { answeredCall, callId, callName, toolCallsOf, withArgs } from "./call-fields.js";

/** What {@link clearToolUses} clears, and when. */
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
  /** What a cleared result says: `[cleared]`. */
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
 * Returns the messages with old tool results cleared, by the rules of LangChain's `ClearToolUsesEdit` in Python: a result
 * is cleared if the nearest assistant message before it has its call. Returns `messages` itself if there is nothing to
 * clear, and every other message as the object that it is.
 *
 * @param tokens - The tokens of the messages, if you know them.
 * @throws {@link ThreadfoldError} `INVALID_VALUE`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
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
      options ?? {};
    const counter = counterOf(tokenCounter);
    const excluded = excludeTools ?? [];
    if (!Array.isArray(excluded)) throw wrong("excludeTools", "a list of names");
    if (placeholder != null && typeof placeholder !== "string") throw wrong("placeholder", "a string");
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
    let callers: Map<string, number[]> | undefined;
    let [nearest, seen, changed] = [-1, 0, false];
    for (const at of results) {
      for (; seen < at; seen++) if (kindOf(list[seen], seen) === "ai") nearest = seen;
      const asked = made[nearest];
      const id = asked && clearable(made[at] as M, asked, nearest, excluded);
      if (asked === undefined || id === undefined) continue;
      changed = true;
      replace(at, cleared(made[at] as M, placeholder ?? "[cleared]"));
      if (clearToolInputs) {
        // As in Python, of equal messages the first is changed.
        callers ??= callersIn(made);
        const first = callers.get(keyOf(asked, nearest))?.find((one) => one === nearest || sameJson(made[one], asked));
        replace(first ?? nearest, withoutArgs(asked, nearest, id));
      }
      if (least > 0) {
        if (!counter.one) now = counter.list(made);
        if (before - now >= least) break;
      }
    }
    return changed ? made : (list as M[]);
  });
}

/** Returns the id of the call, if its result may be cleared. */
function clearable(result: object, asked: object, at: number, excluded: readonly unknown[]): string | undefined {
  const { [freeField(result, "response_metadata")]: metadata, name } = result as Fields;
  if (dictOr(dictOr(metadata)["context_editing"])["cleared"]) return undefined;
  const id = answeredCall(result);
  const call = id === undefined ? undefined : toolCallsOf(asked, at)?.calls.find((call) => callId(call) === id);
  return call === undefined || excluded.includes(name || callName(call)) ? undefined : id;
}

function cleared<M extends object>(result: M, content: string): M {
  const edit = { content, ...marked(result, () => ({ cleared: true, strategy: "clear_tool_uses" })) };
  return withFields(result, "artifact" in result ? { ...edit, artifact: null } : edit);
}

/** Returns the field in which a message says how it was edited. */
function marked(message: object, mark: (known: Fields) => Fields): Fields {
  const field = freeField(message, "response_metadata");
  const known = dictOr((message as Fields)[field]);
  return { [field]: { ...known, context_editing: mark(dictOr(known["context_editing"])) } };
}

function withoutArgs<M extends object>(asked: M, at: number, id: string): M {
  const found = toolCallsOf(asked, at);
  if (!found) return asked;
  const { field, calls } = found;
  return withFields(asked, {
    [field]: calls.map((call) => (callId(call) === id ? withArgs(call, {}) : call)),
    ...marked(asked, (known) => {
      const ids = known["cleared_tool_inputs"];
      return { ...known, cleared_tool_inputs: [...new Set([...(Array.isArray(ids) ? ids : []), id])].sort() };
    }),
  });
}

/** The assistant messages by what equal ones have in common. */
function callersIn(messages: readonly object[]): Map<string, number[]> {
  const callers = new Map<string, number[]>();
  for (const [at, message] of messages.entries()) {
    if (!toolCallsOf(message, at)) continue;
    const key = keyOf(message, at);
    const known = callers.get(key);
    if (known) known.push(at);
    else callers.set(key, [at]);
  }
  return callers;
}

const keyOf = (message: object, at: number): string =>
  JSON.stringify([(message as Fields)["id"], toolCallsOf(message, at)?.calls.map(callId)]);
