// Checkpoints in the stream, in the words of the API: `debug` and `checkpoints`.
import { isDict, type Dict } from "../../shared/dict.js";
import type { GraphConfig } from "../../stream/graph-parts.js";
import { checkpointOf } from "./thread-state.js";

/** Returns a part's payload with the checkpoint that it is of, and the one before. */
export function withCheckpoints(mode: string, payload: unknown): unknown {
  if (!isDict(payload)) return payload;
  if (mode === "checkpoints") return named(payload);
  const { type, payload: inner } = payload;
  return type === "checkpoint" && isDict(inner) ? { ...payload, payload: named(inner) } : payload;
}

function named({ parentConfig, config, tasks, ...state }: Dict): object {
  const parent = parentConfig as GraphConfig | undefined;
  return {
    ...state,
    ...(config !== undefined && { config: shownConfig(config) }),
    ...(Array.isArray(tasks) && { tasks: tasks.map(placed) }),
    parent_config: parent === undefined ? null : shownConfig(parent),
    checkpoint: checkpointOf(config as GraphConfig | undefined),
    parent_checkpoint: checkpointOf(parent),
  };
}

/** The fields of a config that are the caller's. The others, such as the saver and callbacks, are the program's objects. */
const SHOWN = ["metadata", "tags", "recursionLimit", "runName", "runId"];

/** The fields of `configurable` that name a checkpoint. The others may hold a secret: the program's, or another user's. */
const PLACE = ["thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"];

function shownConfig(config: unknown): unknown {
  if (!isDict(config)) return config;
  const { configurable } = config;
  const shown = Object.entries(config).filter(([name]) => SHOWN.includes(name));
  const places = Object.entries(isDict(configurable) ? configurable : {}).filter(([name]) => PLACE.includes(name));
  return { ...Object.fromEntries(shown), configurable: Object.fromEntries(places) };
}

/** A task with the checkpoint of the graph inside it, in place of that graph's config. */
function placed(task: unknown): unknown {
  if (!isDict(task) || !isDict(task["state"]) || !("configurable" in task["state"])) return task;
  const { state, ...rest } = task;
  return { ...rest, checkpoint: (shownConfig(state) as { configurable: object }).configurable };
}
