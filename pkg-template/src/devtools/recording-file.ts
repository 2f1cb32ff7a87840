// A recording as a file. It is a thread's record with the recording beside it, so that what reads the one reads the other.
import { ThreadfoldError } from "../shared/errors.js";
import { plainError } from "../thread/record.js";
import type { RecordedPart } from "./part.js";

const VERSION = 1;

/** Returns the file of these parts. A record that the parts before it lead to is left out. */
export function fileOf(end: object, parts: readonly RecordedPart[], dropped: number): object {
  const kept = parts.map((part, at) => {
    const { event, record, ...rest } = part;
    const error = (event as { error?: unknown } | undefined)?.error;
    return {
      ...rest,
      ...(event && { event: error === undefined ? event : { ...event, error: plainError(error) } }),
      ...((at === 0 || !event) && record && { record }),
    };
  });
  return { ...end, recording: { version: VERSION, dropped, parts: kept } };
}

/** Returns the parts of a file. */
export function partsOf(file: unknown): readonly RecordedPart[] {
  const { version, parts } = ((file as { recording?: object } | undefined)?.recording ?? {}) as {
    version?: unknown;
    parts?: readonly (Partial<RecordedPart> | null)[];
  };
  const isRead =
    version === VERSION &&
    Array.isArray(parts) &&
    parts[0]?.record !== undefined &&
    parts.every((part) => typeof part?.at === "number" && typeof part.kind === "string");
  if (!isRead)
    throw new ThreadfoldError("INVALID_ARGUMENT", "importRecording: expected what toJSON() of a recording returned.");
  return parts as readonly RecordedPart[];
}
