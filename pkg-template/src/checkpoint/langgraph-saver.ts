// Savers of langgraph.js: langgraph.js must be able to read their data.
import { type DeltaField, DeltaFields } from "./delta-fields.js";
import { fromRecords, toRecords } from "./message-values.js";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointSaver,
  CheckpointTuple,
  GrownLists,
  PendingWrite,
} from "./types.js";

/** The information about a graph's fields that a saver of langgraph.js needs. */
export interface SavedFields {
  /** Those that hold messages. */
  readonly messages: readonly string[];
  /** Those that are kept as deltas. */
  readonly deltas: readonly DeltaField[];
}

/** The saver as a graph uses it. */
export function saverFor(saver: CheckpointSaver, fields: SavedFields): CheckpointSaver {
  const raw = saver instanceof LangGraphSaver ? saver.raw : saver;
  return isOurs(raw) && fields.deltas.length === 0 ? raw : new LangGraphSaver(raw, fields);
}

const isOurs = (saver: CheckpointSaver) => (saver as { keepsDicts?: unknown }).keepsDicts === true;

/** A checkpoint that a run may continue from although it is not the newest of its thread. */
export interface PastTuple extends CheckpointTuple {
  /** The highest version of the thread's newest checkpoint. */
  readonly highest?: number;
}

/**
 * A saver whose serializer makes instances of messages, on which nodes of langgraph.js count. It gets the dicts of a
 * state as records of instances, and what it gives back are dicts again.
 *
 * PostgresSaver keeps one value for each version of a channel, so a fork must not count like its sibling branch.
 * langgraph.js does that, and its forks get the sibling's values. Here a fork gets the thread's highest versions.
 */
class LangGraphSaver implements CheckpointSaver {
  readonly raw: CheckpointSaver;
  readonly #messages: readonly string[];

  readonly #deltas: DeltaFields;

  constructor(raw: CheckpointSaver, { messages, deltas }: SavedFields) {
    this.raw = raw;
    // Ours keep dicts as they are, and every list as what changed; but langgraph.js may have left deltas there.
    this.#messages = isOurs(raw) ? [] : messages;
    this.#deltas = new DeltaFields(deltas);
  }

  async getTuple(config: CheckpointConfig): Promise<PastTuple | undefined> {
    const tuple = await this.raw.getTuple(config);
    if (tuple === undefined) return undefined;
    const { checkpoint_id, ...thread } = config.configurable ?? {};
    const newest = checkpoint_id ? await this.raw.getTuple({ configurable: thread }) : undefined;
    return { ...(await this.#read(tuple)), ...(newest && { highest: highestOf(newest) }) };
  }

  async *list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.raw.list(config, options)) yield await this.#read(tuple);
  }

  put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig> {
    const parent = config.configurable?.checkpoint_id;
    if (isOurs(this.raw)) return this.raw.put(config, checkpoint, metadata, newVersions, grown);
    const [kept, counted] = this.#deltas.write(parent, checkpoint, metadata, newVersions);
    const channel_values = this.#changed(kept.channel_values, toRecords);
    return this.raw.put(config, { ...kept, channel_values }, counted, newVersions, grown);
  }

  putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    this.#deltas.wrote(config.configurable?.checkpoint_id, writes, taskId);
    return this.raw.putWrites(config, writes, taskId);
  }

  deleteThread(threadId: string): Promise<void> {
    return this.raw.deleteThread(threadId);
  }

  #changed(values: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown): Record<string, unknown> {
    const changed = { ...values };
    for (const name of this.#messages) if (name in changed) changed[name] = change(changed[name]);
    return changed;
  }

  async #read(tuple: CheckpointTuple): Promise<CheckpointTuple> {
    const { pendingWrites } = tuple;
    const checkpoint = await this.#deltas.read(this.raw, tuple);
    const channel_values = this.#changed(checkpoint.channel_values, fromRecords);
    const read: CheckpointTuple = { ...tuple, checkpoint: { ...checkpoint, channel_values } };
    if (pendingWrites) read.pendingWrites = pendingWrites.map((write) => this.#readWrite(write));
    return read;
  }

  #readWrite(write: CheckpointPendingWrite): CheckpointPendingWrite {
    const [taskId, channel, value] = write;
    return this.#messages.includes(channel) ? [taskId, channel, fromRecords(value)] : write;
  }
}

function highestOf({ checkpoint }: CheckpointTuple): number {
  return Math.max(
    0,
    ...Object.values(checkpoint.channel_versions).map((version) => Number.parseInt(String(version), 10)),
  );
}
