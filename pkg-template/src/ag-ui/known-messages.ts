// Which messages the thread's reducer knows. The others are held, shown and sent as they are.

/** The roles of AG-UI 1.0's messages. */
const ROLES: ReadonlySet<unknown> = new Set([
  "user",
  "assistant",
  "system",
  "developer",
  "tool",
  "activity",
  "reasoning",
]);

export const hasKnownRole = ({ role }: { readonly role?: unknown }): boolean => ROLES.has(role);

/** A `type` would say that the message is in LangChain's form. */
export const isKnown = (message: { readonly role?: unknown }): boolean => hasKnownRole(message) && !("type" in message);
