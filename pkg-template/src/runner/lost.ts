import type { Thread } from "../thread/thread.js";

interface Message {
  readonly id?: unknown;
  readonly type?: unknown;
}

/**
 * Returns the user messages that the server sent and its state lacks, after the last one that the state has. A run may
 * fail, or its server go down, before the checkpoint keeps a state that was sent.
 */
export function lostMessages<S extends object, U extends object>(thread: Thread<S, U>, values: object): Message[] {
  const { messages: told = [] } = thread.getConfirmedState() as { messages?: readonly Message[] };
  const { messages: kept } = values as { messages?: unknown };
  const has = new Set((Array.isArray(kept) ? (kept as readonly Message[]) : []).map(({ id }) => id));
  const users = told.filter(({ type }) => type === "human");
  return users.slice(users.map(({ id }) => has.has(id)).lastIndexOf(true) + 1);
}
