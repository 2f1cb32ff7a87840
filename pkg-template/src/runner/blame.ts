import { ThreadfoldError } from "../shared/errors.js";
import { BROKEN } from "../stream/connection.js";
import type { RunnerError } from "./runner-types.js";

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
