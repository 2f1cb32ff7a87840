// What each event must have to be folded. Whatever else it has is its own affair: a newer server may send more.
import type { AgUiEvent } from "./event-types.js";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const list: Check = (value) => Array.isArray(value);
const given: Check = (value) => value !== undefined;
const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const messages: Check = (value) => Array.isArray(value) && value.every(isMessage);

function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value["id"] !== "string" || typeof value["role"] !== "string") return false;
  const calls = value["toolCalls"];
  return calls === undefined || calls === null || (Array.isArray(calls) && calls.every(isToolCall));
}

function isToolCall(value: unknown): boolean {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  const called = value["function"];
  return isObject(called) && typeof called["name"] === "string" && typeof called["arguments"] === "string";
}

const SHAPES: Record<string, Record<string, Check>> = {
  TEXT_MESSAGE_START: { messageId: text, role: absentOr(text) },
  TEXT_MESSAGE_CONTENT: { messageId: text, delta: text },
  TEXT_MESSAGE_END: { messageId: text },
  TEXT_MESSAGE_CHUNK: { messageId: absentOr(text), delta: absentOr(text), role: absentOr(text) },
  TOOL_CALL_START: { toolCallId: text, toolCallName: text, parentMessageId: absentOr(text) },
  TOOL_CALL_ARGS: { toolCallId: text, delta: text },
  TOOL_CALL_END: { toolCallId: text },
  TOOL_CALL_CHUNK: {
    toolCallId: absentOr(text),
    toolCallName: absentOr(text),
    parentMessageId: absentOr(text),
    delta: absentOr(text),
  },
  TOOL_CALL_RESULT: { messageId: text, toolCallId: text, content: (value) => text(value) || list(value) },
  STATE_SNAPSHOT: { snapshot: given },
  STATE_DELTA: { delta: list },
  MESSAGES_SNAPSHOT: { messages },
  ACTIVITY_SNAPSHOT: { messageId: text, activityType: text, content: isObject },
  ACTIVITY_DELTA: { messageId: text, activityType: text, patch: list },
  RAW: {},
  CUSTOM: {},
  RUN_STARTED: { runId: text, input: absentOr((input) => isObject(input) && absentOr(messages)(input["messages"])) },
  RUN_FINISHED: {
    outcome: absentOr(
      (outcome) => isObject(outcome) && (outcome["type"] !== "interrupt" || list(outcome["interrupts"])),
    ),
  },
  RUN_ERROR: { message: text },
  STEP_STARTED: {},
  STEP_FINISHED: {},
  REASONING_START: {},
  REASONING_MESSAGE_START: { messageId: text },
  REASONING_MESSAGE_CONTENT: { messageId: text, delta: text },
  REASONING_MESSAGE_END: { messageId: text },
  REASONING_MESSAGE_CHUNK: { messageId: absentOr(text), delta: absentOr(text) },
  REASONING_END: {},
  REASONING_ENCRYPTED_VALUE: { subtype: text, entityId: text, encryptedValue: text },
  SUBAGENT_STARTED: {},
  SUBAGENT_FINISHED: {},
  SUBAGENT_ERROR: {},
};

/** The fields to check of each type, ready to be gone through: this is done for every token. */
const FIELDS = new Map(Object.entries(SHAPES).map(([type, shape]) => [type, Object.entries(shape)]));
const metadata = absentOr(isObject);

/** The event, or in a sentence what keeps it from being one. */
export function readEvent(value: unknown): { event: AgUiEvent } | { complaint: string } {
  if (!isObject(value)) return { complaint: `An AG-UI event should be an object, this is ${nameOf(value)}.` };
  const type = value["type"];
  const fields = typeof type === "string" ? FIELDS.get(type) : undefined;
  if (!fields)
    return {
      complaint: `AG-UI 1.0 has no event of the type ${typeof type === "string" ? `'${type}'` : nameOf(type)}.`,
    };
  if (!metadata(value["metadata"])) return { complaint: `The metadata of ${type as string} should be an object.` };
  for (const [field, check] of fields) {
    if (!check(value[field])) return { complaint: `'${field}' of ${type as string} is missing or of the wrong shape.` };
  }
  return { event: value as unknown as AgUiEvent };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const nameOf = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);
