import { isDict, type Dict } from "../shared/dict.js";

/**
 * The custom event that a graph sends before the error of a run whose thread still asks something: AG-UI's RUN_ERROR
 * has no place for interrupts. They have the form that RUN_FINISHED has them in.
 */
export const OPEN_INTERRUPTS = "open_interrupts";

/** Returns an interrupt's fields; anything but an object is its value. */
export const fieldsOf = (raw: unknown): Dict => (isDict(raw) ? raw : { value: raw });

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Returns an interrupt's question as text: the value itself, or its `message`, `question` or `description`. An approval
 * of tool calls has their descriptions, a line each.
 */
export function questionIn(value: unknown): string | undefined {
  const { action_requests, actionRequests = action_requests } = (value ?? {}) as Record<string, unknown>;
  const requests = Array.isArray(actionRequests) ? actionRequests.map(ownQuestion) : [];
  return ownQuestion(value) ?? (requests.filter((question) => question !== undefined).join("\n") || undefined);
}

function ownQuestion(value: unknown): string | undefined {
  const { message, question, description } = (value ?? {}) as Record<string, unknown>;
  return text(value) ?? text(message) ?? text(question) ?? text(description);
}
