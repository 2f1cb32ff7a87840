// The end of a thread's run when its stream ends first, for both protocols.
import { LeftOff } from "../shared/abort.js";
import { isConnected, isOpen } from "../thread/run-status.js";
import { isDisposed, type ReceivingThread } from "./delivery.js";

/** The events by which one protocol ends a run. */
export interface RunEnds {
  /** Begins a run that no part has begun. */
  begin(): void;
  /** Ends the run well: the user stopped it. */
  stop(): void;
  fail(error: unknown): void;
}

/** Takes note that the stream ended. If its run did not, the connection broke. */
export function disconnect(thread: ReceivingThread, error?: unknown): void {
  unlessDisposed(() => {
    if (isConnected(thread)) thread.receive({ type: "disconnected", error });
  });
}

/** Ends the run that is under way: the user stopped it. */
export function stop(thread: ReceivingThread, run: RunEnds): void {
  unlessDisposed(() => {
    if (isOpen(thread)) run.stop();
  });
}

/**
 * Records that an error ended the reading. A run that it began, or one under way with an id, may be joined. Otherwise the
 * requested run has failed. A run that the reader left may continue.
 */
export function breakOff(thread: ReceivingThread, error: unknown, hasBegun: boolean, run: RunEnds): void {
  unlessDisposed(() => {
    const wasOpen = isOpen(thread);
    if (error instanceof LeftOff) return disconnect(thread);
    if (hasBegun || (wasOpen && thread.run.id !== undefined)) return disconnect(thread, error);
    if (!wasOpen) run.begin();
    run.fail(error);
  });
}

/** A thread that was freed needs no end of its run. */
function unlessDisposed(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isDisposed(error)) throw error;
  }
}
