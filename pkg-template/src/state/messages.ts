import * as core from "#core";
import { addWhole } from "../../generated/lists.js";
import type {
  LangChainMessage,
  MessageContent,
  MessageLike,
  MessageObject,
  MessageOf,
  MessageRemoval,
  RoleDict,
} from "./message-types.js";
import { choice, RULES } from "../shared/choices.js";
import { checkOptions } from "../shared/options.js";

export type * from "./message-types.js";
export { REMOVE_ALL_MESSAGES, removeMessage } from "./removal.js";

/** Whose rules a list of messages follows: LangGraph's `add_messages`, or DeepAgents' batch reducer. */
export interface MessageOptions {
  /**
   * Default `"langgraph"`. With `"deepagents"` a removal of an unknown id is ignored and messages without an id stay so. A
   * message that is removed and sent again comes last. If two have the same id, only the last is removed.
   */
  rules?: "langgraph" | "deepagents" | undefined;
}

/**
 * Adds messages to messages as LangGraph's `add_messages` does: replaces a message of a known id in its place, appends
 * another, removes by a removal. Give a list or a single message on either side.
 *
 * Returns a new list, or `left` itself when `right` changes nothing. The messages in it are the objects that you gave,
 * instances with their class. An incomplete message (a string, a pair, a dict with a role and no id) becomes a LangChain
 * dict. A message without an id gets a uuid. Neither side is changed.
 *
 * Differs from `messagesStateReducer` twice. Dicts stay dicts. A removal after a remove-all is carried out, or is the
 * error `UNKNOWN_MESSAGE`, where the reference returns the removal as a message.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNKNOWN_MESSAGE`.
 *
 * @example
 * ```ts
 * import { addMessages } from "threadfold";
 *
 * const asked = addMessages([], "What is 6 × 7?");
 * const answered = addMessages(asked, { type: "ai", id: "a1", content: "42" });
 * console.log(answered[0] === asked[0], answered.length); // true 2
 * ```
 */
export function addMessages<M extends MessageObject>(
  left: readonly M[],
  // `M & {}` is M that is inferred elsewhere; `NoInfer<M>` would widen literals.
  right: (M & {}) | MessageRemoval | readonly ((M & {}) | MessageRemoval)[],
  options?: MessageOptions,
): M[];
export function addMessages(
  left: LangChainLike | readonly LangChainLike[],
  right: LangChainLike | readonly LangChainLike[],
  options?: MessageOptions,
): LangChainMessage[];
export function addMessages<L extends MessageLike = never, R extends MessageLike = never>(
  left: L | readonly L[],
  right: R | readonly R[],
  options?: MessageOptions,
): MessageOf<Either<L, R>>[];
export function addMessages(left: unknown, right: unknown, options?: MessageOptions): unknown {
  checkOptions("addMessages", options, ["rules"]);
  const rules = choice(options, "rules", RULES);
  return core.call(() => {
    const list = core.hold(left);
    return core.value(addWhole(list, core.hold(right), (added) => core.addMessages(list, added, rules)));
  });
}

/** `L | R`, from which nothing is inferred: what is wanted of the answer says nothing about the arguments. */
type Either<L, R> = [L | R] extends [infer T] ? T : never;

/** A LangChain dict, or a form that becomes one; instances keep their class. */
type LangChainLike =
  | string
  | readonly [role: string, content: MessageContent]
  | RoleDict
  | MessageRemoval
  | (LangChainMessage & { lc_kwargs?: never });
