import { ThreadfoldError } from "../shared/errors.js";
import { REMOVE_ALL_MESSAGES } from "../state/messages.js";
import { Thread } from "../thread/thread.js";
import type { Schema } from "../state/schema.js";
import { INSIDE } from "../thread/inside.js";
import type { FoldingThread } from "./folding-thread.js";

/** The methods that {@link withoutFailed} needs from a thread. The package's `Thread` has them all. */
export interface FailingThread {
  readonly schema?: { readonly fields: object } | undefined;
  readonly pending: readonly { readonly id: string; readonly update: object; readonly status: string }[];
  /** The server's state. */
  getConfirmedState(): object;
  readonly [INSIDE]: FoldingThread[typeof INSIDE];
}

interface Removal {
  readonly type?: unknown;
  readonly id: string;
}

/** A thread's messages and state, with the pending updates among them. */
export interface Shown {
  readonly state: object;
  readonly pending: readonly { readonly update: object }[];
}

/**
 * Returns what to send: what the thread shows, without updates that failed, which wait for a retry. Nothing is copied,
 * and what failed is not looked at: it may be what cannot be sent.
 */
export function withoutFailed(thread: FailingThread): Shown {
  const { pending } = thread;
  const failed = pending.filter(({ status }) => status === "failed");
  if (failed.length === 0) return { state: thread[INSIDE].unpredicted(), pending };
  const other = new Thread<object, object>({ schema: thread.schema as Schema<never> | undefined });
  try {
    other.receive({ type: "values", values: thread.getConfirmedState() });
    const rest = pending.filter((update) => !failed.includes(update));
    for (const { update } of rest) showOver(other, update);
    return { state: other.getState(), pending: rest };
  } finally {
    other.dispose();
  }
}

/** Shows an update, but for removals of what failed, or was half a message; nothing, if it changes only what failed. */
function showOver(thread: Thread<object, object>, update: object): void {
  const { messages } = update as { messages?: unknown };
  const isThere = ({ type, id }: Removal) => type !== "remove" || id === REMOVE_ALL_MESSAGES || thread.getMessage(id);
  try {
    thread.optimistic(Array.isArray(messages) ? { ...update, messages: messages.filter(isThere) } : update);
  } catch (error) {
    if (!(error instanceof ThreadfoldError)) throw error;
  }
}
