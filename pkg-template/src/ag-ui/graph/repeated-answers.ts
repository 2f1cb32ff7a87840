// The answers that a thread keeps: an answer that comes again continues its run, and no other answer does.
import type { CheckpointConfig, CheckpointSaver, CheckpointTuple } from "../../checkpoint/types.js";
import { INTERRUPT } from "../../graph/build/interrupt.js";
import { NULL_TASK, RESUME } from "../../graph/saved/saved-writes.js";
import { isInterruptId } from "../../shared/interrupt-id.js";
import { sameJson } from "../../shared/same-json.js";
import type { GraphInterrupt, GraphState, RunnableGraph } from "../../stream/graph-parts.js";
import { commandOf, isRejection, type GraphRunInput, type ResumeEntry } from "./graph-input.js";

/** The answers that are saved with one checkpoint. */
interface Saved {
  /** By the ids of their questions. */
  readonly byId: ReadonlyMap<unknown, unknown>;
  /** The last one of each task, or of the call. */
  readonly last: readonly unknown[];
}

/**
 * Saves answers by the ids of their questions, with the checkpoint that asks. langgraph.js does the same, and no task reads
 * them there. A question of a graph inside leaves nothing else with the thread's own checkpoints.
 */
export async function saveAnswers(graph: RunnableGraph, known: GraphState | undefined, resume: unknown): Promise<void> {
  const { putWrites } = saverOf(graph);
  const config = known?.config as CheckpointConfig | undefined;
  if (!putWrites || config?.configurable?.["checkpoint_id"] === undefined) return;
  for (const [id, answer] of Object.entries((resume ?? {}) as object))
    if (isInterruptId(id)) await putWrites.call(graph.checkpointer, config, [[RESUME, [answer]]], id);
}

/** Whether a request repeats the answers that the thread was given last, since its last input. */
export async function repeatsAnswers(
  graph: RunnableGraph,
  known: GraphState | undefined,
  input: GraphRunInput,
): Promise<boolean> {
  const saved = await lastAnswers(graph, known?.config as CheckpointConfig | undefined);
  if (!saved) return false;
  const { byId, last } = saved;
  const isSaved = ({ interruptId, status, payload = null }: ResumeEntry) => {
    // An id of the client's own names whatever was asked.
    const given = byId.has(interruptId) ? [byId.get(interruptId)] : isInterruptId(interruptId) ? [] : last;
    const isSame = (one: unknown) => (status === "cancelled" ? isRejection(one) : sameJson(one, payload));
    return given.length > 0 && given.every(isSame);
  };
  if (input.resume && input.resume.length > 0) return input.resume.every(isSaved);
  return last.every((one) => sameJson(one, commandOf(input)));
}

async function lastAnswers(graph: RunnableGraph, config: CheckpointConfig | undefined): Promise<Saved | undefined> {
  const { getTuple } = saverOf(graph);
  if (!getTuple) return undefined;
  let at = config;
  while (at?.configurable) {
    const tuple: CheckpointTuple | undefined = await getTuple.call(graph.checkpointer, at);
    const saved = answersIn(tuple);
    if (saved.last.length > 0) return saved;
    const source = tuple?.metadata?.source;
    at = source === "input" || source === "update" || source === "fork" ? undefined : tuple?.parentConfig;
  }
  return undefined;
}

function answersIn({ pendingWrites = [] }: Partial<CheckpointTuple> = {}): Saved {
  const byTask = new Map<string, unknown>();
  const byId = new Map<unknown, unknown>();
  for (const [task, channel, value] of pendingWrites)
    if (channel === RESUME) (isInterruptId(task) ? byId : byTask).set(task, task === NULL_TASK ? value : lastOf(value));
  const last = [...(byTask.size > 0 ? byTask : byId).values()];
  for (const [task, channel, value] of pendingWrites) {
    const answered = channel === INTERRUPT ? [task, NULL_TASK].find((one) => byTask.has(one)) : undefined;
    if (answered === undefined) continue;
    const asked = ([value].flat() as GraphInterrupt[]).filter(({ id }) => !byId.has(id));
    for (const { id } of asked) byId.set(id, byTask.get(answered));
  }
  return { byId, last };
}

const lastOf = (value: unknown): unknown => [value].flat().at(-1);

const saverOf = ({ checkpointer }: RunnableGraph) => (checkpointer ?? {}) as Partial<CheckpointSaver>;
