"use client";
// "threadfold/react": a thread, or a part of it, in a component. React 18 or later.
export { useMessage, useMessageIds, type MessageIdsStore, type MessageStore } from "../react/use-message.js";
export { usePending, type PendingStore } from "../react/use-pending.js";
export { useRun, type RunStore } from "../react/use-run.js";
export { useThread, type ThreadStore } from "../react/use-thread.js";
