// A thread's sub-agents, in a component.
import type { Subagent } from "../thread/subagents.js";
import { threadOf, type Of } from "./thread-of.js";
import { useView } from "./use-view.js";

/** The methods that {@link useSubagents} needs from a thread. */
export interface SubagentStore {
  readonly subagents: readonly Subagent[];
  subscribe(listener: () => void): () => void;
}

/**
 * Returns the agents that the thread's tool calls started. Renders the component again when one is added or named, not
 * for their tokens: read those from each one's `thread`, which all hooks take. On a server, and during hydration, there
 * are none.
 *
 * @param toolCallId - Only the sub-agents of this call.
 *
 * @example
 * ```tsx
 * import { type Subagent, type Thread } from "threadfold";
 * import { useMessageIds, useRun, useSubagents } from "threadfold/react";
 *
 * export function Call({ thread, toolCallId }: { thread: Thread; toolCallId: string }) {
 *   return useSubagents(thread, toolCallId).map((one) => <Task key={one.id} subagent={one} />);
 * }
 *
 * function Task({ subagent: { name, thread } }: { subagent: Subagent }) {
 *   const status = useRun(thread, (run) => run.status);
 *   return (
 *     <details>
 *       <summary>{`${name}: ${status}`}</summary>
 *       {useMessageIds(thread).length} messages
 *     </details>
 *   );
 * }
 * ```
 */
export function useSubagents(of: Of<SubagentStore>, toolCallId?: string): readonly Subagent[] {
  return useView(threadOf(of), subagentsOf, none, (all) => filtered(all, toolCallId), areSame);
}

const filtered = (all: readonly Subagent[], callId: string | undefined): readonly Subagent[] =>
  callId === undefined ? all : all.filter(({ toolCallId }) => toolCallId === callId);

const areSame = (a: readonly Subagent[], b: readonly Subagent[]) =>
  a.length === b.length && a.every((one, at) => one === b[at]);

const NONE: readonly Subagent[] = [];
const subagentsOf = ({ subagents }: SubagentStore) => subagents;
const none = () => NONE;
