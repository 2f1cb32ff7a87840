// Checks a run's answers when its turn has come: runs before it may have answered since.
import type { ResumeEntry } from "../../ag-ui/graph/graph-input.js";
import { isInterruptId } from "../../shared/interrupt-id.js";
import { questionsOf, type RunnableGraph } from "../../stream/graph-parts.js";
import { checkUnchanged, isUnnamed, mayShare, tooLate, UNNAMED } from "../late-answers.js";
import type { RunStore, StoredRun } from "../run-stores/run-store.js";
import { savedAnswers } from "../saved-answers.js";
import { configOf } from "../threads/thread-config.js";
import { SERVER, type Run, type RunFacts } from "./run.js";
import { checkpointIn } from "./run-input.js";
import type { RunRequest } from "./run-request.js";
import { checkpointIdOf, newestOf } from "./thread-state.js";

/** The answers of a request. LangGraph takes only a map of its ids for answers by id. */
export function answersOfRequest({ command }: RunRequest): readonly ResumeEntry[] {
  const resume = command?.resume;
  if (resume === undefined || resume === null) return [];
  const named = typeof resume === "object" && !Array.isArray(resume) ? Object.entries(resume) : [];
  const areIds = named.length > 0 && named.every(([id]) => isInterruptId(id));
  return (areIds ? named : [[UNNAMED, resume] as const]).map(([interruptId, payload]) => ({
    interruptId,
    status: "resolved",
    payload,
  }));
}

/** A request for a run; once its turn has come, also the run. */
type Answering = Pick<Run, "threadId" | "request"> & Partial<Pick<Run, "id" | "lease">>;

/**
 * Refuses answers to questions that the thread does not ask any more.
 *
 * @throws {@link Refusal} 400 if a run before it has answered, or another question is open.
 */
export async function checkAsked(
  graph: RunnableGraph,
  { id, threadId, request, lease }: Answering,
  store: RunStore,
): Promise<void> {
  const answers = answersOfRequest(request);
  if (answers.length === 0) return;
  const state = await newestOf(graph, threadId);
  const { checkpoint_id: place } = configOf(threadId, checkpointIn(request)).configurable;
  // An earlier checkpoint asks its question once more.
  if (place !== undefined && place !== checkpointIdOf(state)) return;
  const isGiven = ({ server, about }: StoredRun) => server === SERVER && (about as RunFacts).hasBegun === true;
  const given = (await store.runs({ threadId })).filter((other) => other.id !== id && isGiven(other));
  const before = new Set(lease?.before.map((one) => one.id));
  // In langgraph.js the next question of a task has the same id.
  const taken = answersGiven(given.filter((other) => before.has(other.id) && isTaken(other)));
  const asked = questionsOf(state);
  const isElsewhere = asked.length > 0 && asked.every((question) => question.id !== undefined);
  const isLate = (answer: ResumeEntry) =>
    taken.some((other) => mayShare(other, answer)) ||
    (isElsewhere && !isUnnamed(answer) && !asked.some((question) => question.id === answer.interruptId));
  const late = answers.find(isLate);
  if (late) throw tooLate(late);
  await checkUnchanged(answers, answersGiven(given), async () => state);
}

const answersGiven = (runs: readonly StoredRun[]) =>
  runs.flatMap(({ about }) => answersOfRequest((about as RunFacts).request));

/** Whether a run that is over has used its answers: one that failed, or was stopped, may have left its question open. */
const isTaken = ({ isStopped, about }: StoredRun): boolean => {
  const { status } = about as RunFacts;
  return !isStopped && (status === "success" || status === "interrupted");
};

/** The answers that a thread has saved before a run that answers; undefined for any other run. */
export async function answersBefore(graph: RunnableGraph, { threadId, request }: Run): Promise<number | undefined> {
  return answersOfRequest(request).length > 0 ? savedAnswers(graph, threadId) : undefined;
}
