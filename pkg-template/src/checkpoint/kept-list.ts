// A long list as a history keeps it: the newest version whole, each other one as its difference from the next.

import { sameFromStart } from "./stored-list.js";

/** Shorter lists are kept as they are: the savings would not pay for the record. */
export const LONG_LIST = 32;

type List = readonly unknown[];

/**
 * One version of a list. While it is the newest, it has its items. Once `grown` or `edited` made the next, it only
 * records how to get it from that one. It is the next one's first `head` items, its own `middle`, and the next one's
 * last `tail` items.
 */
export class KeptList {
  items: List | undefined;
  private next: KeptList | undefined;
  private head = 0;
  private middle: List | undefined;
  private tail = 0;

  constructor(items: List) {
    this.items = items;
  }

  /** The next version, which is `items`: this list with items appended, if `isGrown`. */
  followedBy(items: List, isGrown: boolean): KeptList {
    const next = new KeptList(items);
    const old = this.items;
    if (old === undefined) return next;
    const head = isGrown ? old.length : sameFromStart(old, items);
    const tail = head === old.length ? 0 : sameFromEnd(old, items, head);
    const changed = old.length - head - tail;
    // If little of a list is left, keeping and reading it whole is cheaper.
    if (changed > old.length / 2) return next;
    this.items = undefined;
    this.next = next;
    this.head = head;
    this.tail = tail;
    if (changed > 0) this.middle = old.slice(head, head + changed);
    return next;
  }

  /** The items. Costs a step for each version since, and one copy. */
  read(): List {
    const path: KeptList[] = [this];
    let newest = path[0] as KeptList;
    while (newest.items === undefined) path.push((newest = newest.next as KeptList));
    let items = newest.items;
    // As long as lists only grew, the shorter one is a length, not a copy.
    let length = items.length;
    path.pop();
    for (let version = path.pop(); version !== undefined; version = path.pop()) {
      if (version.middle === undefined && version.tail === 0) length = version.head;
      else {
        const end = items.slice(length - version.tail, length);
        items = [...items.slice(0, version.head), ...(version.middle ?? []), ...end];
        length = items.length;
      }
    }
    return length === items.length ? items : items.slice(0, length);
  }
}

function sameFromEnd(old: List, items: List, head: number): number {
  const most = Math.min(old.length, items.length) - head;
  let count = 0;
  while (count < most && old[old.length - 1 - count] === items[items.length - 1 - count]) count++;
  return count;
}
