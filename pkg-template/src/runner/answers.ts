import { ThreadfoldError } from "../shared/errors.js";
import type { Answer } from "./protocol.js";
import type { RunnerDecision, RunnerInterrupt } from "./runner-types.js";

/** What a run asks. */
interface Asked {
  readonly open: readonly RunnerInterrupt[];
  /** Returns the first with this id, answered or not. */
  named(id: string): RunnerInterrupt | undefined;
}

/** Returns the answers that these decisions give, by what they answer. */
export function answersTo(
  asked: Asked,
  given: RunnerDecision | readonly RunnerDecision[],
): Map<RunnerInterrupt, Answer> {
  const { open } = asked;
  const decisions = Array.isArray(given) ? (given as readonly RunnerDecision[]) : [given as RunnerDecision];
  if (decisions.some((decision) => typeof decision !== "object" || decision === null))
    invalid("A decision should be an object: { value }, or { id, value } if several interrupts are open.");
  if (open.length === 0) throw new ThreadfoldError("INVALID_STATE", "The thread's run has no open interrupt.");
  if (decisions.length === 0) invalid("No interrupt is answered by an empty list of decisions.");
  const answers = new Map<RunnerInterrupt, Answer>();
  for (const decision of decisions) {
    const { id } = decision;
    if (id === undefined && open.length > 1)
      invalid(`The run has ${open.length} open interrupts: name in each decision the id of its interrupt.`);
    // An answer that waits can still be changed.
    const interrupt = id === undefined ? open[0] : asked.named(id);
    if (!interrupt) invalid(`The run has no open interrupt with the id '${String(id)}'.`);
    answers.set(interrupt, { ...decision, interrupt });
  }
  return answers;
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}
