// How the parts of a stream reach a thread, for both protocols: each once.
import { ThreadfoldError } from "../shared/errors.js";
import { INSIDE, type Inside } from "../thread/inside.js";
import type { ThreadEvent } from "../thread/thread-events.js";

/** The part of a thread that folding needs. The package's `Thread` has it all. */
export interface ReceivingThread {
  /** The server's state. */
  getConfirmedState(): object;
  readonly run: {
    readonly id?: string | undefined;
    readonly status: string;
    readonly interrupts?: readonly unknown[] | undefined;
    readonly lastEventId?: string | undefined;
  };
  /** The ids of messages that are incomplete, if it says so. */
  readonly incompleteIds?: readonly string[] | undefined;
  getConfirmedMessage(id: string): object | undefined;
  /** May return false for an event that it refuses. */
  receive(event: ThreadEvent): unknown;
  readonly [INSIDE]: Pick<Inside, "had" | "report">;
}

/**
 * A part's position in its stream: the id after which to join the run, and a key that no other part has.
 */
export interface Position {
  readonly id?: string | undefined;
  /** The id, if left out. */
  readonly key?: string | undefined;
}

const NOWHERE: Position = {};

/** Sends a thread the events of a stream's parts, and knows which parts the thread has had. */
export class Delivery {
  readonly thread: ReceivingThread;
  #position = NOWHERE;

  constructor(thread: ReceivingThread) {
    this.thread = thread;
  }

  /** Returns whether the thread has had the part at this position. */
  had({ id, key = id }: Position): boolean {
    return key !== undefined && this.thread[INSIDE].had(key);
  }

  /** Turns to the part at this position: the next events belong to it. */
  at(position: Position | undefined): void {
    this.#position = position ?? NOWHERE;
  }

  /**
   * Sends an event. The first of a part bears its position, by which the thread knows the part again. Returns false if
   * the thread refuses it.
   */
  send(event: ThreadEvent): boolean {
    const { id, key = id } = this.#position;
    this.#position = NOWHERE;
    return this.thread.receive(key === undefined ? event : { ...event, id, key }) !== false;
  }

  /** Notes that the thread has had the part, if it brought no event: by an update of nothing. */
  mark(): void {
    if (this.#position.id !== undefined || this.#position.key !== undefined) this.send({ type: "update", update: {} });
  }
}

/** Reports to the thread's listeners why a part could not be folded. The stream continues, unless the thread is gone. */
export function reportPart(thread: ReceivingThread, cause: unknown, part: unknown): void {
  if (isDisposed(cause)) throw cause;
  const error =
    cause instanceof ThreadfoldError
      ? cause
      : new ThreadfoldError("UNREADABLE_VALUE", "A part of the stream could not be folded: see the cause.", { cause });
  thread[INSIDE].report(error, part);
}

export function isDisposed(error: unknown): boolean {
  return error instanceof ThreadfoldError && error.code === "DISPOSED";
}
