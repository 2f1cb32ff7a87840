import { createSignal, onCleanup, type Accessor } from "solid-js";

/** What `look` sees now, and after each change that `subscribe` tells. */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): Accessor<T> {
  const [seen, see] = createSignal(look());
  onCleanup(subscribe(() => see(() => look())));
  return seen;
}
