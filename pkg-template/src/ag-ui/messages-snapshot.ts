import { removeMessage } from "threadfold";
import type { HeldMessage, MessagesSnapshot } from "./event-types.js";
import { cleaned, MESSAGES, type Fold, type Step } from "./fold.js";
import { isObject } from "./shapes.js";

/** The key of `@ag-ui/client`'s own metadata. */
const CLIENT = "@ag-ui/client";

/**
 * Which types of activities a snapshot knows all of: null is all types, a list those; undefined, when it does not say,
 * and none of a declaration that makes no sense.
 */
function authoritativeTypes({ metadata }: MessagesSnapshot): readonly string[] | null | undefined {
  if (!metadata || !Object.hasOwn(metadata, CLIENT)) return undefined;
  const own = metadata[CLIENT];
  if (!isObject(own)) return [];
  if (!Object.hasOwn(own, "authoritativeActivityTypes")) return undefined;
  const types = own["authoritativeActivityTypes"];
  if (types === null) return null;
  return Array.isArray(types) && types.every((type) => typeof type === "string") ? types : [];
}

/** Removes the activities of these types that the snapshot does not have; those of other types are the client's. */
function removeActivities(fold: Fold, types: readonly string[], snapshot: readonly HeldMessage[]): void {
  if (types.length === 0) return;
  const kept = new Set(snapshot.map((message) => message.id));
  const { messages = [] } = fold.thread.confirmed as { messages?: readonly HeldMessage[] };
  const gone = messages.filter((message) =>
    message.role === "activity" && types.includes(message.activityType ?? "") && !kept.has(message.id));
  if (gone.length > 0) fold.send({ type: "update", update: { messages: gone.map(({ id }) => removeMessage(id)) } });
}

export const messagesSnapshot: Step<MessagesSnapshot> = {
  hook: "onMessagesSnapshotEvent",
  apply(fold, event, id) {
    const messages = event.messages.map(cleaned);
    const has = (role: string) => messages.some((message) => message.role === role);
    const types = authoritativeTypes(event);
    const clientRoles: string[] = [];
    if (!has("reasoning")) clientRoles.push("reasoning");
    if (types ? true : types === undefined && !has("activity")) clientRoles.push("activity");
    if (types) removeActivities(fold, types, messages);
    fold.calls.forget();
    fold.send({ type: "messages", messages, clientRoles, id });
    return MESSAGES;
  },
};
