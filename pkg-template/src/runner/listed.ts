import { ThreadfoldError } from "../shared/errors.js";
import type { ListedThread } from "./transport.js";

/** Checks a server's list of threads. */
export function listed(answer: unknown): readonly ListedThread[] {
  const isThread = (one: unknown) => typeof (one as ListedThread | null)?.threadId === "string";
  if (Array.isArray(answer) && answer.every(isThread)) return answer as ListedThread[];
  throw new ThreadfoldError(
    "BAD_RESPONSE",
    "threads(): the server's answer is not a list of objects with a threadId: is this the agent's address?",
  );
}
