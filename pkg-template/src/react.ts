// The hooks of "threadfold/react".
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { PendingUpdate, ThreadRun } from "threadfold";

/** What {@link useThread} asks of a thread. A zustand vanilla store has these three, too. */
export interface ThreadStore<S> {
  getState(): S;
  getInitialState(): S;
  subscribe(listener: () => void): () => void;
}

/**
 * The thread's state; the component renders again whenever it changes: once for all that the server sent in one go.
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
  isEqual?: (before: T, now: T) => boolean,
): S | T {
  return useView(
    thread,
    getState as (thread: ThreadStore<S>) => S,
    getInitialState as (thread: ThreadStore<S>) => S,
    selector,
    isEqual,
  );
}

/**
 * Where the thread's last run stands; the component renders again when that changes. On a server, and while its HTML is
 * taken over, there is no run.
 *
 * @param selector - What of it the component shows: `lastEventId` changes with every part of a stream that has ids.
 *
 * @example
 * ```tsx
 * import type { Thread } from "threadfold";
 * import { useRun } from "threadfold/react";
 *
 * export function Status({ thread }: { thread: Thread }) {
 *   const status = useRun(thread, (run) => run.status);
 *   return status === "disconnected" ? <p>The connection broke.</p> : null;
 * }
 * ```
 */
export function useRun(thread: RunStore): ThreadRun;
export function useRun<T>(
  thread: RunStore,
  selector: (run: ThreadRun) => T,
  isEqual?: (before: T, now: T) => boolean,
): T;
export function useRun<T>(
  thread: RunStore,
  selector?: (run: ThreadRun) => T,
  isEqual?: (before: T, now: T) => boolean,
): ThreadRun | T {
  return useView(thread, runOf, noRun, selector, isEqual);
}

/**
 * The updates that the server's state does not hold; the component renders again when one comes, goes, or fails. On a
 * server, and while its HTML is taken over, there are none.
 *
 * @example
 * ```tsx
 * import type { Thread } from "threadfold";
 * import { usePending } from "threadfold/react";
 *
 * export function Failures({ thread }: { thread: Thread }) {
 *   const failed = usePending(thread).filter(({ status }) => status === "failed");
 *   return failed.map(({ id }) => <button key={id} onClick={() => thread.optimisticUpdate(id).retry()}>Retry</button>);
 * }
 * ```
 */
export function usePending<U>(thread: PendingStore<U>): readonly PendingUpdate<U>[] {
  return useView(
    thread,
    pendingOf as (thread: PendingStore<U>) => readonly PendingUpdate<U>[],
    nonePending,
    undefined,
    undefined,
  );
}

/** What {@link useRun} asks of a thread. */
export interface RunStore {
  readonly run: ThreadRun;
  subscribe(listener: () => void): () => void;
}

/** What {@link usePending} asks of a thread. */
export interface PendingStore<U> {
  readonly pending: readonly PendingUpdate<U>[];
  subscribe(listener: () => void): () => void;
}

const IDLE: ThreadRun = { status: "idle" };
const NONE: readonly never[] = [];

const getState = (thread: ThreadStore<unknown>) => thread.getState();
const getInitialState = (thread: ThreadStore<unknown>) => thread.getInitialState();
const runOf = ({ run }: RunStore) => run;
const noRun = () => IDLE;
const pendingOf = ({ pending }: PendingStore<unknown>) => pending;
const nonePending = () => NONE;

/** One of the views that a thread has, or a part of it. */
function useView<Store extends { subscribe(listener: () => void): () => void }, V, T>(
  thread: Store,
  look: (thread: Store) => V,
  lookFirst: (thread: Store) => V,
  selector: ((view: V) => T) | undefined,
  isEqual: (before: T, now: T) => boolean = Object.is,
): V | T {
  const shown = useRef<{ readonly selection: T } | undefined>(undefined);

  // One pair of readers for each selector: React reads several times for one render and wants one answer for one view.
  const [now, initially] = useMemo(() => {
    if (!selector) return [() => look(thread), () => lookFirst(thread)] as const;
    const select = remembering(selector, isEqual, () => shown.current);
    return [() => select(look(thread)), () => select(lookFirst(thread))] as const;
  }, [thread, look, lookFirst, selector, isEqual]);

  const subscribe = useCallback((listener: () => void) => thread.subscribe(listener), [thread]);
  const selection = useSyncExternalStore<V | T>(subscribe, now, initially);

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
