// Warnings in the words of `@ag-ui/client`, so that a log reads the same after HttpAgent was replaced.
import type { ThreadfoldError } from "../../shared/errors.js";
import type { FoldedEvent } from "../event-types.js";
import type { Fold } from "../fold.js";
import { isDict } from "../../shared/dict.js";

/** The fields of refused events that a warning names. */
interface Refused {
  readonly type: string;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly parentMessageId?: string;
  /** The patch of a STATE_DELTA, and of the thread's own event for it. */
  readonly delta?: unknown;
  readonly operations?: unknown;
}

/** Returns the warning about an event that could not be folded; undefined where the client gives none. */
export function warningOf(error: ThreadfoldError, event: unknown, fold: Fold): string | undefined {
  const own = `threadfold: ${error.message}`;
  if (!isDict(event)) return own;
  const { type, messageId, toolCallId, parentMessageId, delta, operations } = event as unknown as Refused;
  const kind = /^(TEXT|REASONING)_MESSAGE_/.exec(type)?.[1]?.toLowerCase();
  if (kind)
    return error.code === "INVALID_MESSAGE"
      ? `${type}: Message '${messageId}' is an activity message — message ids must be unique across activity and ${kind} messages`
      : `${type}: No message found with ID '${messageId}'`;
  switch (type) {
    case "TOOL_CALL_START": {
      const role = fold.message(parentMessageId ?? "")?.role;
      return `${type}: parentMessageId '${parentMessageId}' matches a '${role}' message, not assistant — falling back to toolCallId`;
    }
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_END":
      return `${type}: No message found containing tool call with ID '${toolCallId}'`;
    case "delta":
    case "STATE_DELTA":
      return `Failed to apply state patch:\nCurrent state: ${pretty(fold.state.value)}\nPatch operations: ${pretty(delta ?? operations)}\nError: ${error.message}`;
    case "ACTIVITY_DELTA":
      if (!fold.message(messageId ?? "")) return undefined;
      return error.code === "INVALID_MESSAGE"
        ? `${type}: Message '${messageId}' is not an activity message`
        : `Failed to apply activity patch for '${messageId}': ${error.message}`;
    default:
      return own;
  }
}

/** Returns the warning about an event that is folded; undefined for most. */
export function warningBefore(event: FoldedEvent, fold: Fold): string | undefined {
  if (event.type !== "TOOL_CALL_START") return undefined;
  const { toolCallId, toolCallName } = event;
  const name = fold.calls.find(toolCallId)?.call.function.name;
  return name === undefined || name === toolCallName
    ? undefined
    : `TOOL_CALL_START: tool call '${toolCallId}' already exists with name '${name}' — updating it to '${toolCallName}'`;
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
