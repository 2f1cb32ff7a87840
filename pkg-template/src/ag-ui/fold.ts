import { ThreadfoldError, type ThreadfoldErrorCode } from "threadfold";
import type { ThreadEvent } from "../thread-events.js";
import { Chunks } from "./chunks.js";
import { cutOffIn } from "./cut-off.js";
import type { FoldedEvent, HeldMessage, HeldToolCall, Metadata } from "./event-types.js";
import type { FoldingThread } from "./folding-thread.js";
import { RunRecord } from "./run-record.js";
import { isObject } from "./shapes.js";
import { ServerState } from "./server-state.js";
import { Streams } from "./streams.js";
import { ToolCallIndex } from "./tool-call-index.js";

/** What an event changed, and what is new by it. */
export interface Change {
  readonly messages?: boolean;
  readonly state?: boolean;
  readonly newMessage?: HeldMessage | undefined;
  readonly newToolCall?: HeldToolCall | undefined;
}

export const NOTHING: Change = {};
export const MESSAGES: Change = { messages: true };

/**
 * What one type of event does. The three parts are what a subscriber of an `@ag-ui/client` agent can come between:
 * it hears of an event that is not refused, and may stop its `apply`.
 */
export interface Step<E extends FoldedEvent> {
  /** The subscriber's method that hears of it. */
  readonly hook: string;
  /** What that method is told beside the event. Undefined: the event is refused, and nobody hears of it. */
  readonly told?: (fold: Fold, event: E) => object | undefined;
  /** What happens whether or not a subscriber stops the event. */
  readonly always?: (fold: Fold, event: E) => void;
  readonly apply?: (fold: Fold, event: E, id: string | undefined) => Change;
  /** All of the above in less, for where nobody comes between. */
  readonly alone?: (fold: Fold, event: E, id: string | undefined) => void;
  /** What is announced in any case, once the event is applied or stopped. */
  readonly announce?: (fold: Fold, event: E) => Change;
}

/** The folding of AG-UI events into one thread: what there is to remember between two events. */
export class Fold {
  readonly thread: FoldingThread;
  readonly streams = new Streams();
  readonly calls: ToolCallIndex;
  readonly state: ServerState;
  readonly run = new RunRecord();
  /** What chunks have opened: a stream that is joined again goes on there. */
  readonly chunks: Chunks;
  /** Whether a run that begins is joined: see the option `join` of `foldAgUi`. */
  join: boolean | undefined;
  /** Whether the user has stopped the run: however it ends now, it ends well. */
  isStopped = false;

  constructor(thread: FoldingThread) {
    this.thread = thread;
    this.chunks = new Chunks(cutOffIn(thread));
    this.calls = new ToolCallIndex(thread);
    this.state = new ServerState(thread);
  }

  message(id: string): HeldMessage | undefined {
    return this.thread.message(id) as HeldMessage | undefined;
  }

  send(event: ThreadEvent): void {
    this.thread.receive(event);
  }

  /** Puts a message as it is now into the thread. */
  put(message: HeldMessage, id: string | undefined, after?: string): void {
    this.send({ type: "message", message, after, streaming: this.streams.isOpen(message.id), id });
  }

  /** Tells the thread's listeners that an event is not folded. */
  refuse(event: unknown, text: string, code: ThreadfoldErrorCode = "UNKNOWN_MESSAGE"): undefined {
    this.thread.report(new ThreadfoldError(code, text), event);
  }
}

/** One for all copies of this module, such as those in "threadfold/ag-ui" and "threadfold/ag-ui/events". */
const FOLDS = Symbol.for("threadfold.ag-ui.folds");

/** The fold of a thread: one, whoever folds. */
export function foldOf(thread: FoldingThread): Fold {
  if (!isObject(thread) || typeof (thread as Partial<FoldingThread>).receive !== "function") {
    throw new ThreadfoldError("INVALID_VALUE", "Events are folded into a thread, such as new Thread().");
  }
  const folds = ((globalThis as { [FOLDS]?: WeakMap<FoldingThread, Fold> })[FOLDS] ??= new WeakMap());
  let fold = folds.get(thread);
  if (!fold) folds.set(thread, (fold = new Fold(thread)));
  return fold;
}

/** A message or tool call with an event's metadata laid over its own; the same one, when the event has none. */
export function withMetadata<T extends HeldMessage | HeldToolCall>(
  held: T,
  event: { metadata?: Metadata | undefined },
): T {
  return isObject(event.metadata) ? { ...held, metadata: { ...held.metadata, ...event.metadata } } : held;
}

/** A message with another tool call in the place of one of its own. */
export function withCall(message: HeldMessage, at: number, call: HeldToolCall): HeldMessage {
  const toolCalls = [...(message.toolCalls ?? [])];
  toolCalls[at] = call;
  return { ...message, toolCalls };
}

/** The attribution of an event, as a message carries it. Null is none. */
export function attribution(event: { subagentRunId?: string | null | undefined }): { subagentRunId?: string } {
  const { subagentRunId } = event;
  return subagentRunId === undefined || subagentRunId === null ? {} : { subagentRunId };
}

/** A message as a thread holds it: an attribution of null is none. */
export function cleaned(message: HeldMessage): HeldMessage {
  if (message.subagentRunId !== null) return message;
  const { subagentRunId: _, ...rest } = message;
  return rest;
}

/** A message's text; other content counts as none, as in AG-UI's reference. */
export function textOf(message: HeldMessage): string {
  return typeof message.content === "string" ? message.content : "";
}
