// The state that a runner shows, derived from its machine, and errors with a sentence and a code.
import { ThreadfoldError } from "../shared/errors.js";
import { BROKEN } from "../stream/connection.js";
import { openOf, standingOf } from "./machine.js";
import type { Machine, RunStanding } from "./machine-types.js";
import type { RunnerError, RunnerStatus } from "./runner-types.js";

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
      // New messages wait until the server has received the stop.
      return unsent !== undefined || waiters !== undefined || wants ? "submitted" : wordOf(state.run);
    case "loading":
      // Failed updates are tried again.
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

/**
 * Returns an error in words and with a code: as it is, if it has both.
 *
 * @param isBroken - Whether a connection broke: one that was not ours, such as an agent's, or by a reload of the page.
 */
export function blamed(error: unknown, isBroken: boolean): RunnerError {
  const said = (typeof error === "object" && error !== null ? error : {}) as { [name in keyof Named]?: unknown };
  const { message, status, error: name } = said;
  const hasWords = typeof message === "string";
  // A DOMException's code is a number.
  const code = typeof said.code === "string" || (typeof said.code === "number" && !isBroken) ? said.code : undefined;
  if (hasWords && code !== undefined) return said as RunnerError;
  if (isBroken && status === undefined)
    return new ThreadfoldError("NO_CONNECTION", BROKEN, error === undefined ? undefined : { cause: error });
  // LangGraph names the class of its error beside the message.
  const named = typeof name === "string" ? name : typeof status === "number" ? "BAD_RESPONSE" : "RUN_FAILED";
  return {
    ...said,
    message: hasWords ? message : String(error),
    code: code ?? named,
    ...(error instanceof Error && { cause: error }),
  } as RunnerError;
}

interface Named extends RunnerError {
  readonly error?: unknown;
}
