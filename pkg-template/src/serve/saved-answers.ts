// The answers that a thread's checkpoints have, for an instance that takes a run over.
import type { CheckpointSaver } from "../checkpoint/types.js";
import { RESUME } from "../graph/saved/saved-writes.js";
import { isInterruptId } from "../shared/interrupt-id.js";
import type { GraphState, RunnableGraph } from "../stream/graph-parts.js";

const UNREADABLE = -1;

/**
 * Counts the answers that are saved with the tasks of a thread's next step, also in the graphs inside. If there are more
 * than when a run began, the graph has taken the run's own: sent again, they would answer the next question.
 */
export async function savedAnswers(graph: RunnableGraph, threadId: string): Promise<number> {
  const { checkpointer, getState } = graph;
  const { getTuple } = (checkpointer ?? {}) as Partial<CheckpointSaver>;
  if (!getState || !getTuple) return 0;
  const asked = { configurable: { thread_id: threadId } };
  const read = (getState as (...args: unknown[]) => Promise<GraphState | undefined>).bind(graph);
  // A thread that the graph cannot read differs from what it was, or will be.
  const state = await read(asked, { subgraphs: true }).catch(() => null);
  if (state === null) return UNREADABLE;
  let count = 0;
  for (const { config } of statesIn(state)) {
    const { pendingWrites = [] } = (await getTuple.call(checkpointer, config as never)) ?? {};
    for (const [task, channel, value] of pendingWrites)
      // langgraph.js also saves answers under the ids of their questions, where no task finds them.
      if (channel === RESUME && !isInterruptId(task)) count += [value].flat().length;
  }
  return count;
}

/** A state, and those of the graphs inside. */
function* statesIn(state: GraphState | undefined): Generator<GraphState> {
  if (!state?.config) return;
  yield state;
  for (const { state: inner } of state.tasks ?? []) yield* statesIn(inner as GraphState | undefined);
}
