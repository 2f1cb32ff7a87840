// What a runner shows, read off its machine.
import { openOf, standingOf, type Machine, type RunStanding } from "./machine.js";
import type { RunnerStatus } from "./runner-types.js";

/** The status in the words of {@link RunnerStatus}. */
export function statusOf({ state, unsent, waiters, wants }: Machine): RunnerStatus {
  switch (state.is) {
    case "requesting":
    case "rejoining":
      return "submitted";
    case "reading":
      return "streaming";
    case "elsewhere":
      return state.isNamed ? "streaming" : "submitted";
    case "disposed":
      return "ready";
    case "stopping":
      // What was said waits until the server has heard of the stop.
      return unsent !== undefined || waiters !== undefined || wants ? "submitted" : wordOf(state.run);
    case "loading":
      // What failed is tried again.
      return state.run.is === "failed" || state.run.is === "cut" ? "submitted" : wordOf(state.run);
    case "rest":
      return state.run.is === "unloaded" ? "error" : wordOf(state.run);
  }
}

const wordOf = (run: RunStanding): RunnerStatus =>
  run.is === "none" || run.is === "ended" ? "ready" : run.is === "asks" ? "interrupted" : "error";

/** The ids of the questions that wait for an answer. */
export function askedOf({ state }: Machine): readonly string[] {
  if (state.is !== "rest" && state.is !== "loading" && state.is !== "stopping") return NONE;
  const run = standingOf(state.run);
  if (run.is === "asks" && run.kept.length > 0) return run.open.filter((id) => !run.kept.includes(id));
  return openOf(run);
}

const NONE: readonly never[] = [];
