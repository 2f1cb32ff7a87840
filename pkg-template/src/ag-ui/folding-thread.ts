import type { ReceivingThread } from "../stream/delivery.js";
import type { INSIDE, Inside } from "../thread/inside.js";

/** The methods that folding needs from a thread. The package's `Thread` has them all. */
export interface FoldingThread extends ReceivingThread {
  readonly threadId?: string | undefined;
  /** The ids of messages that are not whole. */
  readonly incompleteIds: readonly string[];
  getState(): object;
  readonly [INSIDE]: Pick<Inside, "had" | "report" | "reports" | "said" | "unpredicted">;
}
