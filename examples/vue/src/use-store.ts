import { onScopeDispose, shallowRef, type ShallowRef } from "vue";

/**
 * Returns what `look` sees now, and again after each change that `subscribe` reports. Shallow: the values never change
 * in place.
 */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): Readonly<ShallowRef<T>> {
  const seen = shallowRef(look());
  onScopeDispose(subscribe(() => (seen.value = look())));
  return seen;
}
