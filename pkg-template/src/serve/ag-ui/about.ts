// The facts about a run that the store keeps: its request, and all that another instance needs to continue it.
import type { ServedOptions } from "../../ag-ui/graph/graph-events.js";
import { resumeOf, type GraphRunInput } from "../../ag-ui/graph/graph-input.js";
import { sameJson } from "../../shared/same-json.js";
import { questionsOf, type GraphState } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import type { StoredRun } from "../runs/run-store.js";

/** The facts about a run that the store keeps. */
export interface About {
  /** The answers that it was started with, as JSON. */
  readonly answers: string | undefined;
  /** The id of the user's last message in its request. */
  readonly said: string | undefined;
  readonly carriedOn?: CarriedOn | undefined;
}

/** Tells a request from another one under the same run id. A repeated request may have more of the run's own messages. */
export function sentWith({ messages, resume }: GraphRunInput): About {
  const users = (messages as readonly { readonly id?: string; readonly role?: string }[]).filter(
    ({ role }) => role === "user",
  );
  return { answers: resume ? JSON.stringify(resume) : undefined, said: users.at(-1)?.id };
}

/**
 * Whether a request repeats the one of a run. A new message or answer under the id of a run that is over, as CopilotKit
 * sends answers, is a run of its own.
 */
export function isRepeat(input: GraphRunInput, { answers, said }: Partial<About>): boolean {
  const now = sentWith(input);
  return now.answers === answers && now.said === said && (answers !== undefined || resumeOf(input) === undefined);
}

/** All that another instance needs to continue a run. */
export interface CarriedOn {
  readonly input: GraphRunInput;
  readonly client: ServedOptions["client"];
  readonly changes: readonly unknown[] | undefined;
  /** The run's config, if a function of the program made it. */
  readonly config: object | undefined;
  /** The thread's checkpoint when it began. */
  readonly from: unknown;
  readonly url: string;
}

/**
 * An answer that was lost may come again, and continues a run that has failed since. Another answer to that question
 * must not: a tool would run that it rejects.
 *
 * @param keptRuns - Returns the thread's runs that are kept.
 * @param state - Returns the thread's state.
 * @throws {@link Refusal} 400 for an answer that one of the runs was given otherwise, and that is not asked now.
 */
export async function checkAnswers(
  { resume }: GraphRunInput,
  keptRuns: () => Promise<readonly StoredRun[]>,
  state: () => Promise<GraphState | undefined>,
): Promise<void> {
  if (!resume || resume.length === 0) return;
  const earlier = (await keptRuns()).flatMap(
    ({ about }) => JSON.parse((about as About).answers ?? "[]") as typeof resume,
  );
  const given = new Map(earlier.map((answer) => [answer.interruptId, answer]));
  const late = resume.filter((answer) => !sameJson(given.get(answer.interruptId) ?? answer, answer));
  if (late.length === 0) return;
  const asked = questionsOf(await state());
  for (const { interruptId } of late)
    if (!asked.some(({ id }) => id === interruptId))
      throw new Refusal(400, `The thread does not ask ${JSON.stringify(interruptId)} any more: it was answered.`);
}
