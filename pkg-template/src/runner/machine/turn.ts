// One step while it is made: the next machine, its commands, and the ways from one state to another.
import type {
  After,
  CallId,
  Command,
  CutRun,
  Later,
  Machine,
  Refusal,
  Result,
  Rules,
  RunStanding,
  Standing,
  Waiting,
} from "./types.js";
import { listOf } from "./chain.js";
import { isDue, isWaiting, NONE, openOf, resultOf, standingOf } from "./standing.js";

type Draft = { -readonly [Field in keyof Machine]: Machine[Field] };

export interface Turn {
  m: Draft;
  readonly commands: Command[];
  readonly rules: Rules;
}

export const turnOf = (before: Machine, rules: Rules): Turn => ({ m: { ...before }, commands: [], rules });

export function request(
  turn: Turn,
  own: readonly CallId[],
  answers: readonly string[] | undefined,
  sent?: Waiting,
): void {
  const { state } = turn.m;
  const run = state.is === "rest" ? standingOf(state.run) : undefined;
  turn.m.mayLack ||= run?.is === "error" && (run.begun || run.lost);
  const n = ++turn.m.n;
  turn.m.own = own;
  turn.m.state = { is: "requesting", n, answers, sent };
  command(turn, { do: "begin", n, carries: !answers }, { do: "request", n, answers, mayLack: turn.m.mayLack });
}

export function rejoin(turn: Turn, own: readonly CallId[], { joins, heard }: CutRun, after?: After): void {
  const n = ++turn.m.n;
  turn.m.own = own;
  turn.m.state = { is: "rejoining", n, heard, tries: -1, answered: false, after };
  command(turn, joins ? { do: "join", n } : { do: "giveUp", n });
}

/**
 * Asks for the server's state of the thread; `resends`: what to send then, if the server lacks it.
 *
 * @param joined - A run that is not joined again.
 */
export function loadState(
  turn: Turn,
  own: readonly CallId[],
  resends: readonly string[] | undefined,
  joined?: string,
  follows = false,
): void {
  const { state } = turn.m;
  if (state.is !== "rest") return;
  const n = ++turn.m.n;
  turn.m.own = [...turn.m.own, ...own];
  turn.m.state = { is: "loading", n, run: standingOf(state.run), resends, follows };
  command(turn, { do: "load", n, joined });
}

/** Waits for the network. */
export function goOffline(turn: Turn, n: number, run: RunStanding, resends?: readonly string[]): void {
  turn.m.state = { is: "offline", n, run, resends };
  command(turn, { do: "wait", n, tries: turn.m.misses++ });
}

/** Tries again to reach the server: a message that seemed lost may be there, so a server that can be asked is asked. */
export function reach(turn: Turn): void {
  const { state } = turn.m;
  if (state.is !== "offline") return;
  turn.m.state = { is: "rest", run: state.run };
  if (turn.rules.canLoad) loadState(turn, NONE, state.resends);
}

/** A call tries at once what waits for the network, and waits with it. */
export function reachNow(turn: Turn, callId: CallId): void {
  if (isWaiting(turn.m)) turn.m.waiters = { last: { callId, id: undefined }, rest: turn.m.waiters };
  else turn.m.own = [...turn.m.own, callId];
  leave(turn, false);
  reach(turn);
}

export function resend(turn: Turn, ids: readonly string[], isDone: boolean): void {
  command(turn, { do: "resend", callIds: turn.m.own, ids, isDone });
  turn.m.own = NONE;
}

/** Brings what may steer into the run that is read. All together: whichever request arrives first, the order holds. */
export function steer(turn: Turn): void {
  const { state, steering } = turn.m;
  if (state.is === "reading" && steering.length > 0) command(turn, { do: "steer", ids: steering });
}

export function go(turn: Turn): void {
  const { state } = turn.m;
  if (state.is !== "rest") return;
  const run = standingOf(state.run);
  const waiting = listOf(turn.m.waiters).map(({ callId }) => callId);
  if (run.is === "disconnected" && !run.tired) return rejoin(turn, NONE, run);
  if (run.is === "disconnected" || openOf(run).length > 0) {
    turn.m.waiters = undefined;
    return settle(turn, waiting, resultOf(run));
  }
  const { unsent, wants, waiters } = turn.m;
  clear(turn);
  request(turn, waiting, undefined, { unsent, wants, waiters });
}

/** Nothing waits for a run any more. */
export function clear(turn: Turn): void {
  turn.m.waiters = turn.m.unsent = undefined;
  turn.m.steering = NONE;
  turn.m.wants = false;
}

/** Comes to rest, and resolves the promises of the ended work. A run that stays cut off resolves all others, too. */
export function comeToRest(turn: Turn, run: Standing): void {
  turn.m.state = { is: "rest", run };
  const waiting = run.is === "disconnected" ? listOf(turn.m.waiters).map(({ callId }) => callId) : NONE;
  if (run.is === "disconnected") turn.m.waiters = undefined;
  settle(turn, [...turn.m.own, ...waiting], resultOf(run));
  turn.m.own = NONE;
  if (!isDue(turn.m)) turn.m.misses = 0;
}

export function postpone(turn: Turn, call: Later): void {
  turn.m.later = [...turn.m.later, call];
}

export function leave(turn: Turn, goesOn: boolean): void {
  turn.m.n++;
  command(turn, { do: "leave", goesOn });
}

export function settle(turn: Turn, callIds: readonly CallId[], how: Result, why?: "cancel" | "other"): void {
  if (callIds.length > 0) command(turn, { do: "settle", callIds, how, ...(why && { why }) });
}

export function refuse(turn: Turn, callId: CallId, code: Refusal): void {
  command(turn, { do: "refuse", callId, code });
}

export function command(turn: Turn, ...commands: Command[]): void {
  turn.commands.push(...commands);
}
