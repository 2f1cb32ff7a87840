import type { ReceivingThread } from "../stream/delivery.js";

/** The methods that folding needs from a thread. The package's `Thread` has them all. */
export interface FoldingThread extends ReceivingThread {
  readonly threadId?: string | undefined;
  /** The ids of messages that are not whole. */
  readonly incompleteIds: readonly string[];
  getState(): object;
  /** Returns the server's value of a field. */
  said(key: string): unknown;
}
