// A graph's state in the words of the threads API.
import { errorWords } from "../../stream/error-words.js";
import {
  questionsOf,
  type GraphConfig,
  type GraphInterrupt,
  type GraphState,
  type GraphTask,
  type RunnableGraph,
} from "../../stream/graph-parts.js";
import { configOf } from "../threads/thread-config.js";

/** The checkpoint that a config names; null if it names none. */
export function checkpointOf(config: GraphConfig | undefined): object | null {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (thread_id === undefined || checkpoint_id === undefined || checkpoint_id === "") return null;
  return {
    thread_id,
    checkpoint_ns: checkpoint_ns ?? "",
    checkpoint_id,
    ...(checkpoint_map !== undefined && { checkpoint_map }),
  };
}

/** The interrupts of a state's tasks. */
export const interruptsOf = (state: GraphState): GraphInterrupt[] => questionsOf(state).map(told);

export function threadStateOf(state: GraphState): object {
  const checkpoint = checkpointOf(state.config);
  const parent = checkpointOf(state.parentConfig);
  return {
    values: state.values ?? {},
    next: state.next ?? [],
    tasks: (state.tasks ?? []).map(taskOf),
    metadata: state.metadata ?? {},
    created_at: state.createdAt ?? null,
    checkpoint,
    parent_checkpoint: parent,
    checkpoint_id: idOf(checkpoint),
    parent_checkpoint_id: idOf(parent),
    interrupts: interruptsOf(state),
  };
}

/** The newest state of a thread; undefined if the graph keeps none, or cannot read it. */
export async function newestOf(graph: RunnableGraph, threadId: string): Promise<GraphState | undefined> {
  if (!graph.checkpointer || !graph.getState) return undefined;
  try {
    return (await graph.getState(configOf(threadId, undefined) as never)) as GraphState;
  } catch {
    return undefined;
  }
}

/** The id of a state's checkpoint; null if it has none. */
export const checkpointIdOf = (state: GraphState | undefined): unknown =>
  state?.config?.configurable?.["checkpoint_id"] ?? null;

const idOf = (checkpoint: object | null) =>
  (checkpoint as { readonly checkpoint_id?: unknown } | null)?.checkpoint_id ?? null;

function taskOf({ id, name, path, error, interrupts = [], state, result }: GraphTask): object {
  const isState = typeof state === "object" && state !== null && "values" in state;
  return {
    id,
    name,
    path: path ?? [],
    error: error === undefined || error === null ? null : errorText(error),
    interrupts: interrupts.map(told),
    checkpoint: isState ? null : ((state as GraphConfig | undefined)?.configurable ?? null),
    state: isState ? threadStateOf(state as GraphState) : null,
    result: result ?? null,
  };
}

const told = ({ id, value }: GraphInterrupt): GraphInterrupt => ({ id, value: value ?? null });

const errorText = (error: unknown): string => (typeof error === "string" ? error : errorWords(error).message);
