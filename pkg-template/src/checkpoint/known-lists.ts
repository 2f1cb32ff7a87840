// The long lists of the checkpoints that this program saved or loaded last, to see what is new in the next ones.
import { LONG_LIST } from "./kept-list.js";
import type { Place } from "./place.js";
import type { GrownLists } from "./types.js";

/** So many graphs are known by their last lists. */
const MOST_KNOWN = 64;

type Lists = ReadonlyMap<string, readonly unknown[]>;

/** Where a list is saved. */
interface Home {
  readonly key: string;
  readonly id: string;
  readonly channel: string;
}

export class KnownLists {
  readonly #known = new Map<string, { readonly id: string; readonly byChannel: Lists }>();
  /** The places of all lists that are in use: another reader may load the same checkpoint, or an older one. */
  #homes = new WeakMap<readonly unknown[], Home>();

  /** The lists of a checkpoint, by their channels: those that `grown` continues, and the others of the last one known. */
  of(place: Place, id: string | undefined, grown: GrownLists = {}): Lists {
    const key = keyOf(place);
    const known = this.#known.get(key);
    const lists = new Map(known?.id === id ? known?.byChannel : undefined);
    for (const [channel, list] of Object.entries(grown)) {
      const home = this.#homes.get(list);
      if (home?.key === key && home.id === id && home.channel === channel) lists.set(channel, list);
    }
    return lists;
  }

  know(place: Place, id: string, values: Readonly<Record<string, unknown>>): void {
    const key = keyOf(place);
    const isLong = ([, value]: readonly [string, unknown]) => Array.isArray(value) && value.length >= LONG_LIST;
    const lists = Object.entries(values).filter(isLong) as [string, readonly unknown[]][];
    for (const [channel, list] of lists) this.#homes.set(list, { key, id, channel });
    this.#known.delete(key);
    this.#known.set(key, { id, byChannel: new Map(lists) });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  forget(thread: string): void {
    this.#homes = new WeakMap();
    for (const key of this.#known.keys()) if (JSON.parse(key)[0] === thread) this.#known.delete(key);
  }
}

const keyOf = ({ thread, ns }: Place): string => JSON.stringify([thread, ns]);
