// The events of a stream: what the transport reports of a run, of a load and of their connection.
import type { After, Cut, Event, Found, Joined, Waiting } from "./types.js";
import { chained, listOf } from "./chain.js";
import { found, NONE } from "./standing.js";
import { comeToRest, command, goOffline, loadState, resend, settle, steer, type Turn } from "./turn.js";

export function hear(turn: Turn, isPart: boolean): void {
  const { state } = turn.m;
  turn.m.misses = 0;
  turn.m.isTurnedAway = false;
  if (state.is === "requesting")
    turn.m.state = { n: state.n, answers: state.answers, is: "reading", heard: isPart, tries: -1, answered: false };
  else if (state.is === "rejoining") turn.m.state = { ...state, is: "reading", heard: state.heard || isPart };
  else if (state.is === "reading" && isPart) turn.m.state = { ...state, heard: true };
  if (state.is !== "reading") steer(turn);
}

export function ended(turn: Turn, how: Exclude<Found, { is: "disconnected" }>): void {
  const { state, own } = turn.m;
  if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
  const after = state.is === "requesting" ? undefined : state.after;
  const { answers } = state;
  const run = how.is === "error" ? { ...how, answers } : found(how, { is: "none" });
  if (how.is !== "error") turn.m.mayLack = false;
  turn.m.state = { is: "rest", run };
  if (state.is === "requesting" && state.sent && isTurnedAway(turn, how)) {
    turn.m.isTurnedAway = true;
    return loadState(turn, NONE, listOf(state.sent.unsent));
  }
  const isOver = how.is === "finished" || how.is === "interrupted";
  const isStopped = how.is === "stopped" && after?.is === "load" && after.resends !== undefined;
  if (after?.is === "load" && (isOver || isStopped || after.joined === undefined))
    return loadState(turn, NONE, after.resends, after.joined);
  if (after?.is === "load" && after.resends && how.is === "error") return resend(turn, after.resends, false);
  if (after?.is === "retry" && how.is === "error" && how.gone) {
    const [first, ...others] = own;
    turn.m.own = NONE;
    if (first !== undefined) command(turn, { do: "retry", callId: first });
    return settle(turn, others, "error");
  }
  comeToRest(turn, run);
}

/** Whether another client was faster: its run is joined, and the messages are sent after it. */
function isTurnedAway({ m, rules }: Turn, how: Found): boolean {
  return how.is === "error" && how.busy === true && rules.canLoad && !rules.refuses && !m.isTurnedAway;
}

export function cut(turn: Turn, { n, joins, parts, answered, auth, unreached }: Cut): void {
  const { state } = turn.m;
  if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
  const waits = unreached && turn.rules.waits;
  if (waits && state.is === "requesting" && state.sent) return keep(turn, n, state.sent);
  const was: Joined =
    state.is === "requesting" ? { n, answers: state.answers, heard: false, tries: -1, answered: false } : state;
  const heard = was.heard || parts;
  const tries = parts ? 0 : was.tries + 1;
  const isAnswered = was.answered || answered;
  const isOver = tries >= turn.rules.patience;
  turn.m.state = { ...was, is: "rejoining", heard, answered: isAnswered };
  if (auth) return tire(turn, joins, heard);
  if (!joins || (isOver && isAnswered && !waits)) return command(turn, { do: "giveUp", n });
  turn.m.state = { ...turn.m.state, tries };
  if (!isOver || waits) return command(turn, { do: "wait", n, tries });
  command(turn, { do: "tire" });
  tire(turn, joins, heard);
}

/** The request did not reach the server: its work waits again, before what has come since. */
function keep(turn: Turn, n: number, sent: Waiting): void {
  const { m } = turn;
  const before = listOf(sent.waiters);
  const known = new Set(before.map(({ callId }) => callId));
  const joined = m.own.filter((callId) => !known.has(callId)).map((callId) => ({ callId, id: undefined }));
  command(turn, { do: "end", unsends: true, reopens: false });
  m.unsent = listOf(m.unsent).reduce<Waiting["unsent"]>(chained, sent.unsent);
  m.waiters = [...joined, ...listOf(m.waiters)].reduce<Waiting["waiters"]>(chained, sent.waiters);
  m.wants ||= sent.wants;
  m.own = NONE;
  goOffline(turn, n, { is: "ended", how: "stopped" });
}

export function unloaded(turn: Turn, { n, unreached }: Extract<Event, { is: "unloaded" }>): void {
  const { state } = turn.m;
  if (state.is !== "loading") return;
  if (unreached && turn.rules.waits) return goOffline(turn, n, state.run, state.resends);
  comeToRest(turn, { is: "unloaded", behind: state.run, resends: state.resends });
}

function tire(turn: Turn, joins: boolean, heard: boolean): void {
  comeToRest(turn, { is: "disconnected", joins, heard, tired: true });
}

export function loaded(turn: Turn, { how, run, isDone, n }: Extract<Event, { is: "loaded" }>): void {
  const { state } = turn.m;
  if (state.is !== "loading") return;
  const { resends } = state;
  if (run !== undefined) {
    turn.m.isTurnedAway = false;
    const after: After | undefined = state.follows ? undefined : { is: "load", joined: run, resends };
    turn.m.state = { is: "rejoining", n, heard: false, tries: -1, answered: false, after };
    return command(turn, { do: "join", n });
  }
  const standing = found(how, state.run);
  turn.m.state = { is: "rest", run: standing };
  if (resends) return resend(turn, resends, isDone);
  comeToRest(turn, standing);
}
