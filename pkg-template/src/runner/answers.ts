import { ThreadfoldError } from "threadfold";
import type { Answer } from "./protocol.js";
import type { RunnerDecision, RunnerInterrupt } from "./runner-types.js";

/** Each open interrupt with its decision: a run goes on when all are answered. */
export function answersTo(
  interrupts: readonly RunnerInterrupt[],
  given: RunnerDecision | readonly RunnerDecision[],
): Answer[] {
  const decisions = Array.isArray(given) ? (given as readonly RunnerDecision[]) : [given as RunnerDecision];
  if (decisions.some((decision) => typeof decision !== "object" || decision === null))
    invalid("A decision should be an object: { value }, and { id, value } where several are asked.");
  if (interrupts.length === 0) invalid("The thread's run asks nothing.");
  const [only] = interrupts;
  const known = new Map(interrupts.map((interrupt) => [interrupt.id, interrupt]));
  const answers = new Map<RunnerInterrupt, Answer>();
  for (const decision of decisions) {
    const isOnly = decision.id === undefined && interrupts.length === 1;
    const interrupt = isOnly ? only : known.get(decision.id);
    if (!interrupt) invalid(`The run asks nothing under the id '${String(decision.id)}'.`);
    answers.set(interrupt, { ...decision, interrupt });
  }
  if (answers.size < interrupts.length)
    invalid(`The run asks ${interrupts.length} things, and goes on when all are answered.`);
  return [...answers.values()];
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_VALUE", sentence);
}
