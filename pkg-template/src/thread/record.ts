// A thread as a record that survives a reload.
import { reading, ThreadfoldError } from "../errors.js";
import type { ThreadRecord } from "../thread-types.js";

interface Values {
  readonly confirmed?: object;
}

/** The record's form; another one is another version. */
export const VERSION = 2;

/**
 * What a caller gave for a record, once it is known to be one that this version reads; its core is the core's to read.
 */
export function recordOf(given: unknown): ThreadRecord {
  return reading(() => {
    const { version, threadId, run, parts, server, core } = (given ?? {}) as Partial<ThreadRecord>;
    if (typeof version === "number" && version !== VERSION)
      invalid(`The record has version ${String(version)}; this package reads version ${VERSION}.`);
    if (version !== VERSION || !isObject(core)) invalid("A thread's record should be what toJSON() gave.");
    const isText = (value: unknown) => typeof value === "string";
    return {
      version,
      threadId: isText(threadId) ? threadId : undefined,
      run: { ...run } as ThreadRecord["run"],
      parts: Array.isArray(parts) ? parts.filter(isText) : [],
      // Records were once without it: a thread that had a run has its fields from a server.
      server: server ?? {
        said: run?.id || run?.status !== "idle" ? Object.keys((core as Values).confirmed ?? {}) : [],
      },
      core,
    };
  });
}

/**
 * An error as JSON can say it: of an Error that would leave nothing. What a caller fails an update with, or a server a
 * run, may be anything else, and stays as it is.
 */
export function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, code, status } = error as Error & { code?: unknown; status?: unknown };
  return {
    name,
    message,
    ...((typeof code === "string" || typeof code === "number") && { code }),
    // Of HTTP, if a request was refused.
    ...(typeof status === "number" && { status }),
  };
}

/** The run, or an update of the core's record, its error plain. */
export function withPlainError<T extends object>(record: T): T {
  return "error" in record ? { ...record, error: plainError(record.error) } : record;
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
