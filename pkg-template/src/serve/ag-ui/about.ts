import type { ServedOptions } from "../../ag-ui/graph/graph-events.js";
import type { GraphRunInput, ResumeEntry } from "../../ag-ui/graph/graph-input.js";
import type { StoredRun } from "../run-stores/run-store.js";
import { isUnnamed } from "../late-answers.js";
import { answersOfInput } from "./input-answers.js";

/** The facts about a run that the store keeps: its request, and all that another instance needs to continue it. */
export interface About {
  /** The answers that it was started with, as JSON. */
  readonly answers: string | undefined;
  /** The id of the user's last message in its request. */
  readonly said: string | undefined;
  readonly carriedOn?: CarriedOn | undefined;
}

/** A run whose parts this server can read. */
export type KnownRun = StoredRun & { readonly about: About };

/** Tells a request from another one under the same run id. A repeated request may have more of the run's own messages. */
export function sentWith(input: GraphRunInput): About {
  const answers = answersOfInput(input);
  const users = (input.messages as readonly { readonly id?: string; readonly role?: string }[]).filter(
    ({ role }) => role === "user",
  );
  return { answers: answers && JSON.stringify(answers), said: users.at(-1)?.id };
}

/**
 * Whether a request repeats the one of a run. A new message or answer under the id of a run that is over, as CopilotKit
 * sends answers, is a run of its own. So is an answer that names no question: it may be for the next one.
 */
function isRepeat(input: GraphRunInput, { answers, said }: Partial<About>): boolean {
  const now = sentWith(input);
  return now.answers === answers && now.said === said && !answersOfInput(input)?.some(isUnnamed);
}

/** Whether a request joins a run that has its id: one under way, or the one that it repeats. */
export const isJoined = (input: GraphRunInput, { about, hasEnded }: KnownRun): boolean =>
  !hasEnded || isRepeat(input, about);

/** The answers that a run was started with. */
export const recordedAnswers = ({ answers }: Partial<About>): readonly ResumeEntry[] =>
  answers === undefined ? [] : (JSON.parse(answers) as readonly ResumeEntry[]);

/** All that another instance needs to continue a run. */
export interface CarriedOn {
  readonly input: GraphRunInput;
  readonly client: ServedOptions["client"];
  readonly changes: readonly unknown[] | undefined;
  /** The run's config, if a function of the program made it. */
  readonly config: object | undefined;
  /** The thread's checkpoint when it began. */
  readonly from: unknown;
  /** The answers that it had saved then, if the run answers. */
  readonly answers: number | undefined;
  readonly url: string;
}
