import { createSignal, onCleanup, type Accessor } from "solid-js";

/** Returns what `look` sees now, and again after each change that `subscribe` reports. */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): Accessor<T> {
  const [seen, see] = createSignal(look());
  onCleanup(subscribe(() => see(() => look())));
  return seen;
}
