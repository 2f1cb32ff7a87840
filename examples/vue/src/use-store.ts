import { onScopeDispose, shallowRef, type ShallowRef } from "vue";

/**
 * What a thread or a runner says now. A shallow ref: the objects in it stay what they are, so a component whose message
 * did not change is not rendered again.
 */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): Readonly<ShallowRef<T>> {
  const shown = shallowRef(look());
  onScopeDispose(subscribe(() => (shown.value = look())));
  return shown;
}
