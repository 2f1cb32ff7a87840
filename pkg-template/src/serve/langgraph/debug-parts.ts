// Checkpoints in the stream, in the words of the API: `debug` and `checkpoints`.
import { isDict, type Dict } from "../../langgraph/merge.js";
import type { GraphConfig } from "../../stream/graph-parts.js";
import { checkpointOf } from "./thread-state.js";

/** Returns a part's payload with the checkpoint that it is of, and the one before. */
export function withCheckpoints(mode: string, payload: unknown): unknown {
  if (!isDict(payload)) return payload;
  if (mode === "checkpoints") return named(payload);
  const { type, payload: inner } = payload;
  return type === "checkpoint" && isDict(inner) ? { ...payload, payload: named(inner) } : payload;
}

function named({ parentConfig, ...state }: Dict): object {
  const parent = parentConfig as GraphConfig | undefined;
  return {
    ...state,
    parent_config: parent ?? null,
    checkpoint: checkpointOf(state["config"] as GraphConfig | undefined),
    parent_checkpoint: checkpointOf(parent),
  };
}
