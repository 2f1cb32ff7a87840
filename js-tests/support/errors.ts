import { ThreadfoldError, type ThreadfoldErrorCode } from "threadfold";

/** The outcome of a call: its answer, or the error that it threw. */
export type Outcome<T> = { answer: T } | { error: unknown };

export function outcome<T>(call: () => T): Outcome<T> {
  try {
    return { answer: call() };
  } catch (error) {
    return { error };
  }
}

/** The code of the ThreadfoldError that a call throws; undefined when it answers. Any other error is thrown on. */
export function codeOf(call: () => unknown): ThreadfoldErrorCode | undefined {
  const came = outcome(call);
  if (!("error" in came)) return undefined;
  if (came.error instanceof ThreadfoldError) return came.error.code;
  throw came.error;
}
