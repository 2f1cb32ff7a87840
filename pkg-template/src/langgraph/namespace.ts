/**
 * Whether a namespace belongs to a tool's own work, such as an agent that a tool calls. Its messages are not part of
 * the conversation, but the tool's result is.
 */
export const isToolsOwn = (namespace: readonly string[]): boolean =>
  namespace.some((segment) => segment.startsWith("tools:") || segment.startsWith("task:"));
