// The graphs of a run as a tree: the answer to `agent.getTree`.
import type { RunEvent } from "./protocol-event.js";

/**
 * Builds the tree of a run's graphs.
 *
 * @param statuses - The last `lifecycle` event of each namespace.
 * @param name - The name of the root's graph, for a run that has not begun.
 */
export function agentTree(statuses: ReadonlyMap<string, RunEvent>, name: string): object {
  const treeOf = (namespace: readonly string[]): object => {
    const { event = "started", graph_name = name } = (statuses.get(namespace.join("|"))?.data ?? {}) as {
      event?: string;
      graph_name?: string;
    };
    const children = [...statuses.values()]
      .filter((one) => one.namespace.length === namespace.length + 1)
      .filter((one) => namespace.every((segment, at) => one.namespace[at] === segment))
      .map((one) => treeOf(one.namespace));
    return { namespace, status: event, graph_name, ...(children.length > 0 && { children }) };
  };
  return treeOf([]);
}
