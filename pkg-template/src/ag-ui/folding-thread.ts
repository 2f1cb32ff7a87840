import type { ReceivingThread } from "../stream/delivery.js";

/** What folding asks of a thread. The package's `Thread` has it all. */
export interface FoldingThread extends ReceivingThread {
  readonly threadId?: string | undefined;
  /** The ids of messages that are not whole. */
  readonly incompleteIds: readonly string[];
  getState(): object;
  /** Returns what the server has of a field. */
  said(key: string): unknown;
}
