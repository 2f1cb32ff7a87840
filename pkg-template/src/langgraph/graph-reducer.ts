import { coerceMessageLikeToMessage, type BaseMessage, type BaseMessageLike } from "@langchain/core/messages";
import { addMessages } from "../state/messages.js";
import { newId } from "../shared/new-id.js";

type Messages = BaseMessage | BaseMessageLike | readonly (BaseMessage | BaseMessageLike)[];

/**
 * Does what {@link addMessages} does, for a graph of langgraph.js in place of its `messagesStateReducer`. It converts
 * all messages to `@langchain/core`'s message classes. A message without an id gets a uuid in place, on the instance
 * that the node returned. So `ToolNode` finds its `AIMessage`, `state.messages.includes(returned)` holds, and streamed
 * `updates` have the state's ids.
 *
 * This is the one function of threadfold that writes into its arguments; it leaves the lists themselves alone. Returns
 * `left` itself if `right` changes nothing.
 *
 * One deliberate difference from `messagesStateReducer`: a removal after a remove-all is applied, or is the error
 * `UNKNOWN_MESSAGE`. The reference returns the removal as a message.
 *
 * @throws what `coerceMessageLikeToMessage` throws for an invalid message, and {@link ThreadfoldError}
 *   `UNKNOWN_MESSAGE`.
 *
 * @example
 * ```ts
 * import { HumanMessage } from "@langchain/core/messages";
 * import { graphReducer } from "threadfold/langgraph/core";
 *
 * const messages = graphReducer([], { role: "user", content: "Hi" });
 * console.log(messages[0] instanceof HumanMessage, typeof messages[0]?.id); // true string
 * ```
 */
export function graphReducer(left: Messages, right: Messages): BaseMessage[] {
  // All messages are read before an id is written, so that an invalid one leaves the others unchanged.
  const [was, more] = [instances(left), instances(right)];
  giveIds(was);
  giveIds(more);
  return addMessages(was, more) as BaseMessage[];
}

/** Returns these messages as instances; the same list if they are instances already. */
function instances(given: Messages): readonly BaseMessage[] {
  const list = Array.isArray(given) ? (given as readonly BaseMessageLike[]) : [given as BaseMessageLike];
  let made: BaseMessage[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const one = list[at] as BaseMessageLike;
    const message = coerceMessageLikeToMessage(one);
    if (message !== one) (made ??= list.slice() as BaseMessage[])[at] = message;
  }
  return made ?? (list as readonly BaseMessage[]);
}

function giveIds(messages: readonly BaseMessage[]): void {
  for (const message of messages) {
    if (message.id == null) message.id = message.lc_kwargs["id"] = newId();
  }
}
