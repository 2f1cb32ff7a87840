// The names of the nodes that handle the errors of others, as langgraph.js gives them.

/** The handler of all nodes that have none of their own. */
export const SHARED_HANDLER = "__default_error_handler__";

const OWN = "__error_handler__";

/** Names a node's own handler. */
export const handlerOf = (node: string): string => OWN + node;

/** Returns the node whose own handler has this name. */
export const handledBy = (name: string): string | undefined =>
  name.startsWith(OWN) ? name.slice(OWN.length) : undefined;

/** Whether the name is a handler's, a node's own or the shared one. */
export const isHandler = (name: string): boolean => name.startsWith(SHARED_HANDLER) || name.startsWith(OWN);
