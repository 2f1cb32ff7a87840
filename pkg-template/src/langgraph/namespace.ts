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
