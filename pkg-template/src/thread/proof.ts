import { ThreadfoldError } from "../shared/errors.js";
import type { StepEvent, ThreadEvent } from "./thread-events.js";

/** A field that may differ from the server's, and the reason. */
export interface Doubt {
  readonly field: string;
  /**
   * - `gap`: parts of the stream are missing, or somebody else changed the thread.
   * - `unknown-reducer`: the page does not know how the server folds the field. Its updates are not folded.
   * - `order`: the order of two writes is unknown, and it matters.
   * - `unreadable`: an update that the thread cannot fold, or a message without the server's id.
   * - `bad-end`: a run that did not end well may have left writes, or lost some.
   */
  readonly reason: "gap" | "unknown-reducer" | "order" | "unreadable" | "bad-end";
}

/** The server's checkpoint that a thread stands at. */
export interface ThreadPosition {
  /** The super-step that wrote the checkpoint. */
  readonly step?: number | undefined;
  readonly checkpointId?: string | undefined;
  /** Whether tasks of the next super-step have already written: a run with new input drops that. */
  readonly isLeft?: boolean | undefined;
}

const NONE: readonly Doubt[] = [];

/** Reads the position of an event. Throws `INVALID_ARGUMENT` for fields of another kind. */
export function positionIn({ step, checkpointId, isLeft }: StepEvent): ThreadPosition | undefined {
  const isValid =
    ["number", "undefined"].includes(typeof step) &&
    ["string", "undefined"].includes(typeof checkpointId) &&
    ["boolean", "undefined"].includes(typeof isLeft);
  if (!isValid) throw new ThreadfoldError("INVALID_ARGUMENT", "Invalid step event: see the type StepEvent.");
  return step === undefined && checkpointId === undefined && isLeft === undefined
    ? undefined
    : { step, checkpointId, isLeft };
}

/** Reads the doubts of a record. */
function doubtsIn(list: unknown): readonly Doubt[] {
  const isDoubt = (one: unknown) => typeof (one as Doubt | null)?.field === "string";
  if (Array.isArray(list) && list.every(isDoubt)) return list as Doubt[];
  throw new ThreadfoldError("INVALID_ARGUMENT", "A thread's record should be what toJSON() returned.");
}

/** Whether a snapshot has messages without ids: the thread names them, and later the server does. */
function lacksIds({ messages }: { readonly messages?: unknown }): boolean {
  return (
    Array.isArray(messages) && messages.some((message: { id?: unknown } | null) => typeof message?.id !== "string")
  );
}

/** Whether a thread's confirmed state is proven to be the server's, and the checkpoint that it stands at. */
export class Proof {
  doubts = NONE;
  position: ThreadPosition | undefined;
  /** The messages that were incomplete when the last run began. */
  cutOff: readonly string[] = [];
  /** The questions of the run under way. The thread has them when the run ends. */
  asked: readonly unknown[] = [];
  /** The number of snapshots so far: a snapshot makes earlier notes about the state void. */
  snapshots = 0;

  /** Adds a doubt. Returns false for one that is known. */
  add({ field, reason }: Doubt): boolean {
    if (this.doubts.some((known) => known.field === field && known.reason === reason)) return false;
    this.doubts = [...this.doubts, { field, reason }];
    return true;
  }

  /** Settles the doubts about these fields. */
  settle(isSettled: (field: string) => boolean): void {
    if (this.doubts.some(({ field }) => isSettled(field)))
      this.doubts = this.doubts.filter(({ field }) => !isSettled(field));
  }

  /**
   * Takes note of an event that was folded: a snapshot settles the doubts about its fields. A partial one does not say
   * which messages are gone. Returns whether its messages lack ids.
   */
  hear(event: ThreadEvent): boolean {
    if (event.type === "values") this.settle((field) => field !== "messages" || !event.partial);
    else if (event.type === "messages") this.settle((field) => field === "messages");
    else if (event.type === "state") this.settle((field) => field !== "messages");
    else {
      if (event.type === "run-finished" || event.type === "run-error") this.asked = [];
      return false;
    }
    this.snapshots++;
    this.position = undefined;
    return lacksIds(event.type === "values" ? event.values : event);
  }

  /** The part of a thread's record; undefined for one without doubts, position and questions. */
  toJSON(): object | undefined {
    const { doubts, position, asked } = this;
    const isAsked = asked.length > 0;
    return doubts.length > 0 || position || isAsked ? { doubts, position, ...(isAsked && { asked }) } : undefined;
  }

  /** Takes over the part of a thread's record. */
  restore(record: unknown): void {
    const { doubts = [], position, asked } = (record ?? {}) as Record<"doubts" | "position" | "asked", unknown>;
    if (Array.isArray(asked)) this.asked = asked;
    for (const { field, reason } of doubtsIn(doubts)) this.add({ field, reason });
    if (typeof position === "object" && position !== null) this.position = positionIn(position as StepEvent);
  }
}
