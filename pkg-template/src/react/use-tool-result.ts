// The result of a tool call, in the component that shows the call.
import { useCallback, useSyncExternalStore } from "react";
import { ResultIds, resultsOf } from "./result-ids.js";
import { threadOf, type Of } from "./thread-of.js";
import { useMessage, type MessageIdsStore, type MessageStore } from "./use-message.js";

/** The methods that {@link useToolResult} needs from a thread. */
export interface ToolResultStore<M> extends MessageIdsStore, MessageStore<M> {}

/** Those of a thread's messages that are results of tools; all of them, if their type does not tell. */
export type ToolResult<M> = [Results<M>] extends [never] ? M : Results<M>;
type Results<M> = Extract<M, { role: "tool" } | { type: "tool" }>;

/**
 * Returns the message that answers a tool call; `undefined` as long as there is none. Renders the component again only
 * when that message comes, changes or goes: a token of another message costs nothing.
 *
 * On a server, and during hydration, it is the result that the thread was made with.
 *
 * @example
 * ```tsx
 * import { textOf, type AgUiState, type Thread } from "threadfold";
 * import { useMessage, useToolResult } from "threadfold/react";
 *
 * export function Message({ thread, id }: { thread: Thread<AgUiState>; id: string }) {
 *   const message = useMessage(thread, id);
 *   if (!message || message.role === "tool") return null; // shown beside its call
 *   const calls = message.role === "assistant" ? message.toolCalls : [];
 *   return (
 *     <li>
 *       {textOf(message)}
 *       {calls?.map((call) => <Call key={call.id} thread={thread} id={call.id} name={call.function.name} />)}
 *     </li>
 *   );
 * }
 *
 * function Call({ thread, id, name }: { thread: Thread<AgUiState>; id: string; name: string }) {
 *   const result = useToolResult(thread, id);
 *   return <p>{name}: {result ? textOf(result) : "…"}</p>;
 * }
 * ```
 */
export function useToolResult<M>(of: Of<ToolResultStore<M>>, toolCallId: string): ToolResult<M> | undefined {
  const thread = threadOf(of);
  const subscribe = useCallback((listener: () => void) => resultIds(thread).add(listener), [thread]);
  const id = useSyncExternalStore(
    subscribe,
    () => resultIds(thread).get(toolCallId),
    () => initially(thread).get(toolCallId),
  );
  return useMessage(thread, id ?? "") as ToolResult<M> | undefined;
}

const known = new WeakMap<object, ResultIds>();

function resultIds(thread: ToolResultStore<unknown>): ResultIds {
  let own = known.get(thread);
  if (!own) known.set(thread, (own = new ResultIds(thread as ToolResultStore<object>)));
  return own;
}

const knownAtFirst = new WeakMap<object, ReadonlyMap<string, string>>();

/** The results of the state that a thread was made with, looked through once for all components. */
function initially(thread: { getInitialState(): object }): ReadonlyMap<string, string> {
  const state = thread.getInitialState() as { messages?: readonly object[] };
  let results = knownAtFirst.get(state);
  if (!results) knownAtFirst.set(state, (results = resultsOf(state.messages ?? [])));
  return results;
}
