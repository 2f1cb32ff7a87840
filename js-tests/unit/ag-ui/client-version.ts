// The tests of agents run on several versions of `@ag-ui/client`: fields that older ones ignore are left out, to
// compare the rest.
import * as client from "@ag-ui/client";

/** AG-UI 1.0: pending tool calls, authority over activities, states of null. */
export const isOne = "enforceEvents" in client;
/** Since 0.0.59: metadata and subagents. */
const hasMetadata = "BackwardCompatibility_0_0_57" in client;

const LATER = new Set([
  ...(isOne ? [] : ["pendingToolCallIds", "@ag-ui/client"]),
  ...(hasMetadata ? [] : ["metadata", "subagentRunId"]),
]);

/** Removes the fields that a version does not know. */
export function known<T>(value: T): T {
  if (LATER.size === 0) return value;
  return JSON.parse(JSON.stringify(value), (key, item: unknown) => (LATER.has(key) ? undefined : item)) as T;
}

/** The events that a version knows. */
export function knownEvents<E extends { type: string }>(events: readonly E[]): E[] {
  return known(events.filter((event) => isKnown(event as { type: string } & Record<string, unknown>)));
}

function isKnown({ type, snapshot, messageId }: { type: string } & Record<string, unknown>): boolean {
  // An activity under the id of a text: only 1.0 has rules for all that may come of it.
  if (!isOne && (snapshot === null || (type.startsWith("ACTIVITY_") && messageId === "m1"))) return false;
  return hasMetadata || !type.startsWith("SUBAGENT_");
}
