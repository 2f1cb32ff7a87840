import type { ThreadfoldError } from "../errors.js";
import type { ThreadEvent } from "../thread-events.js";

/** What folding asks of a thread. The package's `Thread` has it all. */
export interface FoldingThread {
  readonly threadId?: string | undefined;
  /** What the server said. */
  readonly confirmed: object;
  readonly run: { readonly id?: string | undefined; readonly status: string };
  /** The ids of messages that are not whole. */
  readonly streaming: readonly string[];
  getState(): object;
  message(id: string): object | undefined;
  /** Whether the run has had the part of this id. */
  had(id: string): boolean;
  receive(event: ThreadEvent): void;
  /** Tells the listeners of errors; the thread stays as it is. */
  report(error: ThreadfoldError, event?: unknown): void;
}
