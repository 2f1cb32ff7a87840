import { ThreadfoldError, type ThreadfoldErrorCode } from "../shared/errors.js";
import { Delivery } from "../stream/delivery.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import { AgentState } from "./agent-state.js";
import { Chunks } from "./chunks.js";
import type { FoldedEvent, HeldMessage, HeldToolCall, Metadata, RunEnd } from "./event-types.js";
import type { FoldingThread } from "./folding-thread.js";
import { RunCalls } from "./run-calls.js";
import { isDict } from "../shared/dict.js";
import { type Shape } from "./shapes.js";
import { Streams } from "./streams.js";
import { Thinking } from "./thinking.js";
import { ToolCallIndex } from "./tool-call-index.js";
import { INSIDE, isThread } from "../thread/inside.js";

/** The messages and state that an event changed and added. */
export interface Change {
  readonly messages?: boolean;
  readonly state?: boolean;
  readonly newMessage?: HeldMessage | undefined;
  readonly newToolCall?: HeldToolCall | undefined;
}

export const NOTHING: Change = {};
export const MESSAGES: Change = { messages: true };

/**
 * The handling of one event type, split where a subscriber of an `@ag-ui/client` agent can intervene. The subscriber
 * receives every accepted event, and may stop its `apply`.
 */
export interface Step<E extends FoldedEvent> {
  /** The fields that an event needs to be folded. */
  readonly shape: Shape;
  /** The subscriber's method that receives it. */
  readonly hook: string;
  /**
   * Returns what that method receives besides the event. Undefined if the event is refused: no subscriber receives it.
   */
  readonly told?: (fold: Fold, event: E) => object | undefined;
  /** Does what happens whether or not a subscriber stops the event. */
  readonly always?: (fold: Fold, event: E) => void;
  readonly apply?: (fold: Fold, event: E) => Change;
  /** Does all of the above in fewer steps, where nobody comes between. */
  readonly alone?: (fold: Fold, event: E) => Change;
  /** Returns the announcements made in any case, once the event is applied or stopped. */
  readonly announce?: (fold: Fold, event: E) => Change;
  /** Returns the end that the event makes of its run; called before the event is folded. */
  readonly end?: (fold: Fold, event: E) => RunEnd;
}

/** The folding of AG-UI events into one thread: what there is to remember between two events. */
export class Fold {
  readonly thread: FoldingThread;
  readonly delivery: Delivery;
  readonly streams = new Streams();
  readonly calls: ToolCallIndex;
  readonly state: AgentState;
  readonly run = new RunCalls();
  /** The messages and calls that chunks have opened. A stream that is joined again continues there. */
  readonly chunks: Chunks;
  readonly thinking: Thinking;
  /**
   * Messages to which the last events only appended text. They are known to accept more, so a token needs no lookup in
   * the thread.
   */
  readonly growing = new Set<string>();
  /** How many things could not be folded when the run began; undefined if it began elsewhere. */
  reports: number | undefined;
  /** The confirmed state when it was proven to be the server's: it still is while the thread has that very object. */
  proven: object | undefined;
  /** Whether a run that begins is joined: see the option `join` of `foldAgUi`. */
  join: boolean | undefined;
  /** Whether the user stopped the run: however it ends now, it ends well. */
  isStopped = false;

  constructor(thread: FoldingThread) {
    this.thread = thread;
    this.delivery = new Delivery(thread);
    this.chunks = new Chunks(thread);
    this.thinking = new Thinking(thread);
    this.calls = new ToolCallIndex(thread);
    this.state = new AgentState(thread, (event) => this.send(event));
  }

  message(id: string): HeldMessage | undefined {
    return this.thread.getConfirmedMessage(id) as HeldMessage | undefined;
  }

  send(event: ThreadEvent): void {
    if (event.type !== "text" && this.growing.size > 0) this.growing.clear();
    this.delivery.send(event);
  }

  /** Puts a message as it is now into the thread. */
  put(message: HeldMessage, after?: string): void {
    this.send({ type: "message", message, after, streaming: this.streams.isOpen(message.id) });
  }

  /** Clears its knowledge of the messages, after something other than events has changed them. */
  forget(): void {
    this.calls.forget();
    this.growing.clear();
  }

  /** Tells the thread's listeners that an event is not folded. */
  refuse(event: unknown, text: string, code: ThreadfoldErrorCode = "UNKNOWN_MESSAGE"): undefined {
    this.thread[INSIDE].report(new ThreadfoldError(code, text), event);
  }
}

/** One for all copies of this module, such as those of the ESM and the CommonJS build. */
const FOLDS = Symbol.for("threadfold.ag-ui.folds");

/** Returns the fold of a thread: the same one for every caller. */
export function foldOf(thread: FoldingThread): Fold {
  if (!isThread(thread)) {
    throw new ThreadfoldError("INVALID_ARGUMENT", "Events are folded into a thread, such as new Thread().");
  }
  const folds = ((globalThis as { [FOLDS]?: WeakMap<FoldingThread, Fold> })[FOLDS] ??= new WeakMap());
  let fold = folds.get(thread);
  if (!fold) folds.set(thread, (fold = new Fold(thread)));
  return fold;
}

/** Lays an event's metadata over a message or tool call. Returns the same one if the event has none. */
export function withMetadata<T extends HeldMessage | HeldToolCall>(
  held: T,
  event: { metadata?: Metadata | undefined },
): T {
  return isDict(event.metadata) ? { ...held, metadata: { ...held.metadata, ...event.metadata } } : held;
}

/** Returns what `serveAgUi` says to a client that folds. */
export const ofServer = (
  metadata: Metadata | undefined,
): {
  readonly at?: unknown;
  readonly after?: unknown;
  readonly keeps?: unknown;
  readonly interrupts?: unknown;
  readonly messages?: unknown;
} => metadata?.["threadfold"] ?? {};

/** Puts another tool call in the place of one of a message's own. */
export function withCall(message: HeldMessage, at: number, call: HeldToolCall): HeldMessage {
  const toolCalls = [...(message.toolCalls ?? [])];
  toolCalls[at] = call;
  return { ...message, toolCalls };
}

/** The attribution of an event, as a message carries it. Null counts as absent. */
export function attribution(event: { subagentRunId?: string | null | undefined }): { subagentRunId?: string } {
  const { subagentRunId } = event;
  return subagentRunId === undefined || subagentRunId === null ? {} : { subagentRunId };
}

/** A message as a thread holds it, without an attribution of null. */
export function cleaned(message: HeldMessage): HeldMessage {
  if (message.subagentRunId !== null) return message;
  const { subagentRunId: _, ...rest } = message;
  return rest;
}

/** A message's text; other content counts as none, as in AG-UI's reference. */
export function textOf(message: HeldMessage): string {
  return typeof message.content === "string" ? message.content : "";
}
