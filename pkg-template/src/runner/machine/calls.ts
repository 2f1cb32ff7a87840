// The calls: which are admitted, which wait, and what those have made.
import type { Event, RunStanding, Standing, CallId } from "./types.js";
import { chained, listOf, type Chain } from "./chain.js";
import { machineOf } from "./machine-of.js";
import { isUnderWay, isWaiting, NONE, openOf, resultOf, standingOf } from "./standing.js";
import {
  clear,
  comeToRest,
  command,
  go,
  leave,
  loadState,
  postpone,
  reach,
  refuse,
  rejoin,
  request,
  settle,
  type Turn,
} from "./turn.js";

export function send(turn: Turn, { callId }: { readonly callId: CallId }): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  const isBusy =
    isUnderWay(state) ||
    (state.is === "offline" && isWaiting(turn.m)) ||
    (state.is === "rest" && openOf(state.run).length > 0);
  if (state.is === "elsewhere" || (turn.rules.refuses && isBusy)) return refuse(turn, callId, "BUSY");
  command(turn, { do: "act", callId });
}

/** An edit and an answer go by what stands in the thread. */
export function change(turn: Turn, event: Extract<Event, { is: "edit" | "resume" }>): void {
  turn.m.isAwake = true;
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

/** A call tries at once what waits for the network, and waits with it. */
function reachNow(turn: Turn, callId: CallId): void {
  if (isWaiting(turn.m)) turn.m.waiters = { last: { callId, id: undefined }, rest: turn.m.waiters };
  else turn.m.own = [...turn.m.own, callId];
  leave(turn, false);
  reach(turn);
}

export function retry(turn: Turn, event: Extract<Event, { is: "retry" }>): void {
  const { state, own } = turn.m;
  const { callId, named, edits } = event;
  turn.m.isAwake = true;
  if (state.is === "rest") return retryAtRest(turn, event, state.run);
  if (state.is === "offline" && !named) return reachNow(turn, callId);
  const goesOn = isUnderWay(state) || state.is === "offline";
  const isBusy = state.is === "elsewhere" || (goesOn && (turn.rules.refuses || (named && edits)));
  if (isBusy) return refuse(turn, callId, "BUSY");
  const isAsking = state.is === "stopping" || (state.is === "loading" && state.follows);
  if (isAsking ? !named || edits : named && edits) return postpone(turn, event);
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

export function stop(turn: Turn, callId: CallId): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "elsewhere") return settle(turn, [callId], "stopped", "other");
  if (state.is === "rest") {
    const run = standingOf(state.run);
    if (run.is === "disconnected") return cancel(turn, callId, run.heard, undefined);
    dismiss(turn, run);
    return settle(turn, [callId], "stopped");
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
    settle(turn, [...turn.m.own, ...waiting, callId], "stopped");
    clear(turn);
    turn.m.own = NONE;
    turn.m.misses = 0;
    turn.m.state = { is: "rest", run: state.run };
  } else if (state.is === "stopping") {
    turn.m.stops = [...turn.m.stops, callId];
    dismiss(turn, state.run);
  } else if (state.is === "loading") {
    leave(turn, false);
    settle(turn, [...turn.m.own, callId], "stopped");
    turn.m.own = NONE;
    turn.m.state = { is: "rest", run: state.run };
  } else if (state.is === "requesting") cancel(turn, callId, false, state.answers);
  else if (state.is === "reading" || state.is === "rejoining") cancel(turn, callId, state.heard, undefined);
}

/** Dismisses the interrupts. */
function dismiss(turn: Turn, run: RunStanding): void {
  const { state } = turn.m;
  if (openOf(run).length === 0 || (state.is !== "rest" && state.is !== "stopping")) return;
  command(turn, { do: "end", unsends: false, reopens: false });
  turn.m.state = { ...state, run: { is: "ended", how: "stopped" } };
}

/** Stops the run here at once, and has the server stop it. Interrupts whose answers it had not begun with are open again. */
function cancel(turn: Turn, callId: CallId, heard: boolean, answers: readonly string[] | undefined): void {
  leave(turn, false);
  command(turn, { do: "end", unsends: !heard, reopens: answers !== undefined }, { do: "cancel", n: turn.m.n });
  settle(turn, turn.m.own, "stopped");
  turn.m.own = NONE;
  turn.m.stops = [callId];
  const run: RunStanding = answers ? { is: "interrupted", open: answers, kept: NONE } : { is: "ended", how: "stopped" };
  turn.m.state = { is: "stopping", n: turn.m.n, run };
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
