// Copies of what others gave, who may change it later.
import type { FoldedEvent } from "../event-types.js";

/** What of an event is kept as it is given, if it is an object. */
const PAYLOADS = ["snapshot", "delta", "messages", "input", "content", "patch", "metadata", "result"] as const;

/** An event whose payload is nobody else's. */
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

/** A copy of JSON through and through; of what is more than JSON, the clone that the platform makes. */
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
