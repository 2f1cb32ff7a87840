// A long list in a database: its items are stored once, and each version lists which of them it has.

/** Some of the items that were stored under one name: the first `count`. */
export interface Part {
  readonly name: string;
  readonly count: number;
  /** Whether there are more: then nothing may be stored after these. */
  readonly isCut?: true;
}

/** A version of a list: its parts, in order. */
export type Parts = readonly Part[];

/** With more parts than this a list is stored anew: reading costs a request for each. */
const MOST_PARTS = 16;

type List = readonly unknown[];

/** The data to store for a new version. */
export interface NewVersion {
  readonly parts: Parts;
  /** The items to store under the name of the last part, after its existing items. */
  readonly items: List;
  /** The number of items of the last part before these. */
  readonly from: number;
}

/**
 * How to store `items`, the version after `old`, which is stored as `parts`. `name` is a new one. `isFree` returns
 * whether nothing is stored after the last part of `parts` yet: another branch may have grown, too.
 */
export function nextVersion(
  items: List,
  name: string,
  isFree: boolean,
  old?: { readonly items: List; readonly parts: Parts; readonly isGrown: boolean },
): NewVersion {
  const anew = { parts: [{ name, count: items.length }], items, from: 0 };
  if (old === undefined) return anew;
  const same = old.isGrown ? old.items.length : sameFromStart(old.items, items);
  const last = old.parts.at(-1);
  if (same === old.items.length && isFree && last !== undefined && !last.isCut) {
    const more = items.slice(same);
    return {
      parts: [...old.parts.slice(0, -1), { name: last.name, count: last.count + more.length }],
      items: more,
      from: last.count,
    };
  }
  const kept = firstItems(old.parts, same);
  if (same < items.length / 2 || kept.length >= MOST_PARTS) return anew;
  const more = items.slice(same);
  if (more.length === 0) return { parts: kept, items: more, from: 0 };
  return { parts: [...kept, { name, count: more.length }], items: more, from: 0 };
}

function firstItems(parts: Parts, count: number): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    if (count <= 0) break;
    kept.push(part.count <= count ? part : { name: part.name, count, isCut: true });
    count -= part.count;
  }
  return kept;
}

/** How many items two lists have in common at their start. */
export function sameFromStart(old: List, items: List): number {
  const most = Math.min(old.length, items.length);
  let count = 0;
  while (count < most && old[count] === items[count]) count++;
  return count;
}
