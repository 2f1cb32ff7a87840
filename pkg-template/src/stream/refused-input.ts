// A thread whose last input the graph refuses.
import type { GraphState, RunnableGraph } from "./graph-parts.js";

/**
 * Returns the state before the thread's newest input, if nothing has run on that. A graph saves an input before it folds
 * it in. One that it refuses is in a checkpoint, and `getState` folds it in again, and throws.
 */
export async function beforeRefusedInput(graph: RunnableGraph, config: object): Promise<GraphState | undefined> {
  try {
    const states = graph.getStateHistory?.(config as never, { limit: 1 } as never);
    for await (const state of (states ?? []) as AsyncIterable<GraphState>)
      return state.next?.includes("__start__") ? state : undefined;
  } catch {
    // Then it was not the input: the first error says more.
  }
  return undefined;
}
