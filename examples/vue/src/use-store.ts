import { onScopeDispose, shallowRef, type ShallowRef } from "vue";

/** What `look` sees now, and after each change that `subscribe` tells. Shallow: what it sees is never changed in place. */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): Readonly<ShallowRef<T>> {
  const seen = shallowRef(look());
  onScopeDispose(subscribe(() => (seen.value = look())));
  return seen;
}
