// "threadfold/checkpoint": where graphs keep their threads. All of it is in "threadfold/graph", too, from this file.
export { BaseCheckpointSaver } from "../checkpoint/base-saver.js";
export { IndexedDBSaver, type IndexedDBSaverOptions } from "../checkpoint/indexeddb-saver.js";
export { MemorySaver } from "../checkpoint/memory-saver.js";
export type {
  ChannelVersion,
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointSaver,
  CheckpointSerializer,
  CheckpointTuple,
  GrownLists,
  PendingWrite,
  SavedThread,
} from "../checkpoint/types.js";
