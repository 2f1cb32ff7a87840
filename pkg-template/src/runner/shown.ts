// The state that a runner shows, derived from its machine.
import type { RunStatus } from "../thread/thread-types.js";
import { isWaiting, openOf, standingOf } from "./machine/standing.js";
import type { Machine, Standing } from "./machine/types.js";

/** The status in the words of {@link RunStatus}. */
export function shownStatus(machine: Machine): RunStatus {
  const { state, misses } = machine;
  switch (state.is) {
    case "requesting":
      return "submitted";
    case "rejoining":
      // A call joins the run of a page that was left, or of another page: nothing has broken here.
      return state.tries < 0 ? "submitted" : "disconnected";
    case "reading":
      return "streaming";
    case "elsewhere":
      return state.isNamed ? "streaming" : "submitted";
    case "offline":
      return "disconnected";
    case "disposed":
      return "ready";
    case "stopping":
      // New messages wait until the server has received the stop.
      return isWaiting(machine) ? "submitted" : wordOf(state.run);
    case "loading":
      // Messages wait for it. Failed updates, or those that did not reach the server, are tried again.
      return isWaiting(machine) || misses > 0 || state.run.is === "error" || state.run.is === "disconnected"
        ? "submitted"
        : wordOf(state.run);
    case "rest":
      return wordOf(state.run);
  }
}

const wordOf = (run: Standing): RunStatus => WORDS[run.is];

const WORDS = {
  none: "ready",
  ended: "ready",
  interrupted: "interrupted",
  error: "error",
  unloaded: "error",
  disconnected: "disconnected",
} as const satisfies { readonly [Is in Standing["is"]]: RunStatus };

/** Whether an error is shown, and retry() does something about it: while a broken connection is being rejoined, none is. */
export function showsError(machine: Machine): boolean {
  const status = shownStatus(machine);
  return status === "error" || (status === "disconnected" && ["rest", "offline"].includes(machine.state.is));
}

/** The ids of the interrupts that wait for an answer. */
export function openInterrupts({ state }: Machine): readonly string[] {
  if (!("run" in state)) return NONE;
  const run = standingOf(state.run);
  if (run.is === "interrupted" && run.kept.length > 0) return run.open.filter((id) => !run.kept.includes(id));
  return openOf(run);
}

const NONE: readonly never[] = [];
