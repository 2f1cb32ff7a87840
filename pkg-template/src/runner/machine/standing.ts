// How a run stands, and what a machine would do by that.
import type { Found, Machine, Result, RunStanding, Standing, State, Waiting } from "./types.js";

export const NONE: readonly never[] = [];

/** The run's own standing, whatever became of a load. */
export const standingOf = (run: Standing): RunStanding => (run.is === "unloaded" ? run.behind : run);

/** The open interrupts of a standing. */
export const openOf = (run: Standing): readonly string[] => {
  const own = standingOf(run);
  return own.is === "interrupted" || own.is === "error" ? own.open : NONE;
};

/** Whether a run is under way that this runner asked for or joined. */
export const isUnderWay = ({ is }: State): boolean => is === "requesting" || is === "reading" || is === "rejoining";

/** Whether anything waits for a run. */
export const isWaiting = ({ unsent, waiters, wants }: Waiting): boolean =>
  unsent !== undefined || waiters !== undefined || wants;

/** Whether what waits would go out now. */
export const isDue = (machine: Machine): boolean =>
  machine.state.is === "rest" && machine.isAwake && isWaiting(machine);

/** Whether a followed thread's server has announced runs that nobody has looked at. */
export const hasNews = ({ state, announced }: Machine): boolean => state.is === "rest" && announced.length > 0;

export const resultOf = (run: Standing): Result => {
  if (run.is === "none") return "finished";
  if (run.is === "ended") return run.how;
  if (run.is === "interrupted") return "interrupted";
  return run.is === "disconnected" ? "disconnected" : "error";
};

/** The standing of a run found so; pending answers are kept while the interrupts are the same. */
export function found(how: Found, before: Standing): RunStanding {
  const was = standingOf(before);
  if (how.is === "interrupted") {
    const kept = was.is === "interrupted" ? was.kept.filter((id) => how.open.includes(id)) : NONE;
    return { is: "interrupted", open: how.open, kept };
  }
  if (how.is === "error") return { ...how, answers: was.is === "error" ? was.answers : undefined };
  if (how.is === "disconnected") return { ...how, tired: false };
  return { is: "ended", how: how.is };
}
