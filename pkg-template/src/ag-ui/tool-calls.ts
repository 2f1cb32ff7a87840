import { addedTexts } from "../shared/added-text.js";
import { newId } from "../shared/new-id.js";
import { PartialJson } from "../text/partial-json.js";
import type {
  FoldedEvent,
  HeldMessage,
  HeldToolCall,
  ToolCallArgs,
  ToolCallEnd,
  ToolCallResult,
  ToolCallStart,
} from "./event-types.js";
import { attribution, MESSAGES, NOTHING, withCall, withMetadata, type Change, type Fold, type Step } from "./fold.js";

import { list, maybeText, text } from "./shapes.js";
import type { PlacedCall } from "./tool-call-index.js";

function addressed(fold: Fold, event: FoldedEvent & { toolCallId: string }): PlacedCall | undefined {
  const place = fold.calls.find(event.toolCallId);
  return place ?? fold.refuse(event, `${event.type}: no message has a tool call with the id '${event.toolCallId}'.`);
}

/** Puts a tool call in its place. */
function replace(fold: Fold, { message, at }: PlacedCall, call: HeldToolCall): void {
  fold.put(withCall(message, at, call));
}

/**
 * Returns the message for a new tool call: the assistant message that the call names. If that message does not exist,
 * returns a new one with that id. If the call names another kind of message or none, returns a new one with the call's
 * own id.
 */
function parentOf(fold: Fold, event: ToolCallStart): HeldMessage {
  const { parentMessageId, toolCallId } = event;
  const named = parentMessageId ? fold.message(parentMessageId) : undefined;
  if (named?.role === "assistant") return named;
  if (named) {
    fold.refuse(
      event,
      `TOOL_CALL_START: the parent '${named.id}' is a message of the role '${named.role}'; the call gets a message of its own.`,
      "INVALID_MESSAGE",
    );
  }
  const id = parentMessageId && !named ? parentMessageId : toolCallId;
  const own = fold.message(id);
  if (own?.role === "assistant") return own;
  return { id: own ? freeId(fold, `${id}:call`) : id, role: "assistant", ...attribution(event) };
}

/** Returns an id that no message has. Ids are unique here; the reference adds a second message with the same id. */
function freeId(fold: Fold, ...wanted: string[]): string {
  return wanted.find((id) => !fold.message(id)) ?? newId();
}

export const toolCallStart: Step<ToolCallStart> = {
  shape: { toolCallId: text, toolCallName: text, parentMessageId: maybeText },
  hook: "onToolCallStartEvent",
  apply(fold, event) {
    const { toolCallId, toolCallName } = event;
    fold.run.started(toolCallId);
    const known = fold.calls.find(toolCallId);
    if (known) {
      const { call } = known;
      fold.streams.start(`call ${toolCallId}`, known.message.id, call.function.arguments);
      const renamed =
        call.function.name === toolCallName ? call : { ...call, function: { ...call.function, name: toolCallName } };
      const next = withMetadata(renamed, event);
      replace(fold, known, next);
      return next === call ? NOTHING : MESSAGES;
    }
    const parent = parentOf(fold, event);
    fold.streams.start(`call ${toolCallId}`, parent.id, "");
    const fresh: HeldToolCall = { id: toolCallId, type: "function", function: { name: toolCallName, arguments: "" } };
    const call = withMetadata(fresh, event);
    const calls = parent.toolCalls ?? [];
    fold.put({ ...parent, toolCalls: [...calls, call] });
    fold.calls.noteCall(toolCallId, parent.id, calls.length);
    return MESSAGES;
  },
};

