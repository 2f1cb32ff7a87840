import { isInterruptId } from "../shared/interrupt-id.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { Answer } from "../runner/protocol.js";
import { serversId } from "../stream/run-result.js";

/** Returns the value for `interrupt()` by the interrupts' ids; for one without an id the answer itself. */
export function resumeOf(answers: readonly Answer[]): unknown {
  if (answers.some(({ cancelled }) => cancelled))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "LangGraph interrupts can be answered, or dismissed by stop(), but not cancelled.",
    );
  const [only] = answers;
  // An answer without the id would be taken for that of the next question, too, if the run fails between the two.
  if (answers.length === 1 && !isServersId(only && serversId(only.interrupt))) return only?.value ?? null;
  if (answers.some(({ interrupt }) => serversId(interrupt) === undefined))
    throw new ThreadfoldError("INVALID_ARGUMENT", "Several interrupts can be answered only if they have ids.");
  // Without a value JSON would leave the answer out.
  return Object.fromEntries(answers.map(({ interrupt, value }) => [serversId(interrupt), value ?? null]));
}

/** LangGraph takes only ids of this form for ids, and all else for the answer itself. */
const isServersId = (id: string | undefined) => id !== undefined && isInterruptId(id);
