// Answers that come late, for both servers: an answer counts for the question that its user saw, and for no other.
import type { ResumeEntry } from "../ag-ui/graph/graph-input.js";
import { sameJson } from "../shared/same-json.js";
import { questionsOf, type GraphState } from "../stream/graph-parts.js";
import { Refusal } from "./refusal.js";

/** The id of an answer that names no question. */
export const UNNAMED = "";

export const isUnnamed = ({ interruptId }: ResumeEntry): boolean => interruptId === UNNAMED;

/** Whether two answers may be for one question. */
export const mayShare = (one: ResumeEntry, other: ResumeEntry): boolean =>
  [one, other].some(isUnnamed) || one.interruptId === other.interruptId;

/**
 * Refuses a changed answer. One that was lost may come again, and continues a run that has failed since. Another answer
 * to that question must not: a tool would run that it rejects.
 *
 * @param earlier - The answers that the kept runs were given, the latest first.
 * @param state - Reads the thread.
 * @throws {@link Refusal} 400 for an answer that was given otherwise, and that is not asked now.
 */
export async function checkUnchanged(
  answers: readonly ResumeEntry[],
  earlier: readonly ResumeEntry[],
  state: () => Promise<GraphState | undefined>,
): Promise<void> {
  const isChanged = (answer: ResumeEntry) => {
    const before = earlier.find((one) => mayShare(one, answer));
    return before !== undefined && !sameJson(meaning(before), meaning(answer));
  };
  const changed = answers.filter(isChanged);
  if (changed.length === 0) return;
  const asked = questionsOf(await state());
  for (const answer of changed)
    if (!asked.some(({ id }) => isUnnamed(answer) || id === answer.interruptId)) throw tooLate(answer);
}

/** The refusal of an answer to a question that was answered before. */
export function tooLate(answer: ResumeEntry): Refusal {
  const what = isUnnamed(answer) ? "anything" : JSON.stringify(answer.interruptId);
  return new Refusal(400, `The thread does not ask ${what} any more: it was answered.`);
}

const meaning = ({ status, payload = null }: ResumeEntry) => ({ status, payload });
