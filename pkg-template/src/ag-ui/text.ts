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

/** The message that a part is for; undefined, and an error is told, when it can have none. */
function addressed(fold: Fold, event: FoldedEvent & { messageId: string }): HeldMessage | undefined {
  const message = fold.message(event.messageId);
  if (!message) return fold.refuse(event, `${event.type}: there is no message of the id '${event.messageId}'.`);
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

function start(fold: Fold, event: TextStart | ReasoningStart, fresh: HeldMessage, id: string | undefined): Change {
  const known = fold.message(fresh.id);
  if (known && !isText(fold, event, known)) return NOTHING;
  fold.streams.start(`text ${fresh.id}`, fresh.id, known ? textOf(known) : "");
  const message = withMetadata(known ?? fresh, event);
  // A known one is put again, too: from here on more of it is to come.
  fold.put(message, id);
  return message === known ? NOTHING : MESSAGES;
}

function content(
  fold: Fold,
  event: TextContent,
  id: string | undefined,
  message = fold.message(event.messageId),
): Change {
  if (!message) return NOTHING;
  const text = fold.streams.added("text", message.id, textOf(message), event.delta);
  if (event.metadata === undefined && typeof message.content === "string") {
    if (text !== "") fold.send({ type: "text", messageId: message.id, text, id });
  } else {
    fold.put({ ...withMetadata(message, event), content: textOf(message) + text }, id);
  }
  return MESSAGES;
}

/** A stream is over whether or not a subscriber stops its end. */
function finish(fold: Fold, { messageId }: TextEnd): void {
  const message = fold.message(messageId);
  if (!message) return;
  const text = fold.streams.end(`text ${messageId}`, textOf(message));
  if (text !== "") fold.send({ type: "text", messageId, text });
  if (!fold.streams.isOpen(messageId)) fold.send({ type: "message-finished", messageId });
}

function end(fold: Fold, event: TextEnd, id: string | undefined): Change {
  const message = fold.message(event.messageId);
  if (!message || event.metadata === undefined) return NOTHING;
  fold.put(withMetadata(message, event), id);
  return MESSAGES;
}

const announced = (fold: Fold, event: TextEnd): Change => ({ newMessage: fold.message(event.messageId) });

/** The steps of a kind of text; `buffer` is the name under which a subscriber is told what there was of it. */
const parts = (name: string, buffer: string) => {
  const told = (fold: Fold, event: TextContent | TextEnd) => {
    const message = addressed(fold, event);
    return message && { [buffer]: textOf(message) };
  };
  return {
    content: {
      hook: `on${name}ContentEvent`,
      told,
      apply: content,
      // A token: its message is looked up once.
      alone(fold, event, id) {
        const message = addressed(fold, event);
        if (message) content(fold, event, id, message);
      },
    } satisfies Step<TextContent>,
    end: { hook: `on${name}EndEvent`, told, always: finish, apply: end, announce: announced } satisfies Step<TextEnd>,
  };
};

const { content: textContent, end: textEnd } = parts("TextMessage", "textMessageBuffer");
const { content: reasoningContent, end: reasoningEnd } = parts("ReasoningMessage", "reasoningMessageBuffer");
export { reasoningContent, reasoningEnd, textContent, textEnd };

export const textStart: Step<TextStart> = {
  hook: "onTextMessageStartEvent",
  apply(fold, event, id) {
    const { messageId, role = "assistant", name } = event;
    const named = name === undefined ? {} : { name };
    return start(fold, event, { id: messageId, role, content: "", ...named, ...attribution(event) }, id);
  },
};

export const reasoningStart: Step<ReasoningStart> = {
  hook: "onReasoningMessageStartEvent",
  apply: (fold, event, id) =>
    start(fold, event, { id: event.messageId, role: "reasoning", content: "", ...attribution(event) }, id),
};

export const encryptedValue: Step<EncryptedValue> = {
  hook: "onReasoningEncryptedValueEvent",
  apply(fold, { subtype, entityId, encryptedValue }, id) {
    if (subtype !== "tool-call") {
      const message = fold.message(entityId);
      if (!message || message.role === "activity") return NOTHING;
      fold.put({ ...message, encryptedValue } as HeldMessage, id);
      return MESSAGES;
    }
    const place = fold.calls.find(entityId);
    if (!place || place.message.role !== "assistant") return NOTHING;
    const call = { ...place.call, encryptedValue };
    fold.put(withCall(place.message, place.at, call), id);
    return MESSAGES;
  },
};
