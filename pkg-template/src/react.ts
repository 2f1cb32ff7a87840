"use client";
// "threadfold/react": a thread, or a part of it, in a component. React 18 or later.
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** What {@link useThread} asks of a thread. A zustand vanilla store has these three, too. */
export interface ThreadStore<S> {
  getState(): S;
  getInitialState(): S;
  subscribe(listener: () => void): () => void;
}

/**
 * The thread's state; the component renders again whenever it changes.
 *
 * Updates share what they did not touch, so `React.memo` on the component that shows one message is enough for a
 * token to render that one message.
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
export function useThread<S>(thread: ThreadStore<S>): S;
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
  thread: ThreadStore<S>,
  selector: (state: S) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useThread<S, T>(
  thread: ThreadStore<S>,
  selector?: (state: S) => T,
  isEqual: (before: T, now: T) => boolean = Object.is,
): S | T {
  const shown = useRef<{ readonly selection: T } | undefined>(undefined);

  // One pair of readers for each selector: React reads several times for one render and wants one answer for one state.
  const [now, initially] = useMemo(() => {
    if (!selector) return [() => thread.getState(), () => thread.getInitialState()] as const;
    const select = remembering(selector, isEqual, () => shown.current);
    return [() => select(thread.getState()), () => select(thread.getInitialState())] as const;
  }, [thread, selector, isEqual]);

  const subscribe = useCallback((listener: () => void) => thread.subscribe(listener), [thread]);
  const selection = useSyncExternalStore<S | T>(subscribe, now, initially);

  // Only what was committed may live on in a later selector's answers; a render may be thrown away.
  useEffect(() => {
    shown.current = selector ? { selection: selection as T } : undefined;
  });
  return selection;
}

/** `selector`, run once for a state, with an earlier selection that is equal in place of the new one. */
function remembering<S, T>(
  selector: (state: S) => T,
  isEqual: (before: T, now: T) => boolean,
  shown: () => { readonly selection: T } | undefined,
): (state: S) => T {
  let last: { readonly state: S; readonly selection: T } | undefined;
  return (state) => {
    if (last && Object.is(last.state, state)) return last.selection;
    const selection = selector(state);
    const before = last ?? shown();
    last = { state, selection: before && isEqual(before.selection, selection) ? before.selection : selection };
    return last.selection;
  };
}
