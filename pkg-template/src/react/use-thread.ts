// A thread's state, or a part of it, in a component.
import { threadOf, type Of } from "./thread-of.js";
import { useView } from "./use-view.js";

/** The methods that {@link useThread} needs from a thread. A zustand vanilla store has these three, too. */
export interface ThreadStore<S> {
  getState(): S;
  getInitialState(): S;
  subscribe(listener: () => void): () => void;
}

/**
 * The thread's state; the component renders again whenever it changes: once for all that the server sent in one go.
 *
 * Updates share unchanged objects. With `React.memo` on the component of one message, a token renders only that
 * message.
 *
 * @example
 * ```tsx
 * import { memo } from "react";
 * import type { Thread, ThreadState } from "threadfold";
 * import { useThread } from "threadfold/react";
 *
 * const Message = memo(({ message }: { message: ThreadState["messages"][number] }) => <p>{String(message.content)}</p>);
 *
 * export function Chat({ thread }: { thread: Thread }) {
 *   const { messages } = useThread(thread);
 *   return messages.map((message) => <Message key={message.id} message={message} />);
 * }
 * ```
 */
export function useThread<S>(of: Of<ThreadStore<S>>): S;
/**
 * A part of the thread's state; the component renders again only when that part is another one.
 *
 * @param selector - May be a new function for each render, and may make new objects.
 * @param isEqual - When two selections are the same one: `Object.is`, if not said. The earlier object is kept then.
 *
 * @example
 * ```tsx
 * import type { Thread } from "threadfold";
 * import { useThread } from "threadfold/react";
 *
 * const sameItems = <T,>(a: readonly T[], b: readonly T[]) => a.length === b.length && a.every((item, at) => item === b[at]);
 *
 * export function Summary({ thread }: { thread: Thread }) {
 *   const ids = useThread(thread, (state) => state.messages.map(({ id }) => id), sameItems);
 *   const todos = useThread(thread, (state) => state.todos?.length ?? 0);
 *   return <p>{ids.length} messages, {todos} todos</p>;
 * }
 * ```
 */
export function useThread<S, T>(
  of: Of<ThreadStore<S>>,
  selector: (state: S) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
/** The state of one of several kinds of threads, or a part of it. */
export function useThread<H extends ThreadStore<unknown>>(of: Of<H>): ReturnType<H["getState"]>;
export function useThread<H extends ThreadStore<unknown>, T>(
  of: Of<H>,
  selector: (state: ReturnType<H["getState"]>) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useThread<S, T>(
  of: Of<ThreadStore<S>>,
  selector?: (state: S) => T,
  isEqual?: (before: T, now: T) => boolean,
): S | T {
  return useView(
    threadOf(of),
    getState as (thread: ThreadStore<S>) => S,
    getInitialState as (thread: ThreadStore<S>) => S,
    selector,
    isEqual,
  );
}

const getState = (thread: ThreadStore<unknown>) => thread.getState();
const getInitialState = (thread: ThreadStore<unknown>) => thread.getInitialState();
