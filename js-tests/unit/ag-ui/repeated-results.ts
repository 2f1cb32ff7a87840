import type { Event } from "./event-specs.js";

/**
 * The repeated events without results: theirs appear twice then, ours do not. They are left out where the rest is
 * compared, and have a test of their own.
 */
export function withoutRepeatedResults(start: Event[], events: Event[]): Event[] {
  const seen = new Set<unknown>();
  const note = (message: Event) => {
    if (message["toolCallId"] !== undefined) seen.add(message["toolCallId"]);
    seen.add(message["id"]);
  };
  start.forEach(note);
  return events.filter((event) => {
    const messages = event["messages"] ?? (event["input"] as { messages?: Event[] } | undefined)?.messages;
    (messages as Event[] | undefined)?.forEach(note);
    // The call gets a message of that id, if there is none.
    if (event.type === "TOOL_CALL_START") seen.add(event["parentMessageId"]);
    if (event.type !== "TOOL_CALL_RESULT") return true;
    if (seen.has(event["toolCallId"]) || seen.has(event["messageId"])) return false;
    seen.add(event["toolCallId"]);
    seen.add(event["messageId"]);
    return true;
  });
}
