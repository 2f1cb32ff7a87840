// Other code at the thread: its runs, and the updates that it rolls back.
import type { Event, Found } from "./types.js";
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
  const isTaken = (id: string | undefined) => id !== undefined && took.includes(id);
  turn.m.unsent = without(turn.m.unsent, isTaken);
  turn.m.own = [
    ...turn.m.own,
    ...listOf(turn.m.waiters)
      .filter(({ id }) => isTaken(id))
      .map(({ callId }) => callId),
  ];
  turn.m.waiters = without(turn.m.waiters, ({ id }) => isTaken(id));
}

export function otherEnded(turn: Turn, how: Found): void {
  const { state } = turn.m;
  if (state.is === "elsewhere") return comeToRest(turn, found(how, { is: "none" }));
  if (state.is === "rest") turn.m.state = { is: "rest", run: { ...found(how, state.run), ...NO_ANSWERS(how) } };
  if (state.is === "loading" || state.is === "stopping") turn.m.state = { ...state, run: found(how, state.run) };
}

export function rolledBack(turn: Turn, gone: string): void {
  turn.m.unsent = without(turn.m.unsent, (id) => id === gone);
  const isGone = ({ id }: { id: string | undefined }) => id === gone;
  settle(
    turn,
    listOf(turn.m.waiters)
      .filter(isGone)
      .map(({ callId }) => callId),
    "stopped",
  );
  turn.m.waiters = without(turn.m.waiters, isGone);
}

/** Another run's failure is not answered again. */
const NO_ANSWERS = (how: Found) => (how.is === "error" ? { answers: undefined } : {});
