// "threadfold/agent/backends": files that are elsewhere than in an agent's state.
export { compositeBackend } from "../../agent/backends/composite.js";
export { createMemoryMiddleware, type MemoryOptions } from "../../agent/middleware/memory.js";
export { type FileStore, storeBackend } from "../../agent/backends/store.js";
export type { CompositeBackend, FileBackend, FileInfo, FilesNeeded } from "../../agent/backends/types.js";
