// Objects and lists that are read and written by key, and what two of them share.

export type Container = Record<string, unknown> | unknown[];

export const read = (node: Container, key: string | number): unknown => (node as Record<string | number, unknown>)[key];

/** How deep two objects are compared. */
const DEPTH = 500;

/** Returns `newer` with the parts of `older` that are still equal. */
export function sharing(older: unknown, newer: unknown, depth: number): unknown {
  if (Object.is(older, newer)) return newer;
  if (!isContainer(older) || !isContainer(newer) || Array.isArray(older) !== Array.isArray(newer) || depth > DEPTH)
    return older;
  const keys = Object.keys(older);
  let isSame = keys.length === Object.keys(newer).length;
  for (const key of keys) {
    const was = read(older, key);
    const value = Object.hasOwn(newer, key) ? sharing(was, read(newer, key), depth + 1) : was;
    if (value !== was) write(older, key, value);
    isSame &&= Object.hasOwn(newer, key) && Object.is(value, read(newer, key));
  }
  return isSame ? newer : older;
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

export function write(node: Container, key: string | number, value: unknown): void {
  // The reference's parser loses this key to the prototype while the text is unfinished; it is a key like any other.
  if (key === "__proto__") {
    Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
  } else (node as Record<string | number, unknown>)[key] = value;
}
