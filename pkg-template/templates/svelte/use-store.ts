import { readable, type Readable } from "svelte/store";

/** The value of `look` now, and again after each change that `subscribe` reports. */
export const useStore = <T>(subscribe: (listener: () => void) => () => void, look: () => T): Readable<T> =>
  readable(look(), (see) => {
    see(look());
    return subscribe(() => see(look()));
  });
