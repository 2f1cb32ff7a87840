// Channels that are kept as deltas: a value is its last snapshot and the writes since, found along the ancestors.
import type { CheckpointConfig, CheckpointPendingWrite, CheckpointSaver } from "./types.js";

/** One channel's data in the ancestors: the nearest kept value, if there is one, and the writes since. */
export interface DeltaHistory {
  writes: CheckpointPendingWrite[];
  seed?: unknown;
}

/**
 * Walks from the parent of the checkpoint that `config` names to the nearest ancestor that has a value of each channel.
 * The writes of that ancestor belong to it: they were made on top of its value.
 */
export async function deltaHistory(
  saver: Pick<CheckpointSaver, "getTuple">,
  config: CheckpointConfig,
  channels: readonly string[],
): Promise<Record<string, DeltaHistory>> {
  const histories = new Map(channels.map((channel): [string, DeltaHistory] => [channel, { writes: [] }]));
  const steps = new Map(channels.map((channel): [string, CheckpointPendingWrite[][]] => [channel, []]));
  const open = new Set(channels);
  let next = open.size > 0 ? (await saver.getTuple(config))?.parentConfig : undefined;
  while (next !== undefined && open.size > 0) {
    const tuple = await saver.getTuple(next);
    if (tuple === undefined) break;
    for (const channel of open) {
      const writes = (tuple.pendingWrites ?? []).filter((write) => write[1] === channel);
      // In the order of the tasks' ids, as langgraph.js has it: a saver may answer in any.
      steps.get(channel)?.push(writes.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
      if (!Object.hasOwn(tuple.checkpoint.channel_values, channel)) continue;
      (histories.get(channel) as DeltaHistory).seed = tuple.checkpoint.channel_values[channel];
      open.delete(channel);
    }
    next = tuple.parentConfig;
  }
  for (const [channel, { writes }] of histories) {
    const newestFirst = steps.get(channel) as CheckpointPendingWrite[][];
    for (let at = newestFirst.length - 1; at >= 0; at--) writes.push(...(newestFirst[at] as CheckpointPendingWrite[]));
  }
  return Object.fromEntries(histories);
}
