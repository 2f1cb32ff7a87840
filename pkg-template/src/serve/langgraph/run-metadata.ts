// A run's metadata and ids, in its nodes' configs and in its checkpoints, as LangGraph's servers have them.
import type { CheckpointSaver } from "../../checkpoint/types.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import type { RunKey } from "../run-stores/run-store.js";
import type { RunRequest } from "./run-request.js";

interface NamedRun extends RunKey {
  readonly assistantId: string;
  readonly request: RunRequest;
}

/** Keys of a checkpoint's metadata by which a graph reads its checkpoints: no client may set them. */
const OF_GRAPHS = ["source", "step", "parents", "counters_since_delta_snapshot", "delta_writes_versioned"];

/** Returns the metadata that a run's nodes see. The program's own goes before the client's. */
export function metadataOf(
  { id, assistantId, request: { metadata, config } }: NamedRun,
  own: object | undefined,
): Record<string, unknown> {
  return {
    ...(config?.["metadata"] as object | null | undefined),
    ...(metadata as object | null | undefined),
    ...own,
    run_id: id,
    graph_id: assistantId,
    assistant_id: assistantId,
  };
}

/**
 * Returns the part of a run's config that puts the run's metadata into its checkpoints.
 *
 * @param seen - The metadata that its nodes see.
 */
export function savedWith(
  graph: RunnableGraph,
  threadId: string,
  seen: object,
  attempt: number,
): { config?: object; configurable?: object } {
  const given = Object.entries({ ...seen, thread_id: threadId, run_attempt: attempt });
  const metadata = Object.fromEntries(given.filter(([name]) => !OF_GRAPHS.includes(name)));
  if (graph.keepsLeft === true) return { config: { checkpointMetadata: metadata } };
  const { checkpointer } = graph;
  // langgraph.js takes a saver from a graph around.
  return typeof checkpointer === "object" && checkpointer !== null
    ? { configurable: { __pregel_checkpointer: marking(checkpointer as CheckpointSaver, metadata) } }
    : {};
}

/** Returns a saver that adds metadata to each checkpoint. */
function marking(saver: CheckpointSaver, more: object): CheckpointSaver {
  const put: CheckpointSaver["put"] = (config, checkpoint, metadata, ...rest) =>
    saver.put(config, checkpoint, { ...more, ...metadata }, ...rest);
  return new Proxy(saver, {
    get(of, name) {
      if (name === "put") return put;
      const value: unknown = Reflect.get(of, name, of);
      // Its private fields are not the proxy's.
      return typeof value === "function" && name !== "constructor" ? (value as () => unknown).bind(of) : value;
    },
  });
}
