import { ThreadfoldError } from "../shared/errors.js";
import { applyPatch, type PatchOperation } from "../state/patch.js";
import type { ActivityDelta, ActivitySnapshot, HeldMessage } from "./event-types.js";
import { attribution, MESSAGES, NOTHING, withMetadata, type Fold, type Step } from "./fold.js";
import { knownOperations } from "./agent-state.js";
import { isDict } from "../shared/dict.js";
import { list, text } from "./shapes.js";
import { INSIDE } from "../thread/inside.js";

export const activitySnapshot: Step<ActivitySnapshot> = {
  shape: { messageId: text, activityType: text, content: isDict },
  hook: "onActivitySnapshotEvent",
  told(fold, { messageId }) {
    const existingMessage = fold.message(messageId);
    const activityMessage = existingMessage?.role === "activity" ? existingMessage : undefined;
    return { activityMessage, existingMessage };
  },
  apply(fold, event) {
    const { messageId, activityType, content } = event;
    const replace = event.replace ?? true;
    const known = fold.message(messageId);
    const fresh: HeldMessage = { id: messageId, role: "activity", activityType, content, ...attribution(event) };
    if (known?.role === "activity") {
      const { subagentRunId: _, ...kept } = known;
      put(fold, event, replace ? { ...kept, ...fresh } : known);
      return MESSAGES;
    }
    // Another kind of message has its id: that goes, unless the event replaces nothing.
    if (known && !replace) return MESSAGES;
    fold.streams.drop(messageId);
    return { messages: true, newMessage: put(fold, event, fresh) };
  },
};

export const activityDelta: Step<ActivityDelta> = {
  shape: { messageId: text, activityType: text, patch: list },
  hook: "onActivityDeltaEvent",
  told(fold, event) {
    const known = fold.message(event.messageId);
    if (!known) return fold.refuse(event, `ACTIVITY_DELTA: there is no message with the id '${event.messageId}'.`);
    if (known.role === "activity") return { activityMessage: known };
    return fold.refuse(event, `ACTIVITY_DELTA: the message '${known.id}' is not an activity.`, "INVALID_MESSAGE");
  },
  apply(fold, event) {
    const known = fold.message(event.messageId);
    if (known?.role !== "activity") return NOTHING;
    const operations = knownOperations(event.patch);
    try {
      const content = applyPatch(known.content ?? {}, operations as PatchOperation[]);
      put(fold, event, { ...known, content, activityType: event.activityType });
    } catch (error) {
      fold.thread[INSIDE].report(error as ThreadfoldError, event);
      if (!event.metadata) return NOTHING;
      put(fold, event, known);
    }
    return MESSAGES;
  },
};

function put(fold: Fold, event: ActivitySnapshot | ActivityDelta, message: HeldMessage): HeldMessage {
  const next = withMetadata(message, event);
  if (next !== fold.message(message.id)) fold.put(next);
  return next;
}
