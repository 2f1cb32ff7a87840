// "threadfold/checkpoint": where graphs keep their threads. All of it is in "threadfold/graph", too, from this file.
export { BaseCheckpointSaver } from "../checkpoint/base-saver.js";
export { IndexedDBSaver, type IndexedDBSaverOptions } from "../checkpoint/indexeddb-saver.js";
export { MemorySaver } from "../checkpoint/memory-saver.js";
export type {
  Checkpoint,
  CheckpointConfig,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointTuple,
  PendingWrite,
} from "../checkpoint/types.js";
