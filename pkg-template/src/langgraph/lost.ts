import type { Thread } from "../thread/thread.js";

interface Said {
  readonly id?: unknown;
  readonly type?: unknown;
}

/**
 * Returns the user's messages that the server told and its state lacks, behind the last that it has: a run may fail, or its
 * server go down, between the state that it tells and the checkpoint that keeps it.
 */
export function lostMessages<S extends object, U extends object>(thread: Thread<S, U>, values: object): Said[] {
  const { messages: told = [] } = thread.getConfirmedState() as { messages?: readonly Said[] };
  const { messages: kept } = values as { messages?: unknown };
  const has = new Set((Array.isArray(kept) ? (kept as readonly Said[]) : []).map(({ id }) => id));
  const users = told.filter(({ type }) => type === "human");
  return users.slice(users.map(({ id }) => has.has(id)).lastIndexOf(true) + 1);
}
