// What differs between savers in LangGraph's checkpoint format 4, and between versions of langgraph.js.
import { fromRecords, toRecords } from "./message-values.js";
import type { CheckpointSaver } from "./types.js";

/**
 * A messages field as this saver is to keep it. The savers here keep dicts; langgraph.js's get records, of which their
 * serializer makes instances, because a node of langgraph.js counts on those.
 */
export function messagesFor(saver: CheckpointSaver, messages: unknown): unknown {
  return keepsDicts(saver) ? messages : toRecords(messages);
}

/** A messages field, or a write to one, as a saver gave it back: what was a dict is a dict again. */
export function messagesFrom(saver: CheckpointSaver, messages: unknown): unknown {
  return keepsDicts(saver) ? messages : fromRecords(messages);
}

function keepsDicts(saver: CheckpointSaver): boolean {
  return (saver as { keepsDicts?: unknown }).keepsDicts === true;
}

/** A Send as a checkpoint has it. */
export interface SavedSend {
  node: string;
  args: unknown;
}

/** The value of `__pregel_tasks`, in the form that every langgraph.js reads: 1.4 has no other, 1.7 writes the bare list. */
export function savedSends(sends: readonly SavedSend[]): unknown {
  return [[], sends];
}

/** The Sends of a checkpoint, in either form. */
export function sendsFrom(value: unknown): readonly SavedSend[] {
  if (!Array.isArray(value)) return [];
  const isTopic = value.length === 2 && Array.isArray(value[0]) && Array.isArray(value[1]);
  return (isTopic ? value[1] : value) as SavedSend[];
}

/** The whole value of a field that langgraph.js keeps as deltas, where a checkpoint has it. */
export function wholeValue(value: unknown): unknown {
  const isSnapshot =
    typeof value === "object" && value !== null && (value as { lg_name?: unknown }).lg_name === "DeltaSnapshot";
  return isSnapshot ? (value as { value?: unknown }).value : value;
}
