import type { Thread } from "../thread/thread.js";
import { isUsers, messagesIn, type AnyMessage } from "./messages-in.js";

/**
 * Returns the user messages that the server sent and its state lacks, after the last one that the state has. A run may
 * fail, or its server go down, before the checkpoint keeps a state that was sent.
 */
export function lostMessages<S extends object, U extends object>(thread: Thread<S, U>, values: object): AnyMessage[] {
  const { messages: kept } = values as { messages?: unknown };
  const has = new Set((Array.isArray(kept) ? (kept as readonly AnyMessage[]) : []).map(({ id }) => id));
  const users = messagesIn(thread.getConfirmedState()).filter(isUsers);
  return users.slice(users.map(({ id }) => has.has(id)).lastIndexOf(true) + 1);
}
