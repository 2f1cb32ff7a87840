// "threadfold/persist": a thread that outlasts the page, in any storage with getItem and setItem.
export { loadThread } from "../persist/load-thread.js";
export { persist, type PersistedThread } from "../persist/persist.js";
export type { LoadOptions, PersistOptions, ThreadStorage } from "../persist/types.js";
