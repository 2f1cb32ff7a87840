// Other code at the thread: its runs, and the updates that it rolls back.
import type { CallId, Event, Found } from "./types.js";
import { listOf, without } from "./chain.js";
import { found, NONE, standingOf } from "./standing.js";
import { comeToRest, command, leave, settle, type Turn } from "./turn.js";

export function otherBegan(turn: Turn, { took, isNamed }: Extract<Event, { is: "otherBegan" }>): void {
  const { state } = turn.m;
  if (state.is === "elsewhere") {
    if (state.isNamed !== isNamed) turn.m.state = { is: "elsewhere", isNamed };
    return;
  }
  if (state.is === "requesting" || state.is === "reading") return;
  if (state.is === "rejoining" || (state.is === "rest" && standingOf(state.run).is === "disconnected"))
    command(turn, { do: "fail" });
  if (state.is === "rejoining") {
    turn.m.n++;
    settle(turn, turn.m.own, "disconnected");
    turn.m.own = NONE;
  } else if (state.is !== "rest") leave(turn, false);
  settle(turn, turn.m.stops, "stopped", "cancel");
  turn.m.stops = NONE;
  turn.m.state = { is: "elsewhere", isNamed };
  // It carries the pending updates, as every run does.
  taken(turn, took);
}

/** A run has these updates: their calls end with it. */
export function taken(turn: Turn, ids: readonly string[]): void {
  const calls = drop(turn, (id) => ids.includes(id));
  turn.m.own = [...turn.m.own, ...calls];
}

/** These updates wait no more. Returns the calls that waited with them. */
function drop(turn: Turn, isGone: (id: string) => boolean): readonly CallId[] {
  const { m } = turn;
  m.unsent = without(m.unsent, isGone);
  m.steering = m.steering.filter((id) => !isGone(id));
  // Calls that came while they waited have nothing left to wait for.
  const isLast = m.unsent === undefined && !m.wants;
  const goes = ({ id }: { id: string | undefined }) => (id === undefined ? isLast : isGone(id));
  const calls = listOf(m.waiters).filter(goes);
  m.waiters = without(m.waiters, goes);
  return calls.map(({ callId }) => callId);
}

export function otherEnded(turn: Turn, how: Found): void {
  const { state } = turn.m;
  if (state.is === "elsewhere") return comeToRest(turn, found(how, { is: "none" }));
  if (state.is === "rest") turn.m.state = { is: "rest", run: { ...found(how, state.run), ...NO_ANSWERS(how) } };
  if (state.is === "loading" || state.is === "stopping" || state.is === "offline")
    turn.m.state = { ...state, run: found(how, state.run) };
}

export function rolledBack(turn: Turn, { id: gone, isAtServer }: Extract<Event, { is: "rolledBack" }>): void {
  settle(
    turn,
    drop(turn, (id) => id === gone),
    isAtServer ? "finished" : "stopped",
  );
}

/** Another run's failure is not answered again. */
const NO_ANSWERS = (how: Found) => (how.is === "error" ? { answers: undefined } : {});
