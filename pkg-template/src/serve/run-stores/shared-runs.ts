// Options, names of runs and errors that stores of runs have in common.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions } from "../../shared/options.js";
import type { RunKey } from "./run-store.js";

interface LeaseOptions {
  readonly ttl?: number | undefined;
  readonly keepFor?: number | undefined;
}

/**
 * Checks the options of a store.
 *
 * @param names - The options that it has besides.
 * @param otherwise - The `ttl` that it has without the option.
 */
export function leaseOptions(call: string, options: LeaseOptions, names: readonly string[], otherwise = 10_000) {
  checkOptions(call, options, [...names, "ttl", "keepFor"]);
  const { ttl = otherwise, keepFor = 3_600_000 } = options;
  for (const [name, value] of Object.entries({ ttl, keepFor }))
    if (!(Number.isInteger(value) && value > 0))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `${call}: expected ${name} to be a number of milliseconds, got ${String(value)}.`,
      );
  return { ttl, keepFor };
}

/** Names a run by one text, without a NUL character. */
export const memberOf = ({ threadId, id }: RunKey): string => JSON.stringify([threadId, id]);

export function keyOf(member: string): RunKey {
  const [threadId, id] = JSON.parse(member) as [string, string];
  return { threadId, id };
}

export const busy = (threadId: string): ThreadfoldError =>
  new ThreadfoldError("BUSY", `The thread ${threadId} has a run that goes on.`);

export const fenced = ({ id }: RunKey): ThreadfoldError =>
  new ThreadfoldError("FENCED", `The run ${id} has ended, or another instance continues it.`);

export const lost = ({ id, threadId }: RunKey): ThreadfoldError =>
  new ThreadfoldError("LOST", `The store has the run ${id} of the thread ${threadId} no more, or lacks parts of it.`);
