// Which messages the thread's reducer knows. Others are kept, shown and sent as they are.

import { DEVELOPER, KINDS, ON_SCREEN } from "../../generated/kinds.js";

/** The roles of AG-UI 1.0's messages. */
const ROLES: ReadonlySet<unknown> = new Set([...KINDS.map(([, , role]) => role), DEVELOPER[0], ...ON_SCREEN]);

export const hasKnownRole = ({ role }: { readonly role?: unknown }): boolean => ROLES.has(role);

/** Whether the thread's reducer takes a message as it is. With a `type` it would be in LangChain's form. */
export const isKnown = (message: { readonly role?: unknown }): boolean => hasKnownRole(message) && !("type" in message);