export const toolCallArgs: Step<ToolCallArgs> = {
  shape: { toolCallId: text, delta: text },
  hook: "onToolCallArgsEvent",
  told(fold, event) {
    const place = addressed(fold, event);
    if (!place) return undefined;
    const { name, arguments: buffer } = place.call.function;
    return {
      toolCallBuffer: buffer,
      toolCallName: name,
      /** Costs only a subscriber that reads it. */
      get partialToolCallArgs(): unknown {
        return partialOf(place.call, buffer).object?.value ?? {};
      },
    };
  },
  apply(fold, event) {
    const place = fold.calls.find(event.toolCallId);
    return place ? argumentsFor(fold, event, place) : NOTHING;
  },
  // A token: its call is looked up once.
  alone(fold, event) {
    const place = addressed(fold, event);
    return place ? argumentsFor(fold, event, place) : NOTHING;
  },
};

function argumentsFor(fold: Fold, event: ToolCallArgs, place: PlacedCall): Change {
  const { call } = place;
  const known = call.function.arguments;
  const added = fold.streams.added("call", call.id, known, event.delta);
  if (added === "" && !event.metadata) return MESSAGES;
  const next = withMetadata({ ...call, function: { ...call.function, arguments: known + added } }, event);
  const partial = PARTIALS.get(call);
  if (partial) {
    partial.add(added);
    PARTIALS.delete(call);
    PARTIALS.set(next, partial);
  }
  addedTexts()?.set(next, added);
  replace(fold, place, next);
  return MESSAGES;
}

/** The parsed part of a call's arguments, once a subscriber asked for them. From then on each part is parsed once. */
const PARTIALS = new WeakMap<HeldToolCall, PartialJson>();

function partialOf(call: HeldToolCall, text: string): PartialJson {
  let partial = PARTIALS.get(call);
  if (!partial) {
    partial = new PartialJson();
    partial.add(text);
    PARTIALS.set(call, partial);
  }
  return partial;
}

export const toolCallEnd: Step<ToolCallEnd> = {
  shape: { toolCallId: text },
  hook: "onToolCallEndEvent",
  told(fold, event) {
    const place = addressed(fold, event);
    return (
      place && {
        toolCallName: place.call.function.name,
        get toolCallArgs(): unknown {
          try {
            return JSON.parse(place.call.function.arguments);
          } catch {
            return {};
          }
        },
      }
    );
  },
  always(fold, { toolCallId }) {
    const place = fold.calls.find(toolCallId);
    if (!place) return;
    const { call, message } = place;
    PARTIALS.delete(call);
    const known = call.function.arguments;
    const added = fold.streams.end(`call ${toolCallId}`, known);
    if (added !== "") replace(fold, place, { ...call, function: { ...call.function, arguments: known + added } });
    if (!fold.streams.isOpen(message.id)) fold.send({ type: "message-finished", messageId: message.id });
  },
  apply(fold, event) {
    const place = fold.calls.find(event.toolCallId);
    if (!place || !event.metadata) return NOTHING;
    replace(fold, place, withMetadata(place.call, event));
    return MESSAGES;
  },
  announce: (fold, event) => ({ newToolCall: fold.calls.find(event.toolCallId)?.call }),
};

export const toolCallResult: Step<ToolCallResult> = {
  shape: { messageId: text, toolCallId: text, content: (value) => text(value) || list(value), role: maybeText },
  hook: "onToolCallResultEvent",
  apply(fold, event) {
    const { messageId, toolCallId, content, role } = event;
    fold.run.answered(toolCallId);
    const fresh: HeldMessage = { id: messageId, toolCallId, role: role || "tool", content, ...attribution(event) };
    // The result of a known call is that result again, under the id that it has.
    const named = fold.message(messageId);
    const known = named?.role === "tool" && named.toolCallId === toolCallId ? named : fold.calls.result(toolCallId);
    if (known) {
      fold.put(withMetadata({ ...known, ...fresh, id: known.id }, event));
      return MESSAGES;
    }
    const owner = fold.calls.find(toolCallId)?.message;
    const message = withMetadata(
      named ? { ...fresh, id: freeId(fold, toolCallId, `${toolCallId}:result`) } : fresh,
      event,
    );
    fold.put(message, owner?.role === "assistant" ? owner.id : undefined);
    fold.calls.noteMessage(message);
    return { messages: true, newMessage: message };
  },
};
