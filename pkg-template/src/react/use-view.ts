// Reads a store for a component, in the form that React needs.
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** One of the views that a thread has, or a part of it. */
export function useView<Store extends { subscribe(listener: () => void): () => void }, V, T>(
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

  // Only committed values may be reused in a later selector's results; a render may be discarded.
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
