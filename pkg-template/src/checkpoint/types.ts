// The interface of a checkpoint saver, shaped like langgraph.js's BaseCheckpointSaver. Nothing is imported from it.

/** The part of a LangChain config that a saver reads and answers with. */
export interface CheckpointConfig {
  configurable?: Configurable;
}

/** Where a checkpoint is: its thread, its namespace (`""` for the graph itself), and its id (without it, the newest). */
export interface Configurable {
  thread_id?: string | undefined;
  checkpoint_ns?: string | undefined;
  checkpoint_id?: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- as LangChain declares it
  [key: string]: any;
}

export type ChannelVersion = number | string;
export type ChannelVersions = Record<string, ChannelVersion>;

/** A checkpoint in LangGraph's format 4. */
export interface Checkpoint {
  v: number;
  /** A UUID of version 6: ids sort by time. */
  id: string;
  /** When it was made, in ISO 8601. */
  ts: string;
  channel_values: Record<string, unknown>;
  channel_versions: ChannelVersions;
  /** For each node, the versions of the channels that it has seen. */
  versions_seen: Record<string, ChannelVersions>;
}

/** Says what made a checkpoint. Configs may add keys of their own. */
export interface CheckpointMetadata {
  source: "input" | "loop" | "update" | "fork";
  /** −1 for the first input, 0 for the first step of a thread. */
  step: number;
  /** The id of the checkpoint of each graph around this one, by namespace. */
  parents: Record<string, string>;
  /** For each channel that is kept as deltas: updates and steps since its last snapshot. */
  counters_since_delta_snapshot?: Record<string, [number, number]>;
}

/** A write of a task: its channel and value. */
export type PendingWrite = [channel: string, value: unknown];
export type CheckpointPendingWrite = [taskId: string, channel: string, value: unknown];

/** A checkpoint with what belongs to it. */
export interface CheckpointTuple {
  config: CheckpointConfig;
  checkpoint: Checkpoint;
  metadata?: CheckpointMetadata;
  parentConfig?: CheckpointConfig;
  /** The writes of tasks that ran after this checkpoint, in an unfinished step. */
  pendingWrites?: CheckpointPendingWrite[];
}

/** Which checkpoints to list. */
export interface CheckpointListOptions {
  limit?: number;
  /** Only those with a smaller id than this config's. */
  before?: CheckpointConfig;
  /** Only those whose metadata has these values. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as langgraph.js declares it
  filter?: Record<string, any>;
}

/** Turns values into bytes and back, under a name of the encoding. */
export interface CheckpointSerializer {
  // oxlint-disable-next-line typescript/no-explicit-any -- as langgraph.js declares it
  dumpsTyped(value: any): Promise<[string, Uint8Array]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as langgraph.js declares it
  loadsTyped(type: string, data: Uint8Array | string): Promise<any>;
}

/** The lists that only got longer with a checkpoint: what each was before, by channel. */
export type GrownLists = Readonly<Record<string, readonly unknown[]>>;

/** A thread that a saver has. The times are ISO 8601, of its first checkpoint and of its newest. */
export interface SavedThread {
  readonly threadId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * Keeps checkpoints: any class that extends langgraph.js's `BaseCheckpointSaver` (SQLite, Postgres, Redis, MongoDB),
 * the savers here, or your own.
 */
export interface CheckpointSaver {
  serde?: CheckpointSerializer;
  getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined>;
  /** Newest first. */
  list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncIterable<CheckpointTuple>;
  /**
   * Saves a checkpoint after the one that `config` names, and returns its own config. `grown` lets the savers here skip
   * comparing long lists; other savers may ignore it.
   */
  put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig>;
  /** Saves what a task wrote, beside the checkpoint that `config` names. */
  putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
  /** All threads, in any order. A search for threads reads all checkpoints of a saver that has not got it. */
  listThreads?(): AsyncIterable<SavedThread> | Iterable<SavedThread>;
  // oxlint-disable-next-line typescript/no-explicit-any -- savers have versions of numbers or of strings
  getNextVersion?(current: any): any;
}
