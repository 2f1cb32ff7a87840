// A runner's rules: one explicit state, one pure step.
import { cut, ended, hear, loaded, unloaded } from "./machine/stream-events.js";
import { afterDispose, answer, change, dispose, load, queue, send } from "./machine/calls.js";
import { retry } from "./machine/retry.js";
import { stop } from "./machine/stop.js";
import { look, refresh } from "./machine/announced-runs.js";
import { otherBegan, otherEnded, rolledBack, taken } from "./machine/other-runs.js";
import { hasNews, isDue, NONE, resultOf } from "./machine/standing.js";
import { command, go, reach, settle, turnOf, type Turn } from "./machine/turn.js";
import type { Command, Event, Machine, Rules } from "./machine/types.js";

/** Returns the next state and the commands. The same machine and no commands, if the event changes nothing. */
export function step(before: Machine, event: Event, rules: Rules): { machine: Machine; commands: readonly Command[] } {
  const turn = turnOf(before, rules);
  take(turn, event);
  return { machine: turn.m, commands: turn.commands };
}

function take(turn: Turn, event: Event): void {
  const { state } = turn.m;
  if (state.is === "disposed") return afterDispose(turn, event);
  if ("n" in event && (event.n !== turn.m.n || !("n" in state))) return;
  switch (event.is) {
    case "send":
      return send(turn, event);
    case "edit":
    case "resume":
      return change(turn, event);
    case "retry":
      return retry(turn, event);
    case "load":
      return load(turn, event);
    case "stop":
      return stop(turn, [event.callId]);
    case "dispose":
      return dispose(turn, "disconnected");
    case "freed":
      return dispose(turn, "DISPOSED");
    case "shown":
    case "wanted":
      return queue(turn, event);
    case "answered":
      return answer(turn, event);
    case "stands":
      if (state.is === "rest") settle(turn, event.callIds, resultOf(state.run));
      else turn.m.own = [...turn.m.own, ...event.callIds];
      return;
    case "began":
    case "part":
      return hear(turn, event.is === "part");
    case "ended":
      return ended(turn, event.how);
    case "disconnected":
      return cut(turn, event);
    case "timer":
      if (state.is === "rejoining") command(turn, { do: "join", n: state.n });
      return reach(turn);
    case "loaded":
      return loaded(turn, event);
    case "unloaded":
      return unloaded(turn, event);
    case "cancelled":
      if (state.is !== "stopping") return;
      settle(turn, turn.m.stops, "stopped", "cancel");
      turn.m.stops = NONE;
      turn.m.state = { is: "rest", run: state.run };
      return;
    case "otherBegan":
      return otherBegan(turn, event);
    case "otherEnded":
      return otherEnded(turn, event.how);
    case "taken":
      return taken(turn, event.ids);
    case "rolledBack":
      return rolledBack(turn, event);
    case "announced":
      turn.m.announced = [...turn.m.announced, event.run];
      return;
    case "refresh":
      return refresh(turn, event);
    case "next":
      return next(turn);
  }
}

/**
 * At rest the thread is first brought up to date, if it is followed. Then come the calls that waited, in their order,
 * and what waits for a run.
 */
function next(turn: Turn): void {
  const { state, later } = turn.m;
  if (hasNews(turn.m)) return look(turn);
  const [call, ...rest] = later;
  if (call && state.is !== "loading" && state.is !== "stopping") {
    turn.m.later = rest;
    return take(turn, call);
  }
  if (isDue(turn.m)) go(turn);
}
