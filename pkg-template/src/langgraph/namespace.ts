const isTools = (segment: string): boolean => segment.startsWith("tools:") || segment.startsWith("task:");

/**
 * Returns how many segments of a namespace lead to the first graph that a tool runs, such as a sub-agent; 0 if there is
 * none. A task's second graph has a number as its next segment.
 */
export function toolsGraph(namespace: readonly string[]): number {
  const at = namespace.findIndex(isTools);
  return at < 0 ? 0 : /^\d+$/.test(namespace[at + 1] ?? "") ? at + 2 : at + 1;
}

/**
 * Whether a namespace belongs to a tool's own work, such as an agent that a tool calls. Its messages are not part of
 * the conversation, but the tool's result is.
 */
export const isToolsOwn = (namespace: readonly string[]): boolean => namespace.some(isTools);

const ROOT: readonly string[] = [];

/** Returns the namespace of the graph that a task is in: the one around the task's own segment. */
export const graphOf = (task: string): readonly string[] => (task.includes("|") ? task.split("|").slice(0, -1) : ROOT);

/** Returns how many segments of a namespace lead to the innermost graph that a tool runs; 0 if there is none. */
export function subagentEnd(ns: readonly string[]): number {
  let end = 0;
  for (let more = toolsGraph(ns); more > 0; more = toolsGraph(ns.slice(end))) end += more;
  return end;
}

/** Returns the id of the sub-agent that a namespace is in. */
export const subagentOf = (ns: readonly string[]): string | undefined =>
  subagentEnd(ns) > 0 ? ns.slice(0, subagentEnd(ns)).join("|") : undefined;
