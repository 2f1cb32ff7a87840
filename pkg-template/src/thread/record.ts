// A thread as a record that survives a reload.
import { reading, ThreadfoldError } from "../errors.js";
import type { Schema } from "../schema.js";
import type { ThreadRecord } from "../thread-types.js";

/** The record's form; another one is another version. */
export const VERSION = 2;

/** The names of a schema's fields. */
export function fieldNames(schema: Schema<unknown> | undefined): string[] | null {
  return schema ? Object.keys(schema.fields as object).sort() : null;
}

/** What a caller gave for a record, once it is known to be one that this version, with this schema, can read. */
export function recordOf(given: unknown, schema: Schema<unknown> | undefined): ThreadRecord {
  return reading(() => {
    const { version, threadId, schema: names, run, parts, core } = (given ?? {}) as Partial<ThreadRecord>;
    const isRecord = typeof version === "number" && (version !== VERSION || (isObject(core) && (names === null || Array.isArray(names))));
    if (!isRecord) invalid("A thread's record should be what toJSON() gave.");
    if (version !== VERSION) invalid(`The record has version ${version}; this package reads version ${VERSION}.`);
    if (names) {
      const missing = names.filter((name) => !Object.hasOwn((schema?.fields ?? {}) as object, name));
      if (!schema) invalid("The record is of a thread with a schema: give fromJSON() the same, as { schema }.");
      if (missing.length > 0) invalid(`The record has the fields ${missing.map(String).join(", ")}, which the schema lacks.`);
    }
    const isText = (value: unknown) => typeof value === "string";
    return {
      version,
      threadId: isText(threadId) ? threadId : undefined,
      schema: names as readonly string[] | null,
      run: { ...run } as ThreadRecord["run"],
      parts: Array.isArray(parts) ? parts.filter(isText) : [],
      core: core as object,
    };
  });
}

const isObject = (value: unknown): value is { toJSON?: unknown } => typeof value === "object" && value !== null;

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_VALUE", sentence);
}

/**
 * Throws for a value that goes in a circle, which no JSON can say. Each object is looked at once, however often it is
 * shared: `known` has those that were.
 */
export function refuseCircles(root: object, known: Set<object>): void {
  const path = new Set<object>();
  const stack = [root];
  for (let value = stack.pop(); value; value = stack.pop()) {
    // Met again on the way back: all that it has was looked at.
    if (path.delete(value) || known.has(value)) continue;
    known.add(value);
    path.add(value);
    stack.push(value);
    for (const inner of Object.values(value)) {
      if (path.has(inner)) invalid("The thread has a value that goes in a circle: it cannot be JSON.");
      if (isObject(inner) && typeof inner.toJSON !== "function") stack.push(inner);
    }
  }
}
