/** A value with everything in it frozen, so that any write to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  // Bytes cannot be frozen.
  if (!ArrayBuffer.isView(value)) Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    const { value: child } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    frozen(child);
  }
  return value;
}
