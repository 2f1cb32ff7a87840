// The events of a stream: what the transport reports of a run, of a load and of their connection.
import type { After, Cut, Event, Found, Joined } from "./types.js";
import { found, NONE } from "./standing.js";
import { comeToRest, command, loadState, resend, settle, type Turn } from "./turn.js";

export function hear(turn: Turn, isPart: boolean): void {
  const { state } = turn.m;
  if (state.is === "requesting") turn.m.state = { ...state, is: "reading", heard: isPart, tries: -1, answered: false };
  else if (state.is === "rejoining") turn.m.state = { ...state, is: "reading", heard: state.heard || isPart };
  else if (state.is === "reading" && isPart) turn.m.state = { ...state, heard: true };
}

export function ended(turn: Turn, how: Exclude<Found, { is: "disconnected" }>): void {
  const { state, own } = turn.m;
  if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
  const after = state.is === "requesting" ? undefined : state.after;
  const { answers } = state;
  const run = how.is === "error" ? { ...how, answers } : found(how, { is: "none" });
  if (how.is !== "error") turn.m.mayLack = false;
  turn.m.state = { is: "rest", run };
  const isOver = how.is === "finished" || how.is === "interrupted";
  if (after?.is === "load" && (isOver || after.joined === undefined))
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

export function cut(turn: Turn, { n, joins, parts, answered, auth }: Cut): void {
  const { state } = turn.m;
  if (state.is !== "requesting" && state.is !== "reading" && state.is !== "rejoining") return;
  const was: Joined =
    state.is === "requesting" ? { n, answers: state.answers, heard: false, tries: -1, answered: false } : state;
  const heard = was.heard || parts;
  const tries = parts ? 0 : was.tries + 1;
  const isAnswered = was.answered || answered;
  const isOver = tries >= turn.rules.patience;
  turn.m.state = { ...was, is: "rejoining", heard, answered: isAnswered };
  if (auth) return tire(turn, joins, heard);
  if (!joins || (isOver && isAnswered)) return command(turn, { do: "giveUp", n });
  turn.m.state = { ...turn.m.state, tries };
  if (!isOver) return command(turn, { do: "wait", n, tries });
  command(turn, { do: "tire" });
  tire(turn, joins, heard);
}

function tire(turn: Turn, joins: boolean, heard: boolean): void {
  comeToRest(turn, { is: "disconnected", joins, heard, tired: true });
}

export function loaded(turn: Turn, { how, run, isDone, n }: Extract<Event, { is: "loaded" }>): void {
  const { state } = turn.m;
  if (state.is !== "loading") return;
  const { resends } = state;
  if (run !== undefined) {
    const after: After = { is: "load", joined: run, resends };
    turn.m.state = { is: "rejoining", n, heard: false, tries: -1, answered: false, after };
    return command(turn, { do: "join", n });
  }
  const standing = found(how, state.run);
  turn.m.state = { is: "rest", run: standing };
  if (resends && standing.is !== "interrupted") return resend(turn, resends, isDone);
  comeToRest(turn, standing);
}
