// Copies of values that their owners may change later.
import type { FoldedEvent } from "../event-types.js";

/** The parts of an event that are kept as given, if they are objects. */
const PAYLOADS = ["snapshot", "delta", "messages", "input", "content", "patch", "metadata", "result"] as const;

/** Copies an event so that nobody else has its payload. */
export function copyOfEvent<E extends FoldedEvent>(event: E): E {
  let copy: Record<string, unknown> | undefined;
  for (const key of PAYLOADS) {
    const payload = (event as unknown as Record<string, unknown>)[key];
    if (typeof payload !== "object" || payload === null) continue;
    copy ??= { ...event };
    copy[key] = copyOf(payload);
  }
  return (copy as E | undefined) ?? event;
}

/** Copies JSON deeply; of other values takes the platform's structured clone. */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: copyOf(item), writable: true, enumerable: true, configurable: true });
    else copy[key] = copyOf(item);
  }
  return copy as T;
}

/** Returns whether two values are equal: JSON by its parts, dates by their time, and others only if they are the same. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (one instanceof Date || other instanceof Date)
    return one instanceof Date && other instanceof Date && one.getTime() === other.getTime();
  if (Array.isArray(one) !== Array.isArray(other) || isOther(one) || isOther(other)) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const keys = keysOf(left);
  return (
    keys.length === keysOf(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameValue(left[key], right[key]))
  );
}

/** Whether an object has content that its keys do not show, such as a Map. */
function isOther(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null && !Array.isArray(value);
}

const keysOf = (value: Record<string, unknown>) => Object.keys(value).filter((key) => value[key] !== undefined);
