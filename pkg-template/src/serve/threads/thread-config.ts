// The config by which a graph finds a thread, and a checkpoint of it.
import type { GraphConfig } from "../../stream/graph-parts.js";
import { checkId } from "../http.js";
import { OWNER_NAMESPACE } from "../owners.js";
import { Refusal } from "../refusal.js";

/**
 * Configs name a checkpoint by fields of `configurable`. A run begins in the root, or at a checkpoint that is named; a
 * state is also that of a nested graph, by `checkpoint_ns` alone.
 *
 * @throws {@link Refusal} 422 for an id that is not a string.
 */
export function configOf(
  threadId: string,
  checkpoint?: unknown,
  isState = false,
): { configurable: Record<string, unknown> } {
  const named =
    typeof checkpoint === "object" ? (checkpoint as GraphConfig["configurable"])?.checkpoint_id : checkpoint;
  if (named !== undefined && named !== null && typeof named !== "string")
    throw new Refusal(422, "A checkpoint_id should be a string.");
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = (
    typeof checkpoint === "string" ? { checkpoint_id: checkpoint } : (checkpoint ?? {})
  ) as Record<string, unknown>;
  if (checkpoint_ns != null && typeof checkpoint_ns !== "string")
    throw new Refusal(422, "A checkpoint_ns should be a string.");
  for (const id of [threadId, checkpoint_id, checkpoint_ns]) checkId(id);
  if (checkpoint_ns === OWNER_NAMESPACE)
    throw new Refusal(422, `No graph has the checkpoint_ns ${OWNER_NAMESPACE}: name the root's, "", or a subgraph's.`);
  return {
    configurable: {
      thread_id: threadId,
      ...(checkpoint_id !== undefined &&
        checkpoint_id !== null && { checkpoint_id, checkpoint_ns: checkpoint_ns ?? "" }),
      ...(isState && checkpoint_id == null && checkpoint_ns && { checkpoint_ns }),
      ...(checkpoint_map !== undefined && checkpoint_map !== null && { checkpoint_map }),
    },
  };
}
