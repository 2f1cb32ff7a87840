// Why a run failed, as an error of this package.
import { ThreadfoldError } from "./errors.js";

export const BROKEN = "The connection to the server broke.";

/**
 * Returns what ended a run as an error with words and a code: itself, if it is threadfold's. The server's own code, or
 * LangGraph's name of the error, becomes `serverCode`.
 *
 * @param isBroken - Whether a connection broke: one that was not ours, such as an agent's, or by a reload of the page.
 */
export function runError(error: unknown, isBroken: boolean): ThreadfoldError {
  if (error instanceof ThreadfoldError) return error;
  const given = (typeof error === "object" && error !== null ? error : {}) as { readonly [name in Known]?: unknown };
  const { name, message, status, code, error: named, serverCode } = given;
  // A saved thread has its error as JSON.
  if (name === "ThreadfoldError") return new ThreadfoldError(...([code, message, { status, serverCode }] as Saved));
  const http = typeof status === "number" ? status : undefined;
  const cause = error === undefined ? {} : { cause: error };
  if (isBroken && http === undefined) return new ThreadfoldError("NO_CONNECTION", BROKEN, cause);
  const sentence = typeof message === "string" ? message : String(error);
  const word = [code, named].find((one) => typeof one === "string" || typeof one === "number");
  return new ThreadfoldError(http === undefined ? "RUN_FAILED" : "BAD_RESPONSE", sentence, {
    ...cause,
    status: http,
    serverCode: word as string | number | undefined,
  });
}

type Known = "name" | "message" | "status" | "code" | "error" | "serverCode";
type Saved = ConstructorParameters<typeof ThreadfoldError>;
