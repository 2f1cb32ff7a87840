// The long lists of the checkpoints that this program saved or loaded last, to see what is new in the next ones.
import { LONG_LIST } from "./kept-list.js";
import type { Place } from "./place.js";

/** So many graphs are known by their last lists. */
const MOST_KNOWN = 64;

type Lists = ReadonlyMap<string, readonly unknown[]>;

export class KnownLists {
  readonly #known = new Map<string, { readonly id: string; readonly byChannel: Lists }>();

  /** The lists of a checkpoint, by their channels, if it is the last one of its place. */
  of(place: Place, id: string | undefined): Lists | undefined {
    const known = this.#known.get(keyOf(place));
    return known?.id === id ? known?.byChannel : undefined;
  }

  know(place: Place, id: string, values: Readonly<Record<string, unknown>>): void {
    const key = keyOf(place);
    const lists = Object.entries(values).filter(([, value]) => Array.isArray(value) && value.length >= LONG_LIST);
    this.#known.delete(key);
    this.#known.set(key, { id, byChannel: new Map(lists as [string, readonly unknown[]][]) });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  forget(thread: string): void {
    for (const key of this.#known.keys()) if (JSON.parse(key)[0] === thread) this.#known.delete(key);
  }
}

const keyOf = ({ thread, ns }: Place): string => JSON.stringify([thread, ns]);
