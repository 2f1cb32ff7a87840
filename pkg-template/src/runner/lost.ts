import type { Thread } from "threadfold";

interface Said {
  readonly id?: unknown;
  readonly type?: unknown;
}

/**
 * Returns what the user said last and the server's state lacks, though the server told it: a run may fail, or its server
 * go down, between the state that it tells and the checkpoint that keeps it.
 */
export function lostMessages<S extends object, U extends object>(thread: Thread<S, U>, values: object): object[] {
  const { messages: told = [] } = thread.confirmed as { messages?: readonly Said[] };
  const { messages: kept } = values as { messages?: unknown };
  const has = new Set((Array.isArray(kept) ? (kept as readonly Said[]) : []).map(({ id }) => id));
  const place = told.map(({ id }) => has.has(id)).lastIndexOf(true);
  return told.slice(place + 1).filter(({ type }) => type === "human");
}
