// Savers of langgraph.js: what they keep, langgraph.js has to be able to read.
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

/** The saver as a graph uses it. `messages` are the fields that hold messages. */
export function saverFor(saver: CheckpointSaver, messages: readonly string[]): CheckpointSaver {
  const raw = saver instanceof LangGraphSaver ? saver.raw : saver;
  const keepsDicts = (raw as { keepsDicts?: unknown }).keepsDicts === true;
  return keepsDicts || messages.length === 0 ? raw : new LangGraphSaver(raw, messages);
}

/**
 * A saver whose serializer makes instances of messages, on which nodes of langgraph.js count. It gets the dicts of a state
 * as records of instances, and what it gives back are dicts again.
 */
class LangGraphSaver implements CheckpointSaver {
  readonly raw: CheckpointSaver;
  readonly #messages: readonly string[];

  constructor(raw: CheckpointSaver, messages: readonly string[]) {
    this.raw = raw;
    this.#messages = messages;
  }

  async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.raw.getTuple(config);
    return tuple && this.#read(tuple);
  }

  async *list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.raw.list(config, options)) yield this.#read(tuple);
  }

  put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig> {
    const channel_values = this.#changed(checkpoint.channel_values, toRecords);
    return this.raw.put(config, { ...checkpoint, channel_values }, metadata, newVersions, grown);
  }

  putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void> {
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

  #read(tuple: CheckpointTuple): CheckpointTuple {
    const { checkpoint, pendingWrites } = tuple;
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
