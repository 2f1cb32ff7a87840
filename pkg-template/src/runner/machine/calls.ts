// The calls: which are admitted, which wait, and what those have made.
import { machineOf } from "./machine-of.js";
import type { WhileRunning } from "../runner-types.js";
import type { Event } from "./types.js";
import { chained, listOf, type Chain } from "./chain.js";
import { isUnderWay, isWaiting, NONE, openOf, resultOf, standingOf } from "./standing.js";
import {
  comeToRest,
  command,
  go,
  leave,
  loadState,
  postpone,
  reachNow,
  refuse,
  rejoin,
  request,
  settle,
  steer,
  type Turn,
} from "./turn.js";
import { stop } from "./stop.js";

export function send(turn: Turn, { callId, how }: Extract<Event, { is: "send" }>): void {
  makeWay(turn, how);
  const { state } = turn.m;
  turn.m.isAwake = true;
  const isBusy =
    isUnderWay(state) ||
    (state.is === "offline" && isWaiting(turn.m)) ||
    (state.is === "rest" && openOf(state.run).length > 0);
  if (state.is === "elsewhere" || (how === "refuse" && isBusy)) return refuse(turn, callId, "BUSY");
  command(turn, { do: "act", callId });
}

/** Stops the run under way, or dismisses its interrupts, for a call that does not wait for them. */
function makeWay(turn: Turn, how: WhileRunning | undefined): void {
  const { state } = turn.m;
  const isBusy = isUnderWay(state) || (state.is === "rest" && openOf(state.run).length > 0);
  if (how === "interrupt" && isBusy) stop(turn, NONE);
}

/** An edit and an answer go by what stands in the thread. */
export function change(turn: Turn, event: Extract<Event, { is: "edit" | "resume" }>): void {
  turn.m.isAwake = true;
  if (event.is === "edit") makeWay(turn, event.how);
  if (!isWaiting(turn.m)) giveUpLoading(turn);
  const { state } = turn.m;
  if (state.is === "loading" || state.is === "stopping") return postpone(turn, event);
  if (state.is !== "rest") return refuse(turn, event.callId, "BUSY");
  const run = standingOf(state.run);
  const isInterrupted = openOf(run).length > 0;
  if (event.is === "resume" && !isInterrupted) return refuse(turn, event.callId, "INVALID_STATE");
  if (event.is === "edit" && (isInterrupted || (run.is === "disconnected" && run.joins)))
    return refuse(turn, event.callId, "BUSY");
  command(turn, { do: "act", callId: event.callId });
}

/** A load that waits for the network has failed. */
function giveUpLoading(turn: Turn): void {
  const { state } = turn.m;
  if (state.is !== "offline") return;
  leave(turn, false);
  comeToRest(turn, { is: "unloaded", behind: state.run, resends: state.resends });
}

export function load(turn: Turn, event: Extract<Event, { is: "load" }>): void {
  const { state, own } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "stopping") return postpone(turn, event);
  if (state.is === "offline") return reachNow(turn, event.callId);
  if (state.is !== "rest") {
    turn.m.own = [...own, event.callId];
    return;
  }
  const run = standingOf(state.run);
  if (run.is === "disconnected" && !run.joins && turn.rules.canLoad)
    return rejoin(turn, [event.callId], run, { is: "load", joined: undefined, resends: undefined });
  if (run.is === "disconnected") return rejoin(turn, [event.callId], run);
  if (turn.rules.canLoad) return loadState(turn, [event.callId], undefined);
  settle(turn, [event.callId], resultOf(run));
}

/** A thread that was freed can say no more of a run. */
export function dispose(turn: Turn, how: "disconnected" | "DISPOSED"): void {
  leave(turn, isUnderWay(turn.m.state));
  const callIds = [...turn.m.own, ...[...listOf(turn.m.waiters), ...turn.m.later].map(({ callId }) => callId)];
  if (how === "disconnected") settle(turn, callIds, how);
  else for (const callId of callIds) refuse(turn, callId, how);
  settle(turn, turn.m.stops, "stopped");
  turn.m = { ...machineOf({ is: "none" }, NONE), state: { is: "disposed" }, n: turn.m.n };
}

export function afterDispose(turn: Turn, event: Event): void {
  if (event.is === "stop") settle(turn, [event.callId], "stopped");
  else if ("callId" in event) refuse(turn, event.callId, "DISPOSED");
  else if ("callIds" in event) settle(turn, event.callIds, "disconnected");
}

export function queue(turn: Turn, event: Extract<Event, { is: "shown" | "wanted" }>): void {
  const id = event.is === "shown" ? event.ids.at(-1) : undefined;
  if (event.is === "shown") turn.m.unsent = event.ids.reduce<Chain<string>>(chained, turn.m.unsent);
  else turn.m.wants = true;
  for (const callId of event.callIds) turn.m.waiters = { last: { callId, id }, rest: turn.m.waiters };
  const { state } = turn.m;
  if (event.is === "shown" && event.steers) {
    turn.m.steering = [...turn.m.steering, ...event.ids];
    steer(turn);
  }
  if (state.is !== "rest") return;
  // A call continues where retries were exhausted.
  if (state.run.is === "disconnected") turn.m.state = { is: "rest", run: { ...state.run, tired: false } };
  if (event.is === "shown" && event.now) go(turn);
}

export function answer(turn: Turn, { callId, ids }: Extract<Event, { is: "answered" }>): void {
  const { state } = turn.m;
  if (state.is !== "rest") return refuse(turn, callId, "BUSY");
  const run = standingOf(state.run);
  const open = openOf(run);
  const given = new Set([...(run.is === "interrupted" ? run.kept : NONE), ...ids]);
  const kept = open.filter((id) => given.has(id));
  // They were answered elsewhere.
  if (!ids.some((id) => open.includes(id))) return refuse(turn, callId, "INVALID_STATE");
  if (kept.length === open.length) return request(turn, [callId], open);
  if (run.is === "error") command(turn, { do: "reopen" });
  turn.m.state = { is: "rest", run: { is: "interrupted", open, kept } };
  settle(turn, [callId], "interrupted");
}
