// Methods that every saver here has, and that langgraph.js calls on a saver.
import { deltaHistory, type DeltaHistory } from "./delta-history.js";
import { jsonSerializer } from "./serializer.js";
import type {
  ChannelVersion,
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointSerializer,
  CheckpointTuple,
  GrownLists,
  PendingWrite,
  SavedThread,
} from "./types.js";

/**
 * A saver to extend: the part of langgraph.js's class of that name that is the same for every storage. Either's
 * subclasses work in either's graphs.
 */
export abstract class BaseCheckpointSaver implements CheckpointSaver {
  serde: CheckpointSerializer = jsonSerializer;
  /** Messages that are plain dicts stay so here, while langgraph.js's savers make instances of them. */
  readonly keepsDicts = true;

  abstract getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined>;
  abstract list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
  abstract put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig>;
  abstract putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void>;
  abstract deleteThread(threadId: string): Promise<void>;
  listThreads?(): AsyncIterable<SavedThread> | Iterable<SavedThread>;

  async get(config: CheckpointConfig): Promise<Checkpoint | undefined> {
    return (await this.getTuple(config))?.checkpoint;
  }

  /** The version after `current`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- langgraph.js leaves the type of versions to the saver
  getNextVersion(current: ChannelVersion | undefined): any {
    return typeof current === "number" ? current + 1 : 1;
  }

  /** The writes of a checkpoint's ancestors to channels that are kept as deltas, oldest first. */
  getDeltaChannelHistory(options: {
    config: CheckpointConfig;
    channels: string[];
  }): Promise<Record<string, DeltaHistory>> {
    return deltaHistory(this, options.config, options.channels);
  }

  /** A saver in a config is not data: JSON shows its name. */
  toJSON(): string {
    return `[${this.constructor.name}]`;
  }
}
