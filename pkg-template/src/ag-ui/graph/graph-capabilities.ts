import type { RunnableGraph } from "../../stream/graph-parts.js";

/** Returns the part of AG-UI's `AgentCapabilities` that a graph decides. */
export function graphCapabilities(graph: RunnableGraph): object {
  const persistentState = Boolean(graph.checkpointer);
  return {
    transport: { streaming: true, resumable: false },
    state: { snapshots: true, deltas: true, persistentState },
    humanInTheLoop: { supported: persistentState, interrupts: persistentState },
  };
}
