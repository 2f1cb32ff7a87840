import { type Chain, chained } from "./chain.js";
import type { Machine, RunStanding } from "./types.js";

/** Returns the first machine of a thread whose last run stands so. */
export function machineOf(run: RunStanding | { readonly is: "elsewhere" }, unsent: readonly string[]): Machine {
  return {
    state: run.is === "elsewhere" ? { is: "elsewhere", isNamed: true } : { is: "rest", run },
    n: 0,
    unsent: unsent.reduce<Chain<string>>(chained, undefined),
    steering: [],
    wants: false,
    waiters: undefined,
    own: [],
    stops: [],
    later: [],
    mayLack: false,
    misses: 0,
    isTurnedAway: false,
    isAwake: false,
    announced: [],
  };
}
