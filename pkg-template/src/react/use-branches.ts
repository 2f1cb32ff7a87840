// A message's branches, in a component.
import { useSyncExternalStore } from "react";
import type { Branches } from "../branches/branch-tree.js";
import { branchesOf } from "../branches/thread-branches.js";
import type { BranchSource } from "../runner/branch-source.js";
import type { RunResult } from "../stream/run-result.js";

export type { Branches };

/** Any runner with branches, whatever its protocol and its schema: for a component that shows and switches them. */
export interface BranchRunner extends BranchSource {
  switchBranch(messageId: string): Promise<RunResult>;
}

/**
 * Returns the alternatives of a message, if it has more than one: `regenerate()` and edits keep what they replace.
 * Switch by `runner.switchBranch`. They are read from the server's checkpoints, so they survive a reload and are the same on
 * another device. Undefined while the message is edited, and on a server.
 *
 * Without a `messageId`, returns the branches of all messages that have any: for a component that draws the tree itself.
 *
 * @param runner - Its transport must have a history: `LangGraphRunner` does, and `AgUiRunner` of `serveAgUi` with `resumable: true`.
 *
 * @example
 * ```tsx
 * import { useBranches, type BranchRunner } from "threadfold/react";
 *
 * export function BranchPicker({ runner, id }: { runner: BranchRunner; id: string }) {
 *   const branches = useBranches(runner, id);
 *   if (!branches) return null;
 *   const { ids, current } = branches;
 *   const to = (at: number) => () => void runner.switchBranch(ids[at] ?? "");
 *   return (
 *     <span>
 *       <button disabled={current === 0} onClick={to(current - 1)}>Previous</button>
 *       {current + 1} / {ids.length}
 *       <button disabled={current === ids.length - 1} onClick={to(current + 1)}>Next</button>
 *     </span>
 *   );
 * }
 * ```
 */
export function useBranches(runner: BranchSource, messageId: string): Branches | undefined;
export function useBranches(runner: BranchSource): ReadonlyMap<string, Branches>;
export function useBranches(
  runner: BranchSource,
  messageId?: string,
): Branches | ReadonlyMap<string, Branches> | undefined {
  const store = branchesOf(runner);
  const now = () => (messageId === undefined ? store.all() : store.of(messageId));
  return useSyncExternalStore(store.subscribe, now, messageId === undefined ? () => NONE : none);
}

const NONE: ReadonlyMap<string, Branches> = new Map();
const none = () => undefined;
