// A retry: of the update that the caller names, or of what failed last.
import { queue } from "./calls.js";
import type { Event, Standing } from "./types.js";
import { isUnderWay, NONE, openOf, standingOf } from "./standing.js";
import { command, loadState, postpone, reachNow, refuse, rejoin, request, settle, type Turn } from "./turn.js";

export function retry(turn: Turn, event: Extract<Event, { is: "retry" }>): void {
  const { state, own } = turn.m;
  const { callId, named, edits } = event;
  turn.m.isAwake = true;
  if (state.is === "rest") return retryAtRest(turn, event, state.run);
  if (state.is === "offline" && !named) return reachNow(turn, callId);
  const goesOn = isUnderWay(state) || state.is === "offline";
  const isBusy = state.is === "elsewhere" || (goesOn && (turn.rules.refuses || (named && edits)));
  if (isBusy) return refuse(turn, callId, "BUSY");
  const waitsForServer = state.is === "stopping" || (state.is === "loading" && state.follows);
  if (waitsForServer ? !named || edits : named && edits) return postpone(turn, event);
  if (named) return command(turn, { do: "act", callId });
  turn.m.own = [...own, callId];
}

function retryAtRest(
  turn: Turn,
  { callId, ids, named, edits }: Extract<Event, { is: "retry" }>,
  standing: Standing,
): void {
  if (!named && standing.is === "unloaded") return loadState(turn, [callId], standing.resends);
  const run = standingOf(standing);
  const isInterrupted = openOf(run).length > 0;
  if (!named && run.is === "error" && isInterrupted) {
    if (run.answers) return request(turn, [callId], run.answers);
    command(turn, { do: "reopen" });
    turn.m.state = { is: "rest", run: { is: "interrupted", open: run.open, kept: NONE } };
    return settle(turn, [callId], "interrupted");
  }
  if (isInterrupted && (turn.rules.refuses || edits)) return refuse(turn, callId, "BUSY");
  if (!named && run.is === "disconnected") return rejoin(turn, [callId], run, { is: "retry" });
  if (ids.length > 0) {
    if (turn.rules.canLoad && run.is === "error" && run.lost) return loadState(turn, [callId], ids);
    return command(turn, { do: "act", callId });
  }
  if (named) return refuse(turn, callId, "INVALID_ARGUMENT");
  if (run.is !== "error") return refuse(turn, callId, "INVALID_STATE");
  if (!turn.rules.resendsAnswers) return queue(turn, { is: "wanted", callIds: [callId] });
  if (run.answers) return request(turn, [callId], run.answers);
  command(turn, { do: "act", callId });
}
