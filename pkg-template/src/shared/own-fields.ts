// Reads and changes an object as the core does: only its own data counts, and a copy keeps its class.
import { copyOf, set } from "../../generated/heap.js";

/** Returns an object's own value; undefined if it has none, and for anything but an object. */
export function own(of: unknown, key: string): unknown {
  return typeof of === "object" && of !== null && Object.hasOwn(of, key)
    ? (of as Record<string, unknown>)[key]
    : undefined;
}

/** Returns a copy with other values for these fields. */
export function withFields<T extends object>(of: T, fields: Readonly<Record<string, unknown>>): T {
  const copy = copyOf(of);
  for (const [key, value] of Object.entries(fields)) set(copy, key, value);
  return copy;
}
