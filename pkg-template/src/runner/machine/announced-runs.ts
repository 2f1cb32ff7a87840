// A followed thread: runs that the server announces, whoever has started them.
import type { Event } from "./types.js";
import { NONE, standingOf } from "./standing.js";
import { command, loadState, rejoin, type Turn } from "./turn.js";

/** Looks at all together that was announced while the runner was busy. */
export function look(turn: Turn): void {
  const { announced } = turn.m;
  turn.m.announced = NONE;
  command(turn, { do: "look", announced });
}

/** Loads the thread, and joins the run that is under way there; a run that was cut off is joined first. */
export function refresh(turn: Turn, { known }: Extract<Event, { is: "refresh" }>): void {
  const { state } = turn.m;
  if (state.is !== "rest") return;
  const run = standingOf(state.run);
  if (run.is === "disconnected") return rejoin(turn, NONE, run, { is: "load", joined: undefined, resends: undefined });
  loadState(turn, NONE, undefined, known, true);
}
