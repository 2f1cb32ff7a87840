// Checkpoints of LangGraph's older formats, whose Sends are not among their values yet.
import type { ChannelVersion, Checkpoint, CheckpointPendingWrite } from "./types.js";

const TASKS = "__pregel_tasks";

/** Before format 4, the Sends of a checkpoint were only among the writes of its parent. */
export function withPendingSends(checkpoint: Checkpoint, ofParent: Iterable<CheckpointPendingWrite>): Checkpoint {
  const sends = [...ofParent].filter(([, channel]) => channel === TASKS).map(([, , send]) => send);
  const versions = Object.values(checkpoint.channel_versions);
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: versions.length === 0 ? 1 : versions.reduce(newer) },
  };
}

const newer = (a: ChannelVersion, b: ChannelVersion): ChannelVersion => (a > b ? a : b);
