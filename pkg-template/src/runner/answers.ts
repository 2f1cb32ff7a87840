import { ThreadfoldError } from "threadfold";
import type { Answer } from "./protocol.js";
import type { RunnerDecision, RunnerInterrupt } from "./runner-types.js";

/** Returns each open interrupt with its decision: a run continues when all are answered. */
export function answersTo(
  interrupts: readonly RunnerInterrupt[],
  given: RunnerDecision | readonly RunnerDecision[],
): Answer[] {
  const decisions = Array.isArray(given) ? (given as readonly RunnerDecision[]) : [given as RunnerDecision];
  if (decisions.some((decision) => typeof decision !== "object" || decision === null))
    invalid("A decision should be an object: { value }, or { id, value } if several interrupts are open.");
  if (interrupts.length === 0) invalid("The thread's run has no open interrupt.");
  const [only] = interrupts;
  const known = new Map(interrupts.map((interrupt) => [interrupt.id, interrupt]));
  const answers = new Map<RunnerInterrupt, Answer>();
  for (const decision of decisions) {
    const isOnly = decision.id === undefined && interrupts.length === 1;
    const interrupt = isOnly ? only : known.get(decision.id);
    if (!interrupt) invalid(`The run has no open interrupt with the id '${String(decision.id)}'.`);
    answers.set(interrupt, { ...decision, interrupt });
  }
  if (answers.size < interrupts.length)
    invalid(`The run has ${interrupts.length} open interrupts: answer all of them.`);
  return [...answers.values()];
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_VALUE", sentence);
}
