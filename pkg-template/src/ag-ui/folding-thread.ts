import type { ThreadfoldError } from "../errors.js";
import type { ThreadEvent } from "../thread-events.js";

/** What folding asks of a thread. The package's `Thread` has it all. */
export interface FoldingThread {
  readonly threadId?: string | undefined;
  /** What the server said. */
  readonly confirmed: object;
  readonly run?: { readonly id?: string | undefined } | undefined;
  message(id: string): object | undefined;
  receive(event: ThreadEvent): void;
  /** Tells the listeners of errors; the thread stays as it is. */
  report(error: ThreadfoldError, event?: unknown): void;
}
