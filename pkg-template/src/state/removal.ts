// The removal of messages, for entries that need no wasm, too.

/** Removes every message before it, as the id of a removal. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

/**
 * Makes the removal of the message with this id, for {@link addMessages} and every other update of messages.
 *
 * @example
 * ```ts
 * import { addMessages, removeMessage } from "threadfold";
 *
 * const list = addMessages([{ type: "human", id: "1", content: "a" }], removeMessage("1"));
 * console.log(list.length); // 0
 * ```
 */
export function removeMessage(id: string): { type: "remove"; id: string } {
  return { type: "remove", id };
}
