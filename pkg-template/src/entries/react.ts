"use client";
// "threadfold/react": a chat, a thread, or a part of it, in a component. React 18 or later.
export { useChat, type Chat } from "../react/use-chat.js";
export { useBranches, type Branches, type BranchRunner } from "../react/use-branches.js";
export { useMessage, useMessageIds } from "../react/use-message.js";
export { usePending } from "../react/use-pending.js";
export { useRun } from "../react/use-run.js";
export { useSubagents } from "../react/use-subagents.js";
export { useThread } from "../react/use-thread.js";
export { useToolResult } from "../react/use-tool-result.js";
