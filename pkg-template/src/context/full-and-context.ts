// The full track and the context of any state or thread, by the names that users of other systems know.
import { reading } from "./options.js";
import { Context } from "./context.js";
import { type ContextSource, trackOf } from "./source.js";

/** Without a policy nobody asks for tokens. */
let uncounted: Context | undefined;

/**
 * Returns all messages: a state's `full_messages` if it has them, else its messages; a thread's history.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what is neither a thread, a state nor a list.
 *
 * @example
 * ```ts
 * import { contextMessages, fullMessages } from "threadfold/context";
 *
 * const state = {
 *   messages: ["a", "b", "c"].map((content) => ({ type: "human", content })),
 *   _summarization_event: { cutoff_index: 2, summary_message: { type: "human", content: "Two letters." } },
 * };
 * console.log(fullMessages(state).length); // 3
 * console.log(contextMessages(state).map(({ content }) => content)); // [ 'Two letters.', 'c' ]
 * ```
 */
export function fullMessages<M extends object>(source: ContextSource<M>): readonly M[] {
  return reading(() => trackOf(source).messages);
}

/**
 * Returns what the model is sent by the record that a thread or state has: {@link Context.of} without a policy. The same list while
 * nothing has changed.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`.
 */
export function contextMessages<M extends object>(source: ContextSource<M>): readonly M[] {
  uncounted ??= new Context({ tokenCounter: () => 0 });
  return uncounted.of(source).messages;
}
