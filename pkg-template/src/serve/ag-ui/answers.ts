import { commandOf, type GraphRunInput, type ResumeEntry } from "../../ag-ui/graph/graph-input.js";
import { sameJson } from "../../shared/same-json.js";
import { questionsOf, type GraphState } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";

/** The id of an answer that names no question. */
const UNNAMED = "";

export const isUnnamed = ({ interruptId }: ResumeEntry): boolean => interruptId === UNNAMED;

/** Returns the answers of a request; undefined if it has none. */
export function answersIn(input: GraphRunInput): readonly ResumeEntry[] | undefined {
  if (input.resume && input.resume.length > 0) return input.resume;
  const payload = commandOf(input);
  return payload === undefined ? undefined : [{ interruptId: UNNAMED, status: "resolved", payload }];
}

/**
 * Refuses a changed answer. One that was lost may come again, and continues a run that has failed since. Another answer
 * to that question must not: a tool would run that it rejects.
 *
 * @param earlier - The answers that the kept runs were given, the latest first.
 * @param state - Reads the thread.
 * @throws {@link Refusal} 400 for an answer that was given otherwise, and that is not asked now.
 */
export async function checkAnswers(
  answers: readonly ResumeEntry[],
  earlier: readonly ResumeEntry[],
  state: () => Promise<GraphState | undefined>,
): Promise<void> {
  const isChanged = (answer: ResumeEntry) => {
    const mayBeOf = (one: ResumeEntry) => [one, answer].some(isUnnamed) || one.interruptId === answer.interruptId;
    const before = earlier.find(mayBeOf);
    return before !== undefined && !sameJson(meaning(before), meaning(answer));
  };
  const changed = answers.filter(isChanged);
  if (changed.length === 0) return;
  const asked = questionsOf(await state());
  for (const answer of changed) {
    if (asked.some(({ id }) => isUnnamed(answer) || id === answer.interruptId)) continue;
    const what = isUnnamed(answer) ? "anything" : JSON.stringify(answer.interruptId);
    throw new Refusal(400, `The thread does not ask ${what} any more: it was answered.`);
  }
}

const meaning = ({ status, payload = null }: ResumeEntry) => ({ status, payload });
