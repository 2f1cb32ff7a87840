import { ThreadfoldError } from "../shared/errors.js";
import type { ListedThread } from "./transport.js";

/** Checks a server's list of threads. */
export function listed(answer: unknown): readonly ListedThread[] {
  const isThread = (one: unknown) => typeof (one as ListedThread | null)?.threadId === "string";
  if (Array.isArray(answer) && answer.every(isThread)) return answer as ListedThread[];
  throw new ThreadfoldError("BAD_RESPONSE", "The server answered no list of threads.");
}
