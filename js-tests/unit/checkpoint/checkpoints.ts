// Checkpoints to save, in the order of their ids.
import type { BaseCheckpointSaver } from "threadfold/graph";

type Checkpoint = Parameters<BaseCheckpointSaver["put"]>[1];
type Grown = Parameters<BaseCheckpointSaver["put"]>[4];

/** The id of the checkpoint of this number: a UUID of version 6, as far as savers look. */
export const idOf = (number: number) => `1f000000-0000-6000-8000-${String(number).padStart(12, "0")}`;

export const configOf = (thread: string, number?: number) => ({
  configurable: { thread_id: thread, checkpoint_ns: "", ...(number !== undefined && { checkpoint_id: idOf(number) }) },
});

export function checkpoint(number: number, values: Record<string, unknown>): Checkpoint {
  return {
    v: 4,
    id: idOf(number),
    ts: new Date(number).toISOString(),
    channel_values: values,
    channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, number + 1])),
    versions_seen: {},
  };
}

/** Saves these values as checkpoint `number` after `parent`; every channel is new. */
export async function put(
  saver: BaseCheckpointSaver,
  values: Record<string, unknown>,
  { thread = "1", number, parent, grown }: { thread?: string; number: number; parent?: number; grown?: Grown },
) {
  const made = checkpoint(number, values);
  const metadata = { source: "loop" as const, step: number, parents: {} };
  return saver.put(configOf(thread, parent), made, metadata, made.channel_versions, grown);
}

/** The values of a checkpoint: by default the newest. */
export async function valuesOf(saver: BaseCheckpointSaver, number?: number, thread = "1") {
  return (await saver.getTuple(configOf(thread, number)))?.checkpoint.channel_values;
}
