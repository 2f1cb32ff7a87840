// Texts that come in parts: a message's own, and reasoning.
import type {
  EncryptedValue,
  FoldedEvent,
  HeldMessage,
  ReasoningStart,
  TextContent,
  TextEnd,
  TextStart,
} from "./event-types.js";
import {
  attribution,
  MESSAGES,
  NOTHING,
  textOf,
  withCall,
  withMetadata,
  type Change,
  type Fold,
  type Step,
} from "./fold.js";
import { maybeText, text } from "./shapes.js";

/** Returns the message that a part is for; undefined if it can have none, which is reported. */
function addressed(fold: Fold, event: FoldedEvent & { messageId: string }): HeldMessage | undefined {
  const message = fold.message(event.messageId);
  if (!message) return fold.refuse(event, `${event.type}: there is no message with the id '${event.messageId}'.`);
  return isText(fold, event, message) ? message : undefined;
}

function isText(fold: Fold, event: FoldedEvent, message: HeldMessage): boolean {
  if (message.role !== "activity") return true;
  fold.refuse(
    event,
    `${event.type}: the message '${message.id}' is an activity; ids are unique among messages of all kinds.`,
    "INVALID_MESSAGE",
  );
  return false;
}

function start(fold: Fold, event: TextStart | ReasoningStart, fresh: HeldMessage): Change {
  const known = fold.message(fresh.id);
  if (known && !isText(fold, event, known)) return NOTHING;
  fold.streams.start(`text ${fresh.id}`, fresh.id, known ? textOf(known) : "");
  const message = withMetadata(known ?? fresh, event);
  // A known one is put again, too: from here on more of it is to come.
  fold.put(message);
  return message === known ? NOTHING : MESSAGES;
}

/** A token. The message that the last one was for takes this one, too, without being asked for. */
function token(fold: Fold, event: TextContent): Change {
  const { messageId, delta, metadata } = event;
  if (!metadata && fold.growing.has(messageId)) {
    if (delta !== "") fold.delivery.send({ type: "text", messageId, text: delta });
    return MESSAGES;
  }
  const message = addressed(fold, event);
  return message ? content(fold, event, message) : NOTHING;
}

function content(fold: Fold, event: TextContent, message = fold.message(event.messageId)): Change {
  if (!message) return NOTHING;
  const { id } = message;
  const added = fold.streams.added("text", id, textOf(message), event.delta);
  if (!event.metadata && typeof message.content === "string") {
    if (added !== "") fold.send({ type: "text", messageId: id, text: added });
    if (!fold.streams.isRetold("text", id)) fold.growing.add(id);
  } else {
    fold.put({ ...withMetadata(message, event), content: textOf(message) + added });
  }
  return MESSAGES;
}

/** A stream is over whether or not a subscriber stops its end. */
function finish(fold: Fold, { messageId }: TextEnd): void {
  const message = fold.message(messageId);
  if (!message) return;
  const heldBack = fold.streams.end(`text ${messageId}`, textOf(message));
  if (heldBack !== "") fold.send({ type: "text", messageId, text: heldBack });
  if (!fold.streams.isOpen(messageId)) fold.send({ type: "message-finished", messageId });
}

function end(fold: Fold, event: TextEnd): Change {
  const message = fold.message(event.messageId);
  if (!message || !event.metadata) return NOTHING;
  fold.put(withMetadata(message, event));
  return MESSAGES;
}

const announced = (fold: Fold, event: TextEnd): Change => ({ newMessage: fold.message(event.messageId) });

/** The steps of a kind of text; `buffer` is the name under which a subscriber gets the text so far. */
const parts = (name: string, buffer: string) => {
  const told = (fold: Fold, event: TextContent | TextEnd) => {
    const message = addressed(fold, event);
    return message && { [buffer]: textOf(message) };
  };
  return {
    content: {
      shape: { messageId: text, delta: text },
      hook: `on${name}ContentEvent`,
      told,
      apply: content,
      alone: token,
    } satisfies Step<TextContent>,
    end: {
      shape: { messageId: text },
      hook: `on${name}EndEvent`,
      told,
      always: finish,
      apply: end,
      announce: announced,
    } satisfies Step<TextEnd>,
  };
};

const { content: textContent, end: textEnd } = parts("TextMessage", "textMessageBuffer");
const { content: reasoningContent, end: reasoningEnd } = parts("ReasoningMessage", "reasoningMessageBuffer");
export { reasoningContent, reasoningEnd, textContent, textEnd };

export const textStart: Step<TextStart> = {
  shape: { messageId: text, role: maybeText, name: maybeText },
  hook: "onTextMessageStartEvent",
  apply(fold, event) {
    const { messageId, role, name } = event;
    const named = typeof name === "string" ? { name } : {};
    return start(fold, event, {
      id: messageId,
      role: role ?? "assistant",
      content: "",
      ...named,
      ...attribution(event),
    });
  },
};

export const reasoningStart: Step<ReasoningStart> = {
  shape: { messageId: text },
  hook: "onReasoningMessageStartEvent",
  apply: (fold, event) =>
    start(fold, event, { id: event.messageId, role: "reasoning", content: "", ...attribution(event) }),
};

export const encryptedValue: Step<EncryptedValue> = {
  shape: { subtype: text, entityId: text, encryptedValue: text },
  hook: "onReasoningEncryptedValueEvent",
  apply(fold, { subtype, entityId, encryptedValue }) {
    if (subtype !== "tool-call") {
      const message = fold.message(entityId);
      if (!message || message.role === "activity") return NOTHING;
      fold.put({ ...message, encryptedValue } as HeldMessage);
      return MESSAGES;
    }
    const place = fold.calls.find(entityId);
    if (!place || place.message.role !== "assistant") return NOTHING;
    const call = { ...place.call, encryptedValue };
    fold.put(withCall(place.message, place.at, call));
    return MESSAGES;
  },
};
