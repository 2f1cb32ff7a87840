// The messages of a thread in components: the list knows ids, each message knows itself.
import { useCallback, useSyncExternalStore } from "react";
import { initially } from "./initial-messages.js";
import { threadOf, type Of } from "./thread-of.js";

/** The methods that {@link useMessageIds} needs from a thread. */
export interface MessageIdsStore {
  readonly messageIds: readonly string[];
  getInitialState(): object;
  subscribe(listener: () => void): () => void;
}

/** The methods that {@link useMessage} needs from a thread. */
export interface MessageStore<M> {
  getMessage(id: string): M | undefined;
  getInitialState(): object;
  subscribeMessage(id: string, listener: () => void): () => void;
}

/**
 * Returns the ids of the thread's messages, in their order. Renders the component again only when a message comes, goes
 * or moves: what a message says is for {@link useMessage}, in a component of its own.
 *
 * On a server, and during hydration, these are the messages that the thread was made with.
 *
 * @example
 * ```tsx
 * import { memo } from "react";
 * import { textOf, type Thread } from "threadfold";
 * import { useMessage, useMessageIds } from "threadfold/react";
 *
 * const Message = memo(({ thread, id }: { thread: Thread; id: string }) => {
 *   const message = useMessage(thread, id);
 *   return message && <li>{textOf(message)}</li>;
 * });
 *
 * export function Chat({ thread }: { thread: Thread }) {
 *   const ids = useMessageIds(thread);
 *   return <ul>{ids.map((id) => <Message key={id} thread={thread} id={id} />)}</ul>;
 * }
 * ```
 *
 * For a chat of thousands, render blocks of 500 messages, and blocks of 50 in each, all with
 * `content-visibility: auto`. React visits all siblings of the rendered component, and browsers visit all elements with
 * `content-visibility`. At 5,000 messages in blocks, a token costs the page little more than at 100. With
 * `content-visibility` on each message, it costs ten times that.
 *
 * @example
 * ```tsx
 * import { memo } from "react";
 * import { textOf, type Thread } from "threadfold";
 * import { useMessage, useMessageIds } from "threadfold/react";
 *
 * const HEIGHT = 60; // of a message, about
 *
 * export function LongChat({ thread }: { thread: Thread }) {
 *   return <Messages thread={thread} ids={useMessageIds(thread)} size={500} />;
 * }
 *
 * // Blocks of 500 messages, in each of them blocks of 50, in each of those the messages.
 * const Messages = memo(
 *   ({ thread, ids, size }: { thread: Thread; ids: readonly string[]; size: number }) => {
 *     if (size < 50) return ids.map((id) => <Message key={id} thread={thread} id={id} />);
 *     const starts = ids.filter((_, at) => at % size === 0);
 *     return starts.map((first, at) => {
 *       const own = ids.slice(at * size, (at + 1) * size);
 *       const unseen = { contentVisibility: "auto", containIntrinsicSize: `auto ${own.length * HEIGHT}px` } as const;
 *       return (
 *         <div key={first} style={unseen}>
 *           <Messages thread={thread} ids={own} size={size / 10} />
 *         </div>
 *       );
 *     });
 *   },
 *   (before, now) => before.thread === now.thread && before.ids.join() === now.ids.join(),
 * );
 *
 * function Message({ thread, id }: { thread: Thread; id: string }) {
 *   const message = useMessage(thread, id);
 *   return message && <p>{textOf(message)}</p>;
 * }
 * ```
 */
export function useMessageIds(of: Of<MessageIdsStore>): readonly string[] {
  const thread = threadOf(of);
  const subscribe = useCallback((listener: () => void) => thread.subscribe(listener), [thread]);
  return useSyncExternalStore(
    subscribe,
    () => thread.messageIds,
    () => initially(thread).ids,
  );
}

/**
 * Returns the thread's message with this id, or `undefined` if there is none. Renders the component again only when
 * that message changes: in a list by {@link useMessageIds}, a token renders one component and asks no other.
 *
 * On a server, and during hydration, it is the message that the thread was made with.
 *
 * @example
 * ```tsx
 * import { textOf, type Thread } from "threadfold";
 * import { useMessage } from "threadfold/react";
 *
 * export function Message({ thread, id }: { thread: Thread; id: string }) {
 *   const message = useMessage(thread, id);
 *   return message && <p>{textOf(message)}</p>;
 * }
 * ```
 */
export function useMessage<M>(of: Of<MessageStore<M>>, id: string): M | undefined;
export function useMessage<T extends MessageStore<unknown>>(of: Of<T>, id: string): ReturnType<T["getMessage"]>;
export function useMessage(of: Of<MessageStore<unknown>>, id: string): unknown {
  const thread = threadOf(of);
  const subscribe = useCallback((listener: () => void) => thread.subscribeMessage(id, listener), [thread, id]);
  return useSyncExternalStore(
    subscribe,
    () => thread.getMessage(id),
    () => initially(thread).byId.get(id),
  );
}
