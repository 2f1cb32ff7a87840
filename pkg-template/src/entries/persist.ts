// "threadfold/persist": a thread that outlasts the page, in any storage with getItem and setItem.
export { loadThread, type LoadOptions } from "../persist/load-thread.js";
export { persist, type PersistedThread, type PersistOptions } from "../persist/persist.js";
export type { ThreadStorage } from "../persist/storage.js";
