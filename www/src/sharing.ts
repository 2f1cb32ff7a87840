// The objects that two snapshots share, by `===` alone.
import { isObject } from "./state";

const sizes = new WeakMap<object, { values: number; objects: number }>();

/** How many values a snapshot has, itself included; remembered, since snapshots never change. */
function size(value: unknown): { values: number; objects: number } {
  if (!isObject(value)) return { values: 1, objects: 0 };
  let known = sizes.get(value);
  if (!known) {
    known = { values: 1, objects: 1 };
    for (const key in value) {
      const inner = size(value[key]);
      known.values += inner.values;
      known.objects += inner.objects;
    }
    sizes.set(value, known);
  }
  return known;
}

export const values = (value: unknown): number => size(value).values;
export const objects = (value: unknown): number => size(value).objects;

/** How many values and objects of `now` are not the ones that `before` has in their place. */
export function difference(before: unknown, now: unknown): { values: number; objects: number } {
  if (before === now) return { values: 0, objects: 0 };
  if (!isObject(now)) return { values: 1, objects: 0 };
  const found = { values: 1, objects: 1 };
  const old = new Map(isObject(before) ? entries(before) : []);
  for (const [key, value] of entries(now)) {
    const inner = difference(old.get(key), value);
    found.values += inner.values;
    found.objects += inner.objects;
  }
  return found;
}

/** An object's entries; items of a list go by their id where they have one, so that moving is not changing. */
export function entries(value: object): [key: string, value: unknown][] {
  if (!Array.isArray(value)) return Object.entries(value);
  const taken = new Set<string>();
  return value.map((item: unknown, index) => {
    const id = isObject(item) && typeof item["id"] === "string" ? `#${item["id"]}` : String(index);
    const key = taken.has(id) ? String(index) : id;
    taken.add(key);
    return [key, item];
  });
}
