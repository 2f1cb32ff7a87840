import type { RunStore } from "./run-stores/run-store.js";

/** By graph. */
const STORES = new WeakMap<object, Set<RunStore>>();

/** Notes that a server of the graph keeps its runs in the store. */
export function keepsRuns(graph: object, store: RunStore): void {
  const stores = STORES.get(graph) ?? new Set();
  STORES.set(graph, stores.add(store));
}

/** The stores of these graphs' servers: a thread that is deleted has runs in none of them. */
export const storesOf = (graphs: readonly object[]): Set<RunStore> =>
  new Set(graphs.flatMap((graph) => [...(STORES.get(graph) ?? [])]));
