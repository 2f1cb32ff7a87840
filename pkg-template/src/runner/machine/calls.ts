// The calls: which are admitted, which wait, and what those have made.
import type { Event, RunStanding, Standing, Who } from "./types.js";
import { chained, listOf, type Chain } from "./chain.js";
import { machineOf } from "./machine-of.js";
import { isUnderWay, NONE, openOf, resultOf, standingOf } from "./standing.js";
import { ask, command, go, leave, postpone, refuse, rejoin, request, settle, type Turn } from "./turn.js";

export function send(turn: Turn, { w }: { readonly w: Who }): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  const isBusy = isUnderWay(state) || (state.is === "rest" && openOf(state.run).length > 0);
  if (state.is === "elsewhere" || (turn.rules.refuses && isBusy)) return refuse(turn, w, "BUSY");
  command(turn, { do: "act", w });
}

/** An edit and an answer go by what stands in the thread. */
export function change(turn: Turn, event: Extract<Event, { is: "edit" | "resume" }>): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "loading" || state.is === "stopping") return postpone(turn, event);
  if (state.is !== "rest") return refuse(turn, event.w, "BUSY");
  const run = standingOf(state.run);
  const asks = openOf(run).length > 0;
  if (event.is === "resume" && !asks) return refuse(turn, event.w, "INVALID_STATE");
  if (event.is === "edit" && (asks || (run.is === "disconnected" && run.joins))) return refuse(turn, event.w, "BUSY");
  command(turn, { do: "act", w: event.w });
}

export function retry(turn: Turn, event: Extract<Event, { is: "retry" }>): void {
  const { state, own } = turn.m;
  const { w, named, edits } = event;
  turn.m.isAwake = true;
  if (state.is === "rest") return retryAtRest(turn, event, state.run);
  const isBusy = state.is === "elsewhere" || (isUnderWay(state) && (turn.rules.refuses || (named && edits)));
  if (isBusy) return refuse(turn, w, "BUSY");
  if (state.is === "stopping" ? !named || edits : named && edits) return postpone(turn, event);
  if (named) return command(turn, { do: "act", w });
  turn.m.own = [...own, w];
}

function retryAtRest(turn: Turn, { w, ids, named, edits }: Extract<Event, { is: "retry" }>, standing: Standing): void {
  if (!named && standing.is === "unloaded") return ask(turn, [w], standing.resends);
  const run = standingOf(standing);
  const asks = openOf(run).length > 0;
  if (!named && run.is === "error" && asks) {
    if (run.answers) return request(turn, [w], run.answers);
    command(turn, { do: "ask" });
    turn.m.state = { is: "rest", run: { is: "asks", open: run.open, kept: NONE } };
    return settle(turn, [w], "interrupted");
  }
  if (asks && (turn.rules.refuses || edits)) return refuse(turn, w, "BUSY");
  if (!named && run.is === "disconnected") return rejoin(turn, [w], run, { is: "retry" });
  if (ids.length > 0) {
    if (turn.rules.canLoad && run.is === "error" && run.lost) return ask(turn, [w], ids);
    return command(turn, { do: "act", w });
  }
  if (named) return refuse(turn, w, "INVALID_ARGUMENT");
  if (run.is !== "error") return refuse(turn, w, "INVALID_STATE");
  if (!turn.rules.resendsAnswers) return queue(turn, { is: "wanted", ws: [w] });
  if (run.answers) return request(turn, [w], run.answers);
  command(turn, { do: "act", w });
}

export function load(turn: Turn, event: Extract<Event, { is: "load" }>): void {
  const { state, own } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "stopping") return postpone(turn, event);
  if (state.is !== "rest") {
    turn.m.own = [...own, event.w];
    return;
  }
  const run = standingOf(state.run);
  if (run.is === "disconnected") return rejoin(turn, [event.w], run);
  if (turn.rules.canLoad) return ask(turn, [event.w], undefined);
  settle(turn, [event.w], resultOf(run));
}

