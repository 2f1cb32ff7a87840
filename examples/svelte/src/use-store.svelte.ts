/**
 * Returns what `look` sees now, and again after each change that `subscribe` reports. Raw: a proxy would give it
 * another identity.
 */
export function useStore<T>(subscribe: (listener: () => void) => () => void, look: () => T): { readonly current: T } {
  let seen = $state.raw(look());
  $effect(() => {
    seen = look();
    return subscribe(() => (seen = look()));
  });
  return {
    get current() {
      return seen;
    },
  };
}
