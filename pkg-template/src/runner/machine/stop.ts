// A stop: of the run, of what waits, and of questions.
import type { CallId, RunStanding } from "./types.js";
import { listOf } from "./chain.js";
import { NONE, openOf, standingOf } from "./standing.js";
import { clear, command, leave, settle, type Turn } from "./turn.js";

/** @param callIds - The calls that asked for it. */
export function stop(turn: Turn, callIds: readonly CallId[]): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "elsewhere") return settle(turn, callIds, "stopped", "other");
  if (state.is === "rest") {
    const run = standingOf(state.run);
    if (run.is === "disconnected") return cancel(turn, callIds, run.heard, undefined);
    dismiss(turn, run);
    return settle(turn, callIds, "stopped");
  }
  settle(
    turn,
    turn.m.later.map((call) => call.callId),
    "stopped",
  );
  turn.m.later = NONE;
  if (state.is === "offline") {
    leave(turn, false);
    const waiting = listOf(turn.m.waiters).map((waiter) => waiter.callId);
    settle(turn, [...turn.m.own, ...waiting, ...callIds], "stopped");
    clear(turn);
    turn.m.own = NONE;
    turn.m.misses = 0;
    turn.m.state = { is: "rest", run: state.run };
  } else if (state.is === "stopping") {
    turn.m.stops = [...turn.m.stops, ...callIds];
    dismiss(turn, state.run);
  } else if (state.is === "loading") {
    leave(turn, false);
    settle(turn, [...turn.m.own, ...callIds], "stopped");
    turn.m.own = NONE;
    turn.m.state = { is: "rest", run: state.run };
  } else if (state.is === "requesting") cancel(turn, callIds, false, state.answers);
  else if (state.is === "reading" || state.is === "rejoining") cancel(turn, callIds, state.heard, undefined);
}

/** Dismisses the interrupts. */
function dismiss(turn: Turn, run: RunStanding): void {
  const { state } = turn.m;
  if (openOf(run).length === 0 || (state.is !== "rest" && state.is !== "stopping")) return;
  command(turn, { do: "end", unsends: false, reopens: false });
  turn.m.state = { ...state, run: { is: "ended", how: "stopped" } };
}

/** Stops the run here at once, and has the server stop it. Interrupts whose answers it had not begun with are open again. */
function cancel(turn: Turn, callIds: readonly CallId[], heard: boolean, answers: readonly string[] | undefined): void {
  leave(turn, false);
  command(turn, { do: "end", unsends: !heard, reopens: answers !== undefined }, { do: "cancel", n: turn.m.n });
  settle(turn, turn.m.own, "stopped");
  turn.m.own = NONE;
  turn.m.stops = callIds;
  const run: RunStanding = answers ? { is: "interrupted", open: answers, kept: NONE } : { is: "ended", how: "stopped" };
  turn.m.state = { is: "stopping", n: turn.m.n, run };
}