export function stop(turn: Turn, w: Who): void {
  const { state } = turn.m;
  turn.m.isAwake = true;
  if (state.is === "elsewhere") return settle(turn, [w], "stopped", "other");
  if (state.is === "rest") {
    const run = standingOf(state.run);
    if (run.is === "disconnected") return cancel(turn, w, run.heard, undefined);
    dismiss(turn, run);
    return settle(turn, [w], "stopped");
  }
  settle(
    turn,
    turn.m.later.map((call) => call.w),
    "stopped",
  );
  turn.m.later = NONE;
  if (state.is === "stopping") {
    turn.m.stops = [...turn.m.stops, w];
    dismiss(turn, state.run);
  } else if (state.is === "loading") {
    leave(turn, false);
    settle(turn, [...turn.m.own, w], "stopped");
    turn.m.own = NONE;
    turn.m.state = { is: "rest", run: state.run };
  } else if (state.is === "requesting") cancel(turn, w, false, state.answers);
  else if (state.is === "reading" || state.is === "rejoining") cancel(turn, w, state.heard, undefined);
}

/** Puts the questions aside. */
function dismiss(turn: Turn, run: RunStanding): void {
  const { state } = turn.m;
  if (openOf(run).length === 0 || (state.is !== "rest" && state.is !== "stopping")) return;
  command(turn, { do: "end", unsends: false, asks: false });
  turn.m.state = { ...state, run: { is: "ended", how: "stopped" } };
}

/** Stops the run here at once, and has the server stop it. Answers that it had not begun with are asked for again. */
function cancel(turn: Turn, w: Who, heard: boolean, answers: readonly string[] | undefined): void {
  leave(turn, false);
  command(turn, { do: "end", unsends: !heard, asks: answers !== undefined }, { do: "cancel", n: turn.m.n });
  settle(turn, turn.m.own, "stopped");
  turn.m.own = NONE;
  turn.m.stops = [w];
  const run: RunStanding = answers ? { is: "asks", open: answers, kept: NONE } : { is: "ended", how: "stopped" };
  turn.m.state = { is: "stopping", n: turn.m.n, run };
}

/** A thread that was freed can say no more of a run. */
export function dispose(turn: Turn, how: "disconnected" | "DISPOSED"): void {
  leave(turn, isUnderWay(turn.m.state));
  const ws = [...turn.m.own, ...[...listOf(turn.m.waiters), ...turn.m.later].map(({ w }) => w)];
  if (how === "disconnected") settle(turn, ws, how);
  else for (const w of ws) refuse(turn, w, how);
  settle(turn, turn.m.stops, "stopped");
  turn.m = { ...machineOf({ is: "none" }, NONE), state: { is: "disposed" }, n: turn.m.n };
}

export function afterDispose(turn: Turn, event: Event): void {
  if (event.is === "stop") settle(turn, [event.w], "stopped");
  else if ("w" in event) refuse(turn, event.w, "DISPOSED");
  else if ("ws" in event) settle(turn, event.ws, "disconnected");
}

export function queue(turn: Turn, event: Extract<Event, { is: "shown" | "wanted" }>): void {
  const id = event.is === "shown" ? event.ids.at(-1) : undefined;
  if (event.is === "shown") turn.m.unsent = event.ids.reduce<Chain<string>>(chained, turn.m.unsent);
  else turn.m.wants = true;
  for (const w of event.ws) turn.m.waiters = { last: { w, id }, rest: turn.m.waiters };
  const { state } = turn.m;
  if (state.is !== "rest") return;
  // A call continues where retries were exhausted.
  if (state.run.is === "disconnected") turn.m.state = { is: "rest", run: { ...state.run, tired: false } };
  if (event.is === "shown" && event.now) go(turn);
}

export function answer(turn: Turn, { w, ids }: Extract<Event, { is: "answered" }>): void {
  const { state } = turn.m;
  if (state.is !== "rest") return refuse(turn, w, "BUSY");
  const run = standingOf(state.run);
  const open = openOf(run);
  const given = new Set([...(run.is === "asks" ? run.kept : NONE), ...ids]);
  const kept = open.filter((id) => given.has(id));
  if (open.length === 0) return refuse(turn, w, "INVALID_STATE");
  if (kept.length === open.length) return request(turn, [w], open);
  if (run.is === "error") command(turn, { do: "ask" });
  turn.m.state = { is: "rest", run: { is: "asks", open, kept } };
  settle(turn, [w], "interrupted");
}
