import { ThreadfoldError } from "../shared/errors.js";
import type { Answer } from "./protocol.js";
import type { Questions } from "./questions.js";
import type { RunnerDecision } from "./runner-types.js";

/** Returns the answers that these decisions give, by the ids of what they answer. `open`: what has no answer yet. */
export function answersTo(
  questions: Questions<never, never>,
  open: readonly string[],
  given: RunnerDecision | readonly RunnerDecision[],
): Map<string, Answer> {
  const decisions = Array.isArray(given) ? (given as readonly RunnerDecision[]) : [given as RunnerDecision];
  if (decisions.some((decision) => typeof decision !== "object" || decision === null))
    invalid("A decision should be an object: { value }, or { id, value } if several interrupts are open.");
  if (decisions.length === 0) invalid("No interrupt is answered by an empty list of decisions.");
  const answers = new Map<string, Answer>();
  for (const decision of decisions) {
    const { id: named } = decision;
    if (named === undefined && open.length > 1)
      invalid(`The run has ${open.length} open interrupts: name in each decision the id of its interrupt.`);
    // An answer that waits can still be changed.
    const id = named === undefined ? open[0] : questions.idOf(named);
    const interrupt = id === undefined ? undefined : questions.one(id);
    if (id === undefined || !interrupt) invalid(`The run has no open interrupt with the id '${String(named)}'.`);
    answers.set(id, { ...decision, interrupt });
  }
  return answers;
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}
