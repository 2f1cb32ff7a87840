// The messages of a thread in components: the list knows ids, each message knows itself.
import { useCallback, useSyncExternalStore } from "react";

/** What {@link useMessageIds} asks of a thread. */
export interface MessageIdsStore {
  readonly messageIds: readonly string[];
  getInitialState(): object;
  subscribe(listener: () => void): () => void;
}

/** What {@link useMessage} asks of a thread. */
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
 * For a chat of thousands, render blocks of fifty, each with `content-visibility: auto`. React goes through all siblings
 * of what it renders, and browsers through all elements with `content-visibility`: at 5,000 messages a token costs the
 * page some 2 ms in blocks, and ten times that with `content-visibility` on each message.
 *
 * @example
 * ```tsx
 * import { memo } from "react";
 * import { textOf, type Thread } from "threadfold";
 * import { useMessage, useMessageIds } from "threadfold/react";
 *
 * const SIZE = 50;
 * const unseen = { contentVisibility: "auto", containIntrinsicSize: `auto ${SIZE * 60}px` } as const;
 *
 * function Message({ thread, id }: { thread: Thread; id: string }) {
 *   const message = useMessage(thread, id);
 *   return message && <li>{textOf(message)}</li>;
 * }
 *
 * const Block = memo(
 *   ({ thread, ids }: { thread: Thread; ids: readonly string[] }) => (
 *     <ul style={unseen}>{ids.map((id) => <Message key={id} thread={thread} id={id} />)}</ul>
 *   ),
 *   (before, now) => before.thread === now.thread && before.ids.join() === now.ids.join(),
 * );
 *
 * export function LongChat({ thread }: { thread: Thread }) {
 *   const ids = useMessageIds(thread);
 *   const starts = ids.filter((_, at) => at % SIZE === 0);
 *   return starts.map((first, at) => (
 *     <Block key={first} thread={thread} ids={ids.slice(at * SIZE, (at + 1) * SIZE)} />
 *   ));
 * }
 * ```
 */
export function useMessageIds(thread: MessageIdsStore): readonly string[] {
  const subscribe = useCallback((listener: () => void) => thread.subscribe(listener), [thread]);
  return useSyncExternalStore(
    subscribe,
    () => thread.messageIds,
    () => initially(thread).ids,
  );
}

/**
 * Returns the thread's message with this id, or `undefined` if there is none. Renders the component again only when that
 * message changes: in a list by {@link useMessageIds}, a token renders one component and asks no other.
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
export function useMessage<M>(thread: MessageStore<M>, id: string): M | undefined {
  const subscribe = useCallback((listener: () => void) => thread.subscribeMessage(id, listener), [thread, id]);
  return useSyncExternalStore(
    subscribe,
    () => thread.getMessage(id),
    () => initially(thread).byId.get(id) as M | undefined,
  );
}

interface Initial {
  readonly ids: readonly string[];
  readonly byId: ReadonlyMap<string, unknown>;
}

const known = new WeakMap<object, Initial>();

/** The messages of the state that a thread was made with, looked through once for all components. */
function initially(thread: { getInitialState(): object }): Initial {
  const state = thread.getInitialState();
  let initial = known.get(state);
  if (!initial) {
    const { messages = [] } = state as { messages?: readonly { id: string }[] };
    const byId = new Map(messages.map((message) => [message.id, message]));
    known.set(state, (initial = { ids: [...byId.keys()], byId }));
  }
  return initial;
}
