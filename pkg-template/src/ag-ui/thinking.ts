import { newId } from "../shared/new-id.js";
import { cutOff } from "./chunks.js";
import type { FoldedEvent, Heard, ReasoningStart, TextContent, TextEnd, ThinkingEvent } from "./event-types.js";
import type { FoldingThread } from "./folding-thread.js";
import { text, type Shape } from "./shapes.js";

export const THINKING_SHAPES: Readonly<Record<ThinkingEvent["type"], Shape>> = {
  THINKING_START: {},
  THINKING_TEXT_MESSAGE_START: {},
  THINKING_TEXT_MESSAGE_CONTENT: { delta: text },
  THINKING_TEXT_MESSAGE_END: {},
  THINKING_END: {},
};

export const isThinking = (event: { readonly type: string }): event is ThinkingEvent =>
  Object.hasOwn(THINKING_SHAPES, event.type);

/**
 * Turns the THINKING_ events of servers from before AG-UI 1.0 into REASONING_ events, as `@ag-ui/client` does. They
 * have no ids: each message that they start gets a new one.
 */
export class Thinking {
  #messageId: string | undefined;
  readonly #thread: FoldingThread;

  constructor(thread: FoldingThread) {
    this.#thread = thread;
  }

  /** Forgets what a run before left open. */
  reset(): void {
    this.#messageId = undefined;
  }

  /** Returns the event of AG-UI 1.0, or a sentence with the error. `isKnown`: the run has had this event. */
  modern(event: ThinkingEvent, isKnown: boolean): FoldedEvent | string {
    switch (event.type) {
      case "THINKING_START":
        return { ...event, type: "REASONING_START" } satisfies Heard;
      case "THINKING_END":
        return { ...event, type: "REASONING_END" } satisfies Heard;
      case "THINKING_TEXT_MESSAGE_START": {
        const messageId = newId();
        // One that the run has had started the message that is there.
        if (!isKnown) this.#messageId = messageId;
        return { ...event, type: "REASONING_MESSAGE_START", messageId } satisfies ReasoningStart;
      }
      default:
    }
    const messageId = (this.#messageId ??= cutOff(this.#thread, "reasoning", event.subagentRunId ?? undefined)?.id);
    if (messageId === undefined) return `${event.type}: no THINKING_TEXT_MESSAGE_START came before it.`;
    if (event.type === "THINKING_TEXT_MESSAGE_CONTENT")
      return { ...event, type: "REASONING_MESSAGE_CONTENT", messageId } satisfies TextContent;
    this.#messageId = undefined;
    return { ...event, type: "REASONING_MESSAGE_END", messageId } satisfies TextEnd;
  }
}
