// "threadfold/persist": a thread that outlasts the page, in any storage with getItem and setItem.
export { forgetThread, loadThread } from "../persist/load-thread.js";
export { persist } from "../persist/persist.js";
export type { LoadOptions, PersistOptions } from "../persist/types.js";
