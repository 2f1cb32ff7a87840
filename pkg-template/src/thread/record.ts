// A thread as a record that survives a reload.
import { ThreadfoldError } from "../shared/errors.js";
import { reading } from "../shared/reading.js";
import { runError } from "../shared/run-error.js";
import type { ThreadRecord } from "./thread-types.js";

/** The record format's version. */
export const VERSION = 2;

/** A record whose version is checked; only the core reads `core`. */
export function recordOf(given: unknown): ThreadRecord {
  return reading(() => {
    const { version, threadId, history, core, proof, subagents } = (given ?? {}) as Partial<ThreadRecord>;
    if (typeof version === "number" && version !== VERSION)
      invalid(`The record has version ${String(version)}; this package reads version ${VERSION}.`);
    if (version !== VERSION || !isObject(core)) invalid("A thread's record should be what toJSON() returned.");
    return {
      version,
      threadId: typeof threadId === "string" ? threadId : undefined,
      history: isObject(history) ? history : {},
      core,
      proof,
      subagents,
    };
  });
}

/**
 * Returns an error in a form JSON can carry: an Error would serialize to nothing. Other values, which a caller or a
 * server may give as an error, stay as they are.
 */
export function plainError(error: unknown): unknown {
  if (error instanceof ThreadfoldError) return error.toJSON();
  if (!(error instanceof Error)) return error;
  const { name, message, code, status } = error as Error & { code?: unknown; status?: unknown };
  return {
    name,
    message,
    ...((typeof code === "string" || typeof code === "number") && { code }),
    // The HTTP status of a refused request.
    ...(typeof status === "number" && { status }),
  };
}

/** Returns the run, or an update of the core's record, with a plain error. */
export function withPlainError<T extends object>(record: T): T {
  return "error" in record ? { ...record, error: plainError(record.error) } : record;
}

/** Returns an event, a run or an update whose error is a {@link ThreadfoldError}. Its cause is the one that was given. */
export function withRunError<T extends object>(given: T, isBroken = false): T {
  const { error } = given as { error?: unknown };
  if (error === undefined || error instanceof ThreadfoldError) return given;
  return reading(() => ({ ...given, error: runError(error, isBroken) }));
}

/** Returns the core's part of a record, whose errors are JSON, with errors. */
export function withErrors(core: object): object {
  return reading(() => {
    const { run, pending } = core as { run?: unknown; pending?: unknown };
    const isCutOff = isObject(run) && (run as { status?: unknown }).status === "disconnected";
    return {
      ...core,
      ...(isObject(run) && { run: withRunError(run, isCutOff) }),
      ...(Array.isArray(pending) && {
        pending: pending.map((update: unknown) => (isObject(update) ? withRunError(update) : update)),
      }),
    };
  });
}

const isObject = (value: unknown): value is { toJSON?: unknown } => typeof value === "object" && value !== null;

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}

/** Objects without a circle. The values of a thread do not change in place. */
const withoutCircle = new WeakSet<object>();

/** Throws for a circular value, which JSON cannot express. Visits each object once, in all records of a program. */
export function refuseCircles(root: object): void {
  const path = new Set<object>();
  const stack = [root];
  for (let value = stack.pop(); value; value = stack.pop()) {
    // Met again on the way back: all its children were visited.
    if (path.delete(value)) withoutCircle.add(value);
    if (withoutCircle.has(value)) continue;
    path.add(value);
    stack.push(value);
    for (const inner of Object.values(value)) {
      if (path.has(inner)) invalid("The thread contains a circular value, which cannot be JSON.");
      if (isObject(inner) && !withoutCircle.has(inner) && typeof inner.toJSON !== "function") stack.push(inner);
    }
  }
}
