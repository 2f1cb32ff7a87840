// The pending updates of a thread, in a component.
import { useCallback, useSyncExternalStore } from "react";
import type { PendingUpdate } from "../thread/thread-types.js";
import { PendingByMessage } from "./pending-by-message.js";
import { threadOf, type Of } from "./thread-of.js";

/** The methods that {@link usePending} needs from a thread. */
export interface PendingStore<U> {
  readonly pending: readonly PendingUpdate<U>[];
  subscribe(listener: () => void): () => void;
}

/**
 * Returns the updates that the server's state does not hold. Renders the component again when one comes, goes or fails.
 * On a server, and during hydration, there are none.
 *
 * @param messageId - Only the updates that add, change or remove this message; the component renders again when one of
 *   those comes, goes or fails. In each message of a long list, a token costs nothing.
 *
 * @example
 * ```tsx
 * import type { Thread } from "threadfold";
 * import { usePending } from "threadfold/react";
 *
 * export function Retry({ thread, id }: { thread: Thread; id: string }) {
 *   const failed = usePending(thread, id).find(({ status }) => status === "failed");
 *   return failed && <button onClick={() => failed.retry()}>Retry</button>;
 * }
 *
 * export function Unsent({ thread }: { thread: Thread }) {
 *   return <p>{usePending(thread).length} not sent</p>;
 * }
 * ```
 */
export function usePending<U>(of: Of<PendingStore<U>>, messageId?: string): readonly PendingUpdate<U>[] {
  const thread = threadOf(of);
  const subscribe = useCallback(
    (listener: () => void) =>
      messageId === undefined ? thread.subscribe(listener) : byMessage(thread).add(messageId, listener),
    [thread, messageId],
  );
  return useSyncExternalStore(
    subscribe,
    () => (messageId === undefined ? thread.pending : byMessage(thread).get(messageId)),
    () => NONE,
  );
}

const NONE: readonly never[] = [];
const known = new WeakMap<object, PendingByMessage<unknown>>();

function byMessage<U>(thread: PendingStore<U>): PendingByMessage<U> {
  let own = known.get(thread) as PendingByMessage<U> | undefined;
  if (!own) known.set(thread, (own = new PendingByMessage(thread)));
  return own;
}
